// Tests contacts of bodies that turn far in a tick: they add no energy and no motion.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/physics/small_scenes.h"

namespace orrery {
namespace {

// Returns the kinetic energy of a body.
double kinetic_energy(const ContactWorld& world, std::uint32_t slot) {
  const Vec3 v = world.bodies.velocity(slot), l = world.bodies.angular_momentum(slot);
  const double mass = 1 / world.bodies.inverse_mass(slot);
  return 0.5 * mass * dot(v, v) + 0.5 * dot(l, scaled(world.bodies.inverse_inertia(slot), l));
}

// A slim body that falls on a floor and tumbles there gains no energy.
TEST(ContactScenes, AFallingPencilGainsNoEnergy) {
  SplitMix64 random(0xF2);
  for (int i = 0; i < 40; ++i) {
    const double size = kSizes[i % 4];
    ContactWorld world(64);
    world.gravity = {0, -kGravity * size, 0};
    world.add_fixed(add_plane(world), {});
    const std::uint32_t shape = add_capsule(world, 0.04 * size, 0.86 * size);
    const double along = random.symmetric(), aside = random.symmetric(), spin = random.symmetric();
    const Quat q = turn_about({0, 0, 1}, 1.2 * along) * turn_about({1, 0, 0}, 1.2 * aside);
    const std::uint32_t body = world.add(shape, {0, 8 * size, 0}, {}, {spin, 0.3, -spin}, q);
    const double mass = 1 / world.bodies.inverse_mass(body);
    const auto energy = [&] {
      return kinetic_energy(world, body) + mass * kGravity * size * world.bodies.position(body).y;
    };
    const double before = energy();
    for (int tick = 0; tick < 300; ++tick) {
      world.step(1);
      ASSERT_LT(energy(), 1.01 * before) << i << " " << tick;
    }
  }
}

// A blade that turns far in a substep gives no more than its own speed: along the normal and along
// the surface.
TEST(ContactScenes, AFastBladeGivesNoMoreThanItsSpeed) {
  for (const double rate : {30.0, 60.0, 100.0, 200.0, 1000.0}) {
    for (int place = 0; place < 24; ++place) {
      ContactWorld world(64);
      world.gravity = {};
      const std::uint32_t blade = world.add_fixed(world.add_box({1, 0.05, 0.05}), {});
      drive(world, blade, {0, rate, 0});
      const Vec3 at{0.5 + 0.02 * place, 0, -0.15 - 0.0005 * place};
      const std::uint32_t ball = world.add(world.add_ball(0.1), at, {}, {}, {});
      const std::uint32_t box = world.add(world.add_box({0.1, 0.1, 0.1}), -at, {}, {}, {});
      for (int tick = 0; tick < 60; ++tick) {
        world.step(1);
        ASSERT_LT(length(world.bodies.velocity(ball)), 1.42 * rate) << rate << " " << place;
        ASSERT_LT(length(world.bodies.velocity(box)), 1.42 * rate) << rate << " " << place;
      }
    }
  }
}

// A box on a turntable that rotates with it keeps its place.
TEST(ContactScenes, ABoxOnATurntableKeepsItsPlace) {
  for (const double size : kSizes) {
    for (const double rate : {0.5, 2.0}) {
      ContactWorld world(64);
      world.gravity = {0, -kGravity * size, 0};
      const physics::Material rough{1, 0, 0};
      const std::uint32_t table = world.add_fixed(
          world.add_box({30 * size, 0.1 * size, 30 * size}, rough), {0, -0.1 * size, 0});
      drive(world, table, {0, rate, 0});
      const std::uint32_t box =
          world.add(world.add_box({0.2 * size, 0.2 * size, 0.2 * size}, rough),
                    {size, 0.2 * size, 0}, {0, 0, -rate * size}, {0, rate, 0});
      world.step(600);
      const Vec3 at = world.bodies.position(box);
      EXPECT_NEAR(std::hypot(at.x, at.z), size, 1e-3 * size) << size << " " << rate;
    }
  }
}

}  // namespace
}  // namespace orrery
