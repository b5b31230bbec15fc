// Tests that the balls of the pinball table stay on it, and that its rotor keeps them moving.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

TEST(ScenePinball, BallsStayOnTheTableAndKeepMoving) {
  World world(built_in_scene("pinball").value());
  SerialExecutor serial;
  constexpr std::uint32_t kFirst = 7, kBalls = 14;
  ASSERT_EQ(world.bodies().slots(), kFirst + kBalls);
  double uphill = 0;  // the least z of any ball after ten seconds
  for (int tick = 0; tick < 3600; ++tick) {
    step(world, {}, serial);
    for (std::uint32_t slot = kFirst; slot < kFirst + kBalls; ++slot) {
      const Vec3 at = world.bodies().position(slot);
      ASSERT_LT(std::abs(at.x), 0.6) << slot << " in tick " << tick;
      ASSERT_LT(std::abs(at.z - 0.035), 1.05) << slot << " in tick " << tick;
      ASSERT_GT(at.y, 0) << slot << " in tick " << tick;
      // The tip of the rotor moves at 1.8 m/s, and a ball gains at most twice that in a hit.
      ASSERT_LT(length(world.bodies().velocity(slot)), 8) << slot << " in tick " << tick;
      if (tick > 600) uphill = std::min(uphill, at.z);
    }
  }
  EXPECT_LT(uphill, -0.2);
}

}  // namespace
}  // namespace orrery
