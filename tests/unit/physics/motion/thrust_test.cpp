// Tests that limited commands keep their direction, and that commands within the limits keep every
// bit.
#include "common/physics/motion/thrust.h"

#include <cmath>

#include "common/core/rng.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

constexpr double kNear = 1e-12;  // relative rounding error

Vec3 any_vector(SplitMix64& draw, double size) {
  Vec3 v;
  v.x = size * draw.symmetric();
  v.y = size * draw.symmetric();
  v.z = size * draw.symmetric();
  return v;
}

double angle(const Vec3& a, const Vec3& b) { return std::atan2(length(cross(a, b)), dot(a, b)); }

double energy(const Vec3& momentum, const Vec3& inverse_inertia) {
  return dot(momentum, scaled(inverse_inertia, momentum));
}

TEST(ThrustLimits, AVelocityWithinThemKeepsEveryBit) {
  SplitMix64 draw(20251122);
  for (int i = 0; i < 10000; ++i) {
    const Vec3 after = any_vector(draw, 100);
    EXPECT_EQ(physics::limited_velocity(any_vector(draw, 1000), after, 200), after);
  }
  EXPECT_EQ(physics::limited_velocity({}, {200, 0, 0}, 200), (Vec3{200, 0, 0}));
}

TEST(ThrustLimits, AVelocityBeyondThemKeepsItsDirection) {
  SplitMix64 draw(20251123);
  for (int i = 0; i < 10000; ++i) {
    const Vec3 before = any_vector(draw, 300);
    const Vec3 after = before + any_vector(draw, std::pow(10, 3 + 36 * draw.symmetric()));
    const Vec3 limited = physics::limited_velocity(before, after, 200);
    const double most = std::max(200.0, length(before));
    EXPECT_LE(length(limited), std::max(most, length(after)) * (1 + kNear));
    EXPECT_LE(length(limited), length(after) <= most ? length(after) : most * (1 + kNear));
    EXPECT_LE(angle(limited, after), 1e-9);
  }
}

TEST(ThrustLimits, WhatWasFasterMayBeSlowedAndTurnedAndKeepsItsSpeed) {
  const Vec3 fast{500, 0, 0};
  EXPECT_EQ(physics::limited_velocity(fast, {499, 0, 0}, 200), (Vec3{499, 0, 0}));
  EXPECT_EQ(physics::limited_velocity(fast, {0, 0, 0}, 200), (Vec3{}));
  EXPECT_EQ(physics::limited_velocity(fast, {501, 0, 0}, 200), fast);
  const Vec3 turned = physics::limited_velocity(fast, {500, 500, 0}, 200);
  EXPECT_NEAR(length(turned), 500, 1e-9);
  EXPECT_EQ(turned.x, turned.y);
}

TEST(ThrustLimits, AMomentumWithinThemKeepsEveryBit) {
  SplitMix64 draw(20251124);
  const Vec3 inverse_inertia{1, 0.5, 0.25};
  for (int i = 0; i < 10000; ++i) {
    const Vec3 after = any_vector(draw, 50);
    EXPECT_EQ(physics::limited_momentum(any_vector(draw, 50), after, inverse_inertia, 100), after);
  }
}

// A torque spins a body up to the limit at most. A body that spins faster already gains no energy
// from a torque.
TEST(ThrustLimits, AMomentumBeyondThemKeepsItsDirectionAndAddsNoEnergy) {
  SplitMix64 draw(20251125);
  for (int i = 0; i < 10000; ++i) {
    const Vec3 inverse_inertia{1, std::pow(10, 3 * draw.symmetric()),
                               std::pow(10, 3 * draw.symmetric())};
    const Vec3 before = any_vector(draw, 300);
    const Vec3 after = before + any_vector(draw, std::pow(10, 3 + 30 * draw.symmetric()));
    const Vec3 limited = physics::limited_momentum(before, after, inverse_inertia, 100);
    const double spin = length(scaled(inverse_inertia, limited));
    const double had = energy(before, inverse_inertia);
    EXPECT_TRUE(spin <= 100 * (1 + kNear) || energy(limited, inverse_inertia) <= had * (1 + kNear));
    EXPECT_LE(angle(limited, after), 1e-9);
  }
}

