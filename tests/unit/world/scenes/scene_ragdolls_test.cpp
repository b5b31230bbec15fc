// Tests that ragdolls hold together and come to rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

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
// from its joint, and the joint pulls it in again. Nearly all joints recover. The joint of a limb
// that lies under its own doll, at the limit of the joint, may stay some millimetres open.
TEST(JointTick, RagdollsHoldTogetherAndComeToLie) {
  World world(built_in_scene("ragdolls:9").value());
  SerialExecutor serial;
  double worst = 0;
  for (int tick = 0; tick < 600; ++tick) {
    step(world, {}, serial);
    worst = std::max(worst, report_contacts(world, serial).deepest_joint);
  }
  const ContactReport report = report_contacts(world, serial);
  std::vector<double> errors;
  for (const physics::Joint& joint : world.collision()->solver.joints().joints()) {
    errors.push_back(physics::joint_error(joint, world.bodies()));
  }
  std::sort(errors.begin(), errors.end());
  std::printf("ragdolls: off by %.1f mm at most; in the end %.2f, nine of ten %.2f mm, %.2g J\n",
              1e3 * worst, 1e3 * errors.back(), 1e3 * errors[80], report.kinetic_energy);
  ASSERT_EQ(errors.size(), 90u);
  EXPECT_LT(worst, 0.1);
  EXPECT_LT(errors.back(), 1e-2);
  EXPECT_LT(errors[80], 1e-3);
  EXPECT_LT(errors[45], 3e-4);
  EXPECT_LT(report.top, 1);
  for (std::uint32_t slot = 0; slot < 99; ++slot) {
    EXPECT_GT(world.bodies().position(slot).y, 0) << slot;
  }
}

}  // namespace
}  // namespace orrery
