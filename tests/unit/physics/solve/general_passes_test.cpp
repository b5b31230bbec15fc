// Tests boxes in contact against the laws of friction.
#include <gtest/gtest.h>

#include <cmath>

#include "common/physics/solve/contact_solver.h"
#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

constexpr double kG = 9.81;

// A box on a plane inclined by `angle`, with friction coefficient mu.
struct Slope {
  Slope(double angle, double mu) : world(64) {
    const Quat q = normalized({0, 0, std::sin(angle / 2), std::cos(angle / 2)});
    const Vec3 up = rotate(q, {0, 1, 0});
    const physics::Material material{mu, 0, 0};
    world.add_fixed(world.add_box({50, 1, 50}, material), -1.0 * up, q);
    box = world.add(world.add_box({0.5, 0.25, 0.5}, material), 0.25 * up, {}, {}, q);
  }
  double speed() const { return length(world.bodies.velocity(box)); }
  ContactWorld world;
  std::uint32_t box;
};

TEST(ContactSolver, HoldsABoxOnASlopeBelowTheAngleOfFriction) {
  const double mu = 0.5;
  Slope slope(0.98 * std::atan(mu), mu);
  slope.world.step(60);  // settles
  const Vec3 start = slope.world.bodies.position(slope.box);
  slope.world.step(300);
  EXPECT_LT(length(slope.world.bodies.position(slope.box) - start), 1e-3);
}

TEST(ContactSolver, LetsABoxSlideAboveTheAngleOfFrictionWithTheRightAcceleration) {
  const double mu = 0.3;
  for (const double angle : {0.35, 0.5, 0.7}) {
    Slope slope(angle, mu);
    slope.world.step(30);
    const double before = slope.speed();
    slope.world.step(60);
    const double expected = kG * (std::sin(angle) - mu * std::cos(angle));
    EXPECT_NEAR(slope.speed() - before, expected, 0.01 * expected) << angle;
  }
}

TEST(ContactSolver, StopsABoxThatSpinsOnTheFloor) {
  ContactWorld world(64);
  world.add_fixed(world.add_box({5, 1, 5}), {0, -1, 0});
  const std::uint32_t box = world.add(world.add_box({0.5, 0.25, 0.5}), {0, 0.25, 0}, {}, {0, 5, 0});
  // The weight rests on the corners, at a lever arm of sqrt(1/2) m. The moment of inertia is m / 6.
  world.step(6);
  const double slowed = 0.1 * 0.5 * kG * std::sqrt(0.5) * 6;
  EXPECT_NEAR(length(world.bodies.angular_velocity(box)), 5 - slowed, 0.1 * slowed);
  world.step(60);
  EXPECT_LT(length(world.bodies.angular_velocity(box)), 1e-3);
}

}  // namespace
}  // namespace orrery
