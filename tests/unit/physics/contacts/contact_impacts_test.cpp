// Tests impacts against the conservation of momentum, angular momentum and energy.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "common/core/rng.h"
#include "common/physics/sweep/continuous.h"
#include "tests/unit/physics/small_scenes.h"

namespace orrery {
namespace {

using physics::BodyField;
using physics::Material;

// The sums over all movable bodies.
struct Totals {
  Vec3 momentum;
  Vec3 angular_momentum;  // about the origin
  double energy = 0;      // kinetic, and in uniform gravity
};

// In flight, the velocity in the state lags by half a substep.
Totals totals(const ContactWorld& world) {
  Totals t;
  for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
    const double inverse_mass = world.bodies.inverse_mass(slot);
    if (inverse_mass == 0) continue;
    const double m = 1 / inverse_mass;
    const Vec3 x = world.bodies.position(slot);
    const Vec3 v =
        world.bodies.velocity(slot) + (0.5 * world.time / world.substeps) * world.gravity;
    const Vec3 spin = world.bodies.angular_momentum(slot), i = world.bodies.inverse_inertia(slot);
    t.momentum = t.momentum + m * v;
    t.angular_momentum =
        t.angular_momentum + m * cross(x, v) + rotate(world.bodies.orientation(slot), spin);
    t.energy += 0.5 * m * dot(v, v) + 0.5 * dot(scaled(i, spin), spin) - m * dot(world.gravity, x);
  }
  return t;
}

// Steps a world as contact_tick.cpp does, with continuous collision.
void step(ContactWorld& world, int ticks) {
  SerialExecutor serial;
  physics::ContinuousCollision continuous(world.bodies.capacity());
  for (int i = 0; i < ticks; ++i) {
    continuous.begin(world.bodies);
    world.step(1);
    continuous.finish(world.bodies, world.shapes, world.shape_of, world.broad_phase.index(), {},
                      {world.time / world.substeps, world.gravity, world.time}, serial);
  }
}

// A ball or box hits a row of others that touch each other.
struct Row {
  double size;
  double speed;
  double rate;
  bool balls;
  int count;
  double restitution;
};

ContactWorld row_world(const Row& row) {
  ContactWorld world(64);
  world.gravity = {};
  world.time = 1 / row.rate;
  const double r = 0.1 * row.size;
  const Material material{0, row.restitution, 0};
  const std::uint32_t shape =
      row.balls ? world.add_ball(r, material) : world.add_box({r, r, r}, material);
  world.add(shape, {-6.123 * r, 0, 0}, {row.speed, 0, 0});
  for (int i = 0; i < row.count; ++i) world.add(shape, {2 * i * r, 0, 0});
  return world;
}

TEST(Impacts, TravelThroughRowsOfBallsAndBoxes) {
  for (const double size : kSizes) {
    for (const double rate : {10.0, 60.0, 1000.0}) {
      for (const bool balls : {true, false}) {
        for (const int count : {4, 10}) {
          const double speed = std::min(2.0, 2 * size) * (rate == 10 ? 0.1 : 1);
          ContactWorld world = row_world({size, speed, rate, balls, count, 1});
          const Totals before = totals(world);
          const auto ticks = static_cast<int>(0.45 * size / speed * rate) + 3;
          step(world, ticks);
          const Totals after = totals(world);
          const std::uint32_t last = world.bodies.slots() - 1;
          const auto where = ::testing::Message()
                             << size << " m, " << rate << " Hz, balls " << balls << ", " << count;
          EXPECT_NEAR(world.bodies.velocity(last).x / speed, 1, 1e-6) << where;
          EXPECT_NEAR(after.momentum.x / before.momentum.x, 1, 1e-9) << where;
          EXPECT_NEAR(after.energy / before.energy, 1, 5e-3) << where;
        }
      }
    }
  }
}

// An impact of equal balls leaves (1 + e) / 2 of the speed to the next ball.
TEST(Impacts, LoseSpeedByRestitutionInEachImpactOfARow) {
  for (const double e : {0.5, 0.8, 0.95}) {
    ContactWorld world = row_world({1, 2, 60, true, 2, e});
    // gaps, so that the balls hit one after another
    world.bodies.set_position(2, {0.3, 0, 0});
    step(world, 40);
    const double share = (1 + e) / 2;
    EXPECT_NEAR(world.bodies.velocity(2).x, 2 * share * share, 1e-6) << e;
  }
}

// A ball that falls at 6 m/s may overlap both walls, which push it up a little.
TEST(Impacts, KeepTheEnergyOfAnElasticBallInAWedge) {
  for (const double angle : {0.2, std::numbers::pi / 6, 0.9, std::numbers::pi / 2.4}) {
    for (const double side : {0.0, 0.037, 0.2}) {
      ContactWorld world(64);
      const Material elastic{0, 1, 0};
      const std::uint32_t wall = world.add_box({10, 1, 10}, elastic);
      for (const double sign : {-1.0, 1.0}) {
        const Quat q = turn_about({0, 0, 1}, sign * angle);
        world.add_fixed(wall, rotate(q, {sign * 9.0, -1, 0}), q);
      }
      world.add(world.add_ball(0.1, elastic), {side, 2, 0});
      const double before = totals(world).energy;
      double most = 0, least = 1e300;
      for (int tick = 0; tick < 1200; ++tick) {
        step(world, 1);
        const double share = totals(world).energy / before;
        most = std::max(most, share);
        least = std::min(least, share);
      }
      std::printf("wedge of %g, %g aside: energy %.12f to %.12f\n", angle, side, least, most);
      EXPECT_LE(most, 1 + 1e-9) << angle << ' ' << side;
      EXPECT_GE(least, 0.99) << angle << ' ' << side;
    }
  }
}

// The error is a length: that of the angular momentum for each unit of momentum. Without
// restitution the passes of the substeps stop the bodies, at points of the start of the tick. The
// place where a capsule is hit moves along its axis within the tick. A box that was hit turns, and
// may hit the ball again with an edge. No straight prediction sees the way of an edge: the passes
// stop it. In Bullet the errors are 2.5 and 10.7 mm.
TEST(Impacts, KeepTheAngularMomentumOfBodiesThatHitOffCentre) {
  for (const double speed : {3.0, 10.0}) {
    for (const double e : {0.0, 0.5, 1.0}) {
      for (const double friction : {0.0, 0.6}) {
        for (int shape = 0; shape < 4; ++shape) {
          for (int phase = 0; phase < 4; ++phase) {
            ContactWorld world(64);
            world.gravity = {};
            const Material material{friction, e, 0};
            const std::uint32_t shapes[] = {
                world.add_ball(0.1, material), world.add_box({0.1, 0.1, 0.1}, material),
                world.add_box({0.05, 0.5, 0.05}, material), add_capsule(world, 0.05, 0.4)};
            world.add(shapes[1], {0.8 + 0.04 * phase, 0.07, 0.03}, {-speed, 0, 0});
            world.add(shapes[shape], {0, 0, 0});
            const Totals before = totals(world);
            step(world, 40);
            const Totals after = totals(world);
            const Vec3 lost = after.angular_momentum - before.angular_momentum;
            const double lever = length(lost) / length(before.momentum);
            const double most[] = {1e-4, 1e-5, 1e-5, 1e-3};
            EXPECT_LT(lever, e == 0 ? 3e-3 : most[shape])
                << speed << " m/s, " << e << ", friction " << friction << ", shape " << shape
                << ", phase " << phase;
            EXPECT_LT(length(after.momentum - before.momentum), 1e-9 * length(before.momentum));
            EXPECT_LT(after.energy, before.energy * (1 + 1e-9));
          }
        }
      }
    }
  }
}

// A ball with backspin falls on a floor. The friction impulse is the smaller one of friction times
// (1 + e) m w and 2/7 m times the sliding speed, which stops the sliding.
TEST(Impacts, GiveFrictionFromTheImpulseOfTheBounce) {
  for (const double friction : {0.05, 0.2, 0.9}) {
    for (const double e : {0.5, 1.0}) {
      ContactWorld world(64);
      world.gravity = {};
      const Material material{friction, e, 0};
      world.add_fixed(world.add_box({5, 1, 5}, material), {0, -1, 0});
      const std::uint32_t ball =
          world.add(world.add_ball(0.1, material), {0, 0.5, 0}, {0, -3, 0}, {0, 0, -20});
      step(world, 20);
      const double exact = std::min(friction * (1 + e) * 3, 2.0 / 7 * 2);
      EXPECT_NEAR(world.bodies.velocity(ball).x, exact, 1e-9) << friction << ' ' << e;
      EXPECT_NEAR(world.bodies.velocity(ball).y, 3 * e, 1e-9) << friction << ' ' << e;
    }
  }
}

// The energy after each bounce is the square of the restitution times the energy before, also if
// the ball or box hardly leaves the floor.
TEST(Impacts, GiveLowBouncesTheirHeight) {
  for (const double e : {0.3, 0.5, 0.7, 0.9}) {
    for (const double height : {0.02, 0.05, 0.11, 0.3, 0.5, 1.0, 1.7}) {
      for (const bool ball : {true, false}) {
        if (e * e * height < 0.003) continue;
        ContactWorld world(64);
        const Material material{0.5, e, 0};
        world.add_fixed(world.add_box({5, 1, 5}, material), {0, -1, 0});
        const std::uint32_t slot = world.add(
            ball ? world.add_ball(0.1, material) : world.add_box({0.1, 0.1, 0.1}, material),
            {0, 0.1 + height, 0});
        const auto apex = [&] {
          const double v =
              world.bodies.velocity(slot).y - 0.5 * kGravity * world.time / world.substeps;
          return world.bodies.position(slot).y - 0.1 + v * v / (2 * kGravity);
        };
        for (int tick = 0; tick < 200 && world.bodies.velocity(slot).y <= 0; ++tick) step(world, 1);
        EXPECT_NEAR(apex() / (e * e * height), 1, 0.02) << e << ' ' << height << " ball " << ball;
      }
    }
  }
}

// Bodies of unequal masses in a closed box. Only overlapping bodies get a little energy,
// when they are pushed apart.
TEST(Impacts, NeverAddEnergyToBodiesInABox) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SplitMix64 random(seed);
    ContactWorld world(64);
    world.gravity = {};
    const Material material{seed % 2 == 0 ? 0.5 : 0.0, seed % 3 == 0 ? 0.7 : 1.0, 0};
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {-1.0, 1.0}) {
        const Vec3 place{axis == 0 ? 2.5 * sign : 0, axis == 1 ? 2.5 * sign : 0,
                         axis == 2 ? 2.5 * sign : 0};
        world.add_fixed(
            world.add_box({axis == 0 ? 1.0 : 3.0, axis == 1 ? 1.0 : 3.0, axis == 2 ? 1.0 : 3.0},
                          material),
            place);
      }
    }
    for (int i = 0; i < 12; ++i) {
      const double density = std::pow(10, 2 + 2 * (0.5 + 0.5 * random.symmetric()));
      const Vec3 place{0.9 * (i % 3 - 1), 0.9 * (i / 3 % 2) - 0.45, 0.9 * (i / 6) - 0.45};
      Vec3 v, w;
      v.x = 3 * random.symmetric();
      v.y = 3 * random.symmetric();
      v.z = 3 * random.symmetric();
      w.x = 3 * random.symmetric();
      w.y = 3 * random.symmetric();
      w.z = 3 * random.symmetric();
      const std::uint32_t shape = i % 2 == 0 ? world.add_ball(0.2, material, density)
                                             : world.add_box({0.3, 0.2, 0.1}, material, density);
      world.add(shape, place, v, w);
    }
    const double first = totals(world).energy;
    double most = 0;
    for (int tick = 0; tick < 600; ++tick) {
      step(world, 1);
      most = std::max(most, totals(world).energy / first);
    }
    std::printf("seed %d: energy at most %.12f, at the end %.4f\n", static_cast<int>(seed), most,
                totals(world).energy / first);
    EXPECT_LE(most, 1 + 1e-4) << seed;
  }
}

}  // namespace
}  // namespace orrery
