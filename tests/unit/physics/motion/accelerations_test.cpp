// Tests accelerations against closed forms, and against kicks over a very short time.
#include "common/physics/motion/accelerations.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/colliding_bodies.h"

namespace orrery {
namespace {

using physics::BodyField;

// Returns two rigid bodies with random states.
physics::Bodies two_bodies(SplitMix64& random) {
  physics::Bodies bodies(2);
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    bodies.occupy(slot);
    bodies.set(BodyField::inverse_mass, slot, 0.5 + slot);
    bodies.set(BodyField::inverse_inertia_x, slot, Vec3{1, 0.5, 0.8});
    bodies.set(BodyField::gravity_scale, slot, 1 + slot);
    bodies.set_position(slot, test::draw(random, 3));
    bodies.set_velocity(slot, test::draw(random, 2));
    bodies.set_angular_momentum(slot, test::draw(random, 1));
    bodies.set_orientation(slot, test::draw_orientation(random));
  }
  return bodies;
}

std::vector<physics::Rates> rates_of(const physics::Bodies& bodies, const physics::ForceSet& forces,
                                     const Vec3& gravity = {}) {
  std::vector<physics::Rates> rates(bodies.capacity());
  physics::accelerations(bodies, forces, gravity, rates);
  return rates;
}

// Returns four sets: an undamped spring, a tether, mutual gravity, and a damped spring.
std::vector<physics::ForceSet> single_forces() {
  std::vector<physics::ForceSet> sets(4);
  sets[0].springs = {{0, 1, {0.1, 0.2, 0.3}, {-0.3, 0.1, 0}, 20, 0, 0.5}};
  sets[1].tethers = {{1, {0.2, 0, 0.1}, {1, 1, 1}, 30, 0, 0.25}};
  sets[2].attractors = {{0, 2}, {1, 3}};
  sets[2].gravitational_constant = 5;
  sets[2].softening = 0.1;
  sets[3].springs = {{0, 1, {0.1, 0.2, 0.3}, {-0.3, 0.1, 0}, 20, 3, 0.5}};
  sets[3].damped = true;
  return sets;
}

TEST(Accelerations, AreTheLimitOfShortKicks) {
  SplitMix64 random(0xACCE1);
  constexpr double kH = 1e-7;
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t seed = random.next();
    for (std::size_t kind = 0; kind < single_forces().size(); ++kind) {
      const physics::ForceSet forces = single_forces()[kind];
      SplitMix64 same(seed);
      physics::Bodies bodies = two_bodies(same);
      const std::vector<physics::Rates> rates = rates_of(bodies, forces);
      const Vec3 v[2] = {bodies.velocity(0), bodies.velocity(1)};
      const Vec3 l[2] = {bodies.angular_momentum(0), bodies.angular_momentum(1)};
      physics::kick(bodies, forces, kH, physics::KickOrder::forward);
      for (std::uint32_t slot = 0; slot < 2; ++slot) {
        const Vec3 a = (1 / kH) * (bodies.velocity(slot) - v[slot]);
        const Vec3 torque = (1 / kH) * (bodies.angular_momentum(slot) - l[slot]);
        const double size = 1 + length(a) + length(torque);
        EXPECT_NEAR(length(rates[slot].acceleration - a), 0, 1e-5 * size) << "force " << kind;
        EXPECT_NEAR(length(rates[slot].torque - torque), 0, 1e-5 * size) << "force " << kind;
      }
    }
  }
}

TEST(Accelerations, OfUniformGravityScaleWithTheBody) {
  SplitMix64 random(1);
  const physics::Bodies bodies = two_bodies(random);
  const std::vector<physics::Rates> rates = rates_of(bodies, {}, {0, -10, 0});
  EXPECT_EQ(rates[0].acceleration, (Vec3{0, -10, 0}));
  EXPECT_EQ(rates[1].acceleration, (Vec3{0, -20, 0}));
  EXPECT_EQ(rates[0].torque, Vec3{});
}

// Newton's third law: forces between two bodies change no total momentum, linear or angular.
TEST(Accelerations, ConserveMomentum) {
  SplitMix64 random(0x3);
  for (int i = 0; i < 50; ++i) {
    const physics::Bodies bodies = two_bodies(random);
    for (const std::size_t kind : {0u, 2u, 3u}) {
      const std::vector<physics::Rates> rates = rates_of(bodies, single_forces()[kind]);
      Vec3 force, torque;
      for (std::uint32_t slot = 0; slot < 2; ++slot) {
        const Vec3 f = (1 / bodies.inverse_mass(slot)) * rates[slot].acceleration;
        force += f;
        torque +=
            cross(bodies.position(slot), f) + rotate(bodies.orientation(slot), rates[slot].torque);
      }
      EXPECT_NEAR(length(force), 0, 1e-12 * 100);
      EXPECT_NEAR(length(torque), 0, 1e-12 * 1000);
    }
  }
}

}  // namespace
}  // namespace orrery
