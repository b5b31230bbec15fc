// Tests that crates stay up and dominoes fall.
#include <gtest/gtest.h>

#include <string>

#include "common/world/report/contact_report.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using test::run;

Scene scene_of(const std::string& spec) { return built_in_scene(spec).value(); }

ContactReport report_of(const World& world) {
  SerialExecutor serial;
  return report_contacts(world, serial);
}

TEST(ContactScenes, StacksOfCratesStand) {
  World world(scene_of("crates:40"));
  run(world, 600);
  for (std::uint32_t i = 0; i < 40; ++i) {
    const Vec3 moved = world.bodies().position(i) - world.scene().bodies[i].position;
    EXPECT_LT(length(moved), 0.05) << i;
  }
  EXPECT_LT(report_of(world).deepest_overlap, 0.006);
}

TEST(ContactScenes, EveryDominoFalls) {
  World world(scene_of("domino"));
  run(world, 1800);
  for (std::uint32_t i = 0; i < 100; ++i) {
    // The y axis of an upright domino points up.
    EXPECT_LT(rotate(world.bodies().orientation(i), {0, 1, 0}).y, 0.75) << i;
  }
}

}  // namespace
}  // namespace orrery
