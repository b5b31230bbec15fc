// Tests that ragdolls hold together and come to lie on the floor.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/core/hash.h"
#include "common/world/image/image.h"
#include "common/world/report/contact_report.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

// Continuous collision moves a limb back if it would pass through the floor. The limb is then away
// from its joint, and the joint pulls it in again: thin limbs leave the floor slowly, so it takes
// some ticks. At rest all joints are closed.
TEST(JointTick, RagdollsHoldTogetherAndComeToLie) {
  World world(built_in_scene("ragdolls:9").value());
  SerialExecutor serial;
  double worst = 0;
  for (int tick = 0; tick < 600; ++tick) {
    step(world, {}, serial);
    worst = std::max(worst, report_contacts(world, serial).deepest_joint);
  }
  const ContactReport report = report_contacts(world, serial);
  ASSERT_EQ(world.collision()->solver.joints().joints().size(), 90u);
  std::printf("ragdolls: off by %.1f mm at most, in the end by %.4f mm, %.2g J\n", 1e3 * worst,
              1e3 * report.deepest_joint, report.kinetic_energy);
  EXPECT_LT(worst, 0.13);
  EXPECT_LT(report.deepest_joint, 0.5e-3);
  EXPECT_LT(report.top, 1);
  for (std::uint32_t slot = 0; slot < 99; ++slot) {
    EXPECT_GT(world.bodies().position(slot).y, 0) << slot;
  }
}

}  // namespace
}  // namespace orrery
