// Tests that small things on a desk end at rest, and that a cradle passes its swing on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/world/report/contact_report.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

// Steps a scene for ten seconds. Returns the highest speed of any body, in m/s.
double run(World& world) {
  SerialExecutor serial;
  double most = 0;
  for (int tick = 0; tick < 600; ++tick) {
    step(world, {}, serial);
    for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
      if (world.bodies().alive(slot)) most = std::max(most, length(world.bodies().velocity(slot)));
    }
  }
  return most;
}

// Things that fall from less than h never get faster than sqrt(2 g h), and end at rest.
TEST(SceneDesk, DiceAndPencilsEndAtRest) {
  for (const char* name : {"dice:20", "pencils:12"}) {
    World world(built_in_scene(name).value());
    SerialExecutor serial;
    const double highest = report_contacts(world, serial).top;
    EXPECT_LT(run(world), std::sqrt(2 * 9.81 * highest)) << name;
    const ContactReport report = report_contacts(world, serial);
    EXPECT_LT(report.kinetic_energy, 1e-5) << name;
    EXPECT_LT(report.deepest_overlap, 0.002) << name;
    for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot)
      EXPECT_GT(world.bodies().position(slot).y, -0.001) << name << slot;
  }
}

// The swing goes through the row: the last ball gets at least 95 % of the speed of the first one,
// so it rises at least 0.95^2 times as high. The ball in the middle hardly moves.
TEST(SceneDesk, TheCradlePassesItsSwingOn) {
  World world(built_in_scene("cradle").value());
  SerialExecutor serial;
  constexpr double kLength = 0.15;
  const double start = world.bodies().position(1).y;
  double last = -kLength, middle = 0;
  for (int tick = 0; tick < 144; ++tick) {  // three quarters of a swing
    step(world, {}, serial);
    last = std::max(last, world.bodies().position(5).y);
    middle = std::max(middle, length(world.bodies().velocity(3)));
  }
  EXPECT_GT(last, 0.95 * 0.95 * start);
  EXPECT_LT(last, start * (1 + 1e-3));
  EXPECT_LT(middle, 0.1);
}

}  // namespace
}  // namespace orrery
