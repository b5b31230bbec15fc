// Tests the scene `bullet`: no small ball passes through the wall, and the big ball moves crates.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "common/world/report/contact_report.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

Scene scene_of(const std::string& spec) { return built_in_scene(spec).value(); }

TEST(ContactScenes, NothingPassesThroughTheWall) {
  World world(scene_of("bullet"));
  SerialExecutor serial;
  for (int tick = 1; tick <= 300; ++tick) {
    step(world, {}, serial);
    for (std::uint32_t i = 0; i < 20; ++i) {
      const Vec3 p = world.bodies().position(i);
      const bool before_wall = p.x < 0;
      const bool around_wall = p.y > 6 || std::abs(p.z) > 6;
      ASSERT_TRUE(before_wall || around_wall) << "tick " << tick << " ball " << i << " at " << p.x;
      ASSERT_GT(p.y, -0.05) << "tick " << tick;
    }
  }
  // All small balls have flown to the wall. The big ball has knocked a crate out of the pile, and
  // the one above it has fallen down. Those above may jam between their neighbours.
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_GT(world.bodies().position(i).x, -20) << i;
  std::uint32_t moved = 0;
  for (std::uint32_t i = 21; i < 41; ++i) {
    moved += length(world.bodies().position(i) - world.scene().bodies[i].position) > 0.5;
  }
  EXPECT_GE(moved, 2u);
}

}  // namespace
}  // namespace orrery
