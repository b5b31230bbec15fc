// Tests that bodies in the scene `mesh` roll into the valley and stay in it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "common/world/report/contact_report.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using test::run;

Scene scene_of(const std::string& spec) { return built_in_scene(spec).value(); }

TEST(ContactScenes, WhatRollsIntoTheValleyStaysInIt) {
  World world(scene_of("mesh:60"));
  run(world, 900);
  for (std::uint32_t i = 0; i < 60; ++i) {
    const Vec3 p = world.bodies().position(i);
    EXPECT_GT(p.y, 0.1) << i;
    EXPECT_LT(std::abs(p.x) + std::abs(p.z), 16) << i;
    EXPECT_LT(length(world.bodies().velocity(i)), 2) << i;
  }
}

}  // namespace
}  // namespace orrery