TEST(ThrustLimits, NoLimitIsTooSmallOrTooLarge) {
  for (const double size : {0.0, 1e-300, 1e-160, 1e-30, 1.0, 1e30, 1e60}) {
    for (const double most : {0.0, 1e-200, 1e-9, 1.0, 1e9}) {
      const Vec3 v = physics::limited_velocity({}, {size, -size, size}, most);
      const Vec3 l = physics::limited_momentum({}, {size, -size, size}, {1e18, 1e-24, 1}, most);
      EXPECT_TRUE(std::isfinite(dot(v, v)) && std::isfinite(dot(l, l))) << size << " " << most;
    }
  }
}

// A body in slot 0. limited() returns the part of a held thrust that the command limits allow in a
// substep of length h.
struct Held {
  explicit Held(double mass, const Vec3& inertia) : bodies(limits::kTileBodies) {
    bodies.occupy(0);
    bodies.set(physics::BodyField::inverse_mass, 0, 1 / mass);
    bodies.set(physics::BodyField::inverse_inertia_x, 0,
               Vec3{1 / inertia.x, 1 / inertia.y, 1 / inertia.z});
    bodies.set_orientation(0, {});
  }

  physics::Thruster limited(const Vec3& force, const Vec3& torque, double h = 1.0 / 60) {
    forces.held = {{0, force, torque}};
    physics::limit_thrusts(bodies, most, h, forces);
    EXPECT_EQ(forces.thrusters.size(), 1u);
    return forces.thrusters[0];
  }

  physics::Bodies bodies;
  physics::CommandLimits most{10, 20, 1000, 1000};
  physics::ForceSet forces;
};

TEST(ThrustLimits, AForceIsLimitedByTheMassAndATorqueByTheInertia) {
  Held held(4, {1, 2, 3});
  const Vec3 within{40, 0, 0};
  EXPECT_EQ(held.limited(within, {}).force, within);
  EXPECT_EQ(length(held.limited({0, 0, 1e24}, {}).force), 40);
  EXPECT_NEAR(length(held.limited({1e24, -1e24, 1e24}, {}).force), 40, 1e-12);
  EXPECT_EQ(held.limited({}, {0, 40, 0}).torque, (Vec3{0, 40, 0}));
  EXPECT_EQ(held.limited({}, {0, 1e24, 0}).torque, (Vec3{0, 40, 0}));
  EXPECT_EQ(held.limited({}, {0, 0, -1e24}).torque, (Vec3{0, 0, -60}));
}

TEST(ThrustLimits, AtTheLargestSpeedAForceOnlyTurnsOrSlows) {
  Held held(1, {1, 1, 1});
  held.bodies.set_velocity(0, {1000, 0, 0});
  EXPECT_EQ(held.limited({5, 0, 0}, {}).force, (Vec3{}));
  EXPECT_EQ(held.limited({-5, 0, 0}, {}).force, (Vec3{-5, 0, 0}));
  const Vec3 aside = held.limited({0, 5, 0}, {}).force;
  EXPECT_NEAR(aside.y, 5, 1e-6);
  EXPECT_LT(aside.x, 0);
  held.bodies.set_angular_momentum(0, {0, 1000, 0});
  EXPECT_EQ(held.limited({}, {0, 5, 0}).torque, (Vec3{}));
  EXPECT_EQ(held.limited({}, {0, -5, 0}).torque, (Vec3{0, -5, 0}));
}

TEST(ThrustLimits, ZeroMeansThatCommandsCauseNothing) {
  Held held(1, {1, 1, 1});
  held.most = {0, 0, 0, 0};
  const physics::Thruster none = held.limited({1, 2, 3}, {1, 2, 3});
  EXPECT_EQ(none.force, (Vec3{}));
  EXPECT_EQ(none.torque, (Vec3{}));
  held.most = {10, 20, 0, 0};
  const physics::Thruster still = held.limited({1, 2, 3}, {1, 2, 3});
  EXPECT_EQ(still.force, (Vec3{}));
  EXPECT_EQ(still.torque, (Vec3{}));
}

}  // namespace
}  // namespace orrery
