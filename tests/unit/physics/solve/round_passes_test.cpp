// Tests bodies in contact against the laws of bouncing and rolling.
#include <gtest/gtest.h>

#include <cmath>

#include "common/physics/solve/contact_solver.h"
#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

constexpr double kG = 9.81;

TEST(ContactSolver, ReturnsTheShareOfSpeedThatRestitutionSays) {
  for (const double e : {0.25, 0.5, 0.8, 1.0}) {
    for (const bool ball : {true, false}) {
      ContactWorld world(64);
      const physics::Material material{0.5, e, 0};
      world.gravity = {};
      world.add_fixed(world.add_box({5, 1, 5}, material), {0, -1, 0});
      const std::uint32_t shape =
          ball ? world.add_ball(0.5, material) : world.add_box({0.5, 0.5, 0.5}, material);
      const std::uint32_t slot = world.add(shape, {0, 1.5, 0}, {0, -4, 0});
      world.step(60);
      EXPECT_NEAR(world.bodies.velocity(slot).y, 4 * e, 0.02 * 4 * e) << e << " ball " << ball;
    }
  }
}

TEST(ContactSolver, RollsABallDownASlopeWithFiveSeventhsOfTheSlidingAcceleration) {
  const double angle = 0.3;
  ContactWorld world(64);
  const Quat q = normalized({0, 0, std::sin(angle / 2), std::cos(angle / 2)});
  const Vec3 up = rotate(q, {0, 1, 0});
  world.add_fixed(world.add_box({50, 1, 50}), -1.0 * up, q);
  const std::uint32_t ball = world.add(world.add_ball(0.5), 0.5 * up);
  world.step(30);
  const double before = length(world.bodies.velocity(ball));
  world.step(60);
  const double expected = 5.0 / 7 * kG * std::sin(angle);
  EXPECT_NEAR(length(world.bodies.velocity(ball)) - before, expected, 0.01 * expected);
}

TEST(ContactSolver, StopsWhatRollsByRollingResistanceAsFarAsItIsStrong) {
  const double resistance = 0.02, radius = 0.5, speed = 2;
  ContactWorld world(64);
  const physics::Material material{0.8, 0, resistance};
  world.add_fixed(world.add_box({50, 1, 50}, material), {0, -1, 0});
  const std::uint32_t ball =
      world.add(world.add_ball(radius, material), {0, radius, 0}, {speed, 0, 0}, {0, 0, -4});
  // The normal force N causes a torque of resistance * N. With v = w r, it slows the ball by a:
  // (m r + I / r) a = resistance * N. For a ball, I = 2/5 m r^2 and a = 5/7 g resistance / r.
  const double deceleration = 5.0 / 7 * kG * resistance / radius;
  world.step(60);
  EXPECT_NEAR(world.bodies.velocity(ball).x, speed - deceleration, 0.02 * speed);
  world.step(1000);
  EXPECT_LT(length(world.bodies.velocity(ball)), 1e-3);
}

}  // namespace
}  // namespace orrery
