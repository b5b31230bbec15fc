// Tests each force of the kick against its exact solution, and that numbers stay finite.
#include "common/physics/motion/forces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "common/core/limits.h"
#include "common/core/rng.h"
#include "common/physics/motion/drift.h"

namespace orrery {
namespace {

// Returns point masses, slot by slot; mass 0 is an anchor.
physics::Bodies point_masses(const std::vector<double>& masses) {
  physics::Bodies bodies(static_cast<std::uint32_t>(masses.size()));
  for (std::uint32_t slot = 0; slot < masses.size(); ++slot) {
    bodies.occupy(slot);
    bodies.set(physics::BodyField::inverse_mass, slot, masses[slot] == 0 ? 0 : 1 / masses[slot]);
  }
  return bodies;
}

void place_rigid(physics::Bodies& bodies, std::uint32_t slot, double mass, const Vec3& inertia) {
  bodies.occupy(slot);
  bodies.set(physics::BodyField::inverse_mass, slot, 1 / mass);
  bodies.set(physics::BodyField::inverse_inertia_x, slot,
             Vec3{1 / inertia.x, 1 / inertia.y, 1 / inertia.z});
}

// Kicks as a substep does, without the limits of commands.
void kick_all(physics::Bodies& bodies, const physics::ForceSet& forces, double h,
              physics::KickOrder order) {
  if (order == physics::KickOrder::forward) physics::kick_thrusters(bodies, forces, h);
  physics::kick(bodies, forces, h, order);
  if (order == physics::KickOrder::backward) physics::kick_thrusters(bodies, forces, h);
}

// Runs velocity Verlet: half a kick, a drift, half a kick.
void run(physics::Bodies& bodies, const physics::ForceSet& forces, double h, int steps) {
  for (int i = 0; i < steps; ++i) {
    kick_all(bodies, forces, h / 2, physics::KickOrder::forward);
    physics::drift_tiles(bodies, 0, bodies.tiles(), physics::Drift{h, {}, {}});
    kick_all(bodies, forces, h / 2, physics::KickOrder::backward);
  }
}

// Returns log2 of the ratio of two errors, the second with half the step.
double order_of(const std::function<double(double h, int steps)>& error, double time) {
  return std::log2(error(time / 256, 256) / error(time / 512, 512));
}

TEST(Spring, SwingsTwoMassesWithOrderTwo) {
  // The masses 2 and 3 are on a spring of stiffness 50. Their distance oscillates with w^2 = 50
  // (1/2 + 1/3).
  const double w = std::sqrt(50 * (1.0 / 2 + 1.0 / 3));
  const auto error = [&](double h, int steps) {
    physics::Bodies bodies = point_masses({2, 3});
    bodies.set_position(1, {1.25, 0, 0});
    physics::ForceSet forces;
    forces.springs.push_back({0, 1, {}, {}, 50, 0, 1});
    run(bodies, forces, h, steps);
    const double distance = bodies.position(1).x - bodies.position(0).x;
    return std::abs(distance - (1 + 0.25 * std::cos(w * h * steps)));
  };
  EXPECT_NEAR(order_of(error, 3), 2, 0.02);
  EXPECT_LT(error(3.0 / 512, 512), 1e-3);
}

TEST(Spring, DampsWithOrderTwo) {
  // x'' + 2 d x' + w0^2 x = 0 for a mass of 2, a stiffness of 40 and a damping of 1.5.
  const double d = 1.5 / (2 * 2);
  const double w0_squared = 40.0 / 2;
  const double w = std::sqrt(w0_squared - d * d);
  const auto error = [&](double h, int steps) {
    physics::Bodies bodies = point_masses({2});
    bodies.set_position(0, {3.5, 0, 0});
    physics::ForceSet forces;
    forces.tethers.push_back({0, {}, {2, 0, 0}, 40, 1.5, 1});
    run(bodies, forces, h, steps);
    const double t = h * steps;
    const double exact = 0.5 * std::exp(-d * t) * (std::cos(w * t) + d / w * std::sin(w * t));
    return std::abs(bodies.position(0).x - (3 + exact));
  };
  EXPECT_NEAR(order_of(error, 3), 2, 0.05);
  EXPECT_LT(error(3.0 / 512, 512), 1e-3);
}

TEST(Tether, OfNoRestLengthSwingsInAllThreeAxes) {
  const double w = std::sqrt(20.0);
  const auto error = [&](double h, int steps) {
    physics::Bodies bodies = point_masses({2});
    bodies.set_position(0, {1, 2, 3});
    bodies.set_velocity(0, {0, 1, -1});
    physics::ForceSet forces;
    forces.tethers.push_back({0, {}, {1, 1, 1}, 40, 0, 0});
    run(bodies, forces, h, steps);
    const double c = std::cos(w * h * steps);
    const double s = std::sin(w * h * steps) / w;
    return length(bodies.position(0) - Vec3{1, 2 + c - 1 + s, 1 + 2 * c - s});
  };
  EXPECT_NEAR(order_of(error, 3), 2, 0.02);
}

TEST(Drag, IsExactWhateverTheStep) {
  for (const double h : {0.001, 0.1, 10.0}) {
    physics::Bodies bodies = point_masses({1, 1});
    bodies.set_velocity(0, {3, -4, 12});
    bodies.set_velocity(1, {3, -4, 12});
    physics::ForceSet forces;
    forces.dragged = {{0, 0.7, 0, 0.7}, {1, 0, 0.3, 0}};
    for (int i = 0; i < 4; ++i) {
      physics::kick(bodies, forces, h,
                    i % 2 == 0 ? physics::KickOrder::forward : physics::KickOrder::backward);
    }
    // v' = -r v gives v0 exp(-r t). v' = -q |v| v gives v0 / (1 + q |v0| t).
    EXPECT_NEAR(bodies.velocity(0).z, 12 * std::exp(-0.7 * 4 * h), 1e-14 * 12) << h;
    EXPECT_NEAR(bodies.velocity(1).z, 12 / (1 + 0.3 * 13 * 4 * h), 1e-13 * 12) << h;
    EXPECT_NEAR(bodies.velocity(1).x / bodies.velocity(1).y, -0.75, 1e-14);
  }
}

TEST(Drag, OfBothKindsHasOrderTwoInAFall) {
  // v' = g - q v^2 from rest gives v = sqrt(g / q) tanh(t sqrt(g q)).
  const double q = 0.05;
  const double g = 9.81;
  const auto error = [&](double h, int steps) {
    physics::Bodies bodies = point_masses({1});
    physics::ForceSet forces;
    forces.dragged = {{0, 0, q, 0}};
    forces.thrusters.push_back({0, {0, g, 0}, {}});
    run(bodies, forces, h, steps);
    return std::abs(bodies.velocity(0).y -
                    std::sqrt(g / q) * std::tanh(h * steps * std::sqrt(g * q)));
  };
  EXPECT_NEAR(order_of(error, 1), 2, 0.05);
}

TEST(Kick, KeepsTotalMomentumToRounding) {
  constexpr std::uint64_t kSeed = 31;
  SCOPED_TRACE(kSeed);
  SplitMix64 random(kSeed);
  constexpr std::uint32_t kBodies = 12;
  physics::Bodies bodies(kBodies);
  physics::ForceSet forces;
  forces.gravitational_constant = 2;
  const auto draw = [&](double scale) {
    Vec3 v;
    v.x = scale * random.symmetric();
    v.y = scale * random.symmetric();
    v.z = scale * random.symmetric();
    return v;
  };
  for (std::uint32_t slot = 0; slot < kBodies; ++slot) {
    place_rigid(bodies, slot, 1 + slot, {1, 2, 3});
    bodies.set_position(slot, draw(3));
    bodies.set_velocity(slot, draw(1));
    forces.attractors.push_back({slot, 1.0 + slot});
    if (slot > 0) forces.springs.push_back({slot - 1, slot, draw(0.3), draw(0.3), 20, 0.5, 1});
  }
  // Linear momentum, and angular momentum about the origin.
  const auto momentum = [&] {
    std::pair<Vec3, Vec3> sum;
    for (std::uint32_t slot = 0; slot < kBodies; ++slot) {
      const Vec3 p = (1.0 + slot) * bodies.velocity(slot);
      sum.first += p;
      sum.second += cross(bodies.position(slot), p) +
                    rotate(bodies.orientation(slot), bodies.angular_momentum(slot));
    }
    return sum;
  };
  const auto before = momentum();
  run(bodies, forces, 1.0 / 240, 1000);
  const auto after = momentum();
  EXPECT_LT(length(after.first - before.first), 1e-10);
  EXPECT_LT(length(after.second - before.second), 1e-9);
  EXPECT_GT(length(bodies.angular_momentum(3)), 1e-3);  // the springs turn the bodies
}

TEST(MutualGravity, CarriesTwoBodiesOnAnEllipse) {
  // Masses 3 and 1 start at periapsis, with G = 1, semi-major axis 1 and eccentricity 0.3. After
  // one period, 2 pi sqrt(a^3 / (G M)), they are back.
  const double period = 2 * std::acos(-1.0) / std::sqrt(4.0);
  const auto error = [&](double h, int steps) {
    physics::Bodies bodies = point_masses({3, 1});
    const double distance = 1 - 0.3;
    const double speed = std::sqrt(4 * (1 + 0.3) / (1 - 0.3));
    bodies.set_position(0, {-distance / 4, 0, 0});
    bodies.set_position(1, {3 * distance / 4, 0, 0});
    bodies.set_velocity(0, {0, -speed / 4, 0});
    bodies.set_velocity(1, {0, 3 * speed / 4, 0});
    physics::ForceSet forces;
    forces.attractors = {{0, 3}, {1, 1}};
    forces.gravitational_constant = 1;
    run(bodies, forces, h, steps);
    return length(bodies.position(1) - Vec3{3 * distance / 4, 0, 0});
  };
  EXPECT_NEAR(std::log2(error(period / 2000, 2000) / error(period / 4000, 4000)), 2, 0.02);
  EXPECT_LT(error(period / 4000, 4000), 1e-3);
}

TEST(Grip, IsCriticallyDampedForSmallSteps) {
  const double w = 6;
  physics::Bodies bodies = point_masses({5});
  bodies.set_position(0, {1, 0, 0});
  physics::ForceSet forces;
  forces.grips.push_back({0, {}, {}, w, 1e9});
  const double h = 1e-4;
  run(bodies, forces, h, 5000);
  const double t = 0.5;
  EXPECT_NEAR(bodies.position(0).x, (1 + w * t) * std::exp(-w * t), 1e-3);
}

TEST(Grip, ReachesItsTargetAtAnyStepAndNeverOvershoots) {
  for (const double h : {1e-3, 1.0 / 60, 1.0, 100.0, 1e6}) {
    physics::Bodies bodies = point_masses({5});
    bodies.set_position(0, {10, 0, 0});
    physics::ForceSet forces;
    forces.grips.push_back({0, {}, {}, 20, 1e9});
    double last = 10;
    for (int i = 0; i < 4000; ++i) {
      physics::kick(bodies, forces, h, physics::KickOrder::forward);
      physics::drift_tiles(bodies, 0, 1, physics::Drift{h, {}, {}});
      const double now = bodies.position(0).x;
      ASSERT_LE(now, last + 1e-9) << h;
      ASSERT_GE(now, -1e-9) << h;
      last = now;
    }
    EXPECT_LT(last, 1e-6) << h;
  }
}

TEST(Grip, NeverPullsHarderThanItMay) {
  physics::Bodies bodies = point_masses({5});
  bodies.set_position(0, {1000, 0, 0});
  physics::ForceSet forces;
  forces.grips.push_back({0, {}, {}, 20, 7});
  physics::kick(bodies, forces, 0.5, physics::KickOrder::forward);
  EXPECT_NEAR(length(bodies.velocity(0)), 7 * 0.5, 1e-12);
}

TEST(Grip, AndEverythingElseLeavesAnchorsAlone) {
  physics::Bodies bodies = point_masses({0, 1});
  bodies.set_position(1, {2, 0, 0});
  physics::ForceSet forces;
  forces.springs.push_back({0, 1, {0.1, 0, 0}, {}, 5, 1, 1});
  forces.grips.push_back({0, {}, {3, 3, 3}, 20, 100});
  forces.thrusters.push_back({0, {1, 1, 1}, {1, 1, 1}});
  run(bodies, forces, 0.1, 10);
  EXPECT_EQ(bodies.position(0), Vec3{});
  EXPECT_EQ(bodies.velocity(0), Vec3{});
  EXPECT_NE(bodies.velocity(1), Vec3{});
}

// Returns zero, the limit, a fraction of the limit with a random order of magnitude, or a number
// below 1.
double absurd(SplitMix64& random, double limit) {
  switch (random.below(4)) {
    case 0:
      return 0;
    case 1:
      return limit;
    case 2:
      return limit * std::abs(random.symmetric()) * std::pow(10.0, -double(random.below(30)));
    default:
      return std::abs(random.symmetric());
  }
}

Vec3 absurd_vector(SplitMix64& random, double limit) {
  Vec3 v;
  v.x = absurd(random, limit) * (random.below(2) == 0 ? 1 : -1);
  v.y = absurd(random, limit) * (random.below(2) == 0 ? 1 : -1);
  v.z = absurd(random, limit) * (random.below(2) == 0 ? 1 : -1);
  return v;
}

struct AbsurdWorld {
  physics::Bodies bodies{16};
  physics::ForceSet forces;
  double h = 0;
};

AbsurdWorld absurd_world(SplitMix64& random) {
  AbsurdWorld w;
  constexpr std::uint32_t kBodies = 6;
  for (std::uint32_t slot = 0; slot < kBodies; ++slot) {
    w.bodies.occupy(slot);
    const double mass = std::clamp(absurd(random, limits::kMassMax), limits::kMassMin, 1e300);
    w.bodies.set(physics::BodyField::inverse_mass, slot, random.below(5) == 0 ? 0 : 1 / mass);
    if (random.below(3) != 0) {
      const double least = std::clamp(absurd(random, limits::kInertiaMax), limits::kInertiaMin,
                                      limits::kInertiaMax / limits::kInertiaRatioMax);
      Vec3 ratio = absurd_vector(random, limits::kInertiaRatioMax);
      ratio = {std::max(1.0, ratio.x), std::max(1.0, ratio.y), std::max(1.0, ratio.z)};
      w.bodies.set(physics::BodyField::inverse_inertia_x, slot,
                   Vec3{1 / (least * ratio.x), 1 / (least * ratio.y), 1 / (least * ratio.z)});
    }
    const double linear = absurd(random, limits::kCoefficientMax) / mass;
    const double quadratic = absurd(random, limits::kCoefficientMax) / mass;
    w.bodies.set_position(slot, absurd_vector(random, limits::kLengthMax));
    w.bodies.set_velocity(slot, absurd_vector(random, limits::kSpeedMax));
    w.forces.dragged.push_back({slot, linear, quadratic, linear});
    w.forces.attractors.push_back({slot, mass});
    w.forces.thrusters.push_back(
        {slot, absurd_vector(random, limits::kForceMax), absurd_vector(random, limits::kForceMax)});
    w.forces.grips.push_back({slot, absurd_vector(random, limits::kLengthMax),
                              absurd_vector(random, limits::kLengthMax), 1e-6 + absurd(random, 1e7),
                              absurd(random, limits::kAccelerationMax)});
    const auto spring = [&](auto& item) {
      item.stiffness = absurd(random, limits::kCoefficientMax);
      item.damping = absurd(random, limits::kCoefficientMax);
      item.rest_length = absurd(random, limits::kLengthMax);
    };
    physics::Spring s{slot,
                      (slot + 1) % kBodies,
                      absurd_vector(random, limits::kLengthMax),
                      absurd_vector(random, limits::kLengthMax),
                      0,
                      0,
                      0};
    spring(s);
    w.forces.springs.push_back(s);
    physics::Tether t{slot,
                      absurd_vector(random, limits::kLengthMax),
                      absurd_vector(random, limits::kLengthMax),
                      0,
                      0,
                      0};
    spring(t);
    w.forces.tethers.push_back(t);
  }
  w.forces.gravitational_constant = absurd(random, limits::kCoefficientMax);
  w.forces.softening = absurd(random, limits::kLengthMax);
  w.h = std::max(absurd(random, limits::kTickTimeMax), limits::kTickTimeMin);
  return w;
}

TEST(Kick, NeverMakesANumberThatIsNotFinite) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SplitMix64 random(seed);
    AbsurdWorld w = absurd_world(random);
    for (int i = 0; i < 10; ++i) {
      run(w.bodies, w.forces, w.h, 1);
      for (std::uint32_t slot = 0; slot < w.bodies.slots(); ++slot) {
        for (std::size_t f = 0; f < physics::kStateFields; ++f) {
          ASSERT_TRUE(std::isfinite(w.bodies.at(static_cast<physics::BodyField>(f), slot)))
              << "seed " << seed << " step " << i << " slot " << slot << " "
              << physics::field_name(static_cast<physics::BodyField>(f));
        }
        ASSERT_LE(std::abs(w.bodies.velocity(slot).x), limits::kSpeedMax) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace orrery
