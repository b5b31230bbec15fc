// Tests the drift and the body hash on every instruction set against scalar formulas, and free
// flight against the parabola.
#include "common/physics/motion/drift.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "common/core/rng.h"
#include "common/integrate/rotation.h"

namespace orrery {
namespace {

constexpr double kH = 1.0 / 60;
constexpr physics::Drift kDrift{
    kH, {0.5, -9.81, 0.25}, {0.5 * kH * kH / 2, -9.81 * kH* kH / 2, 1e-5}};

Vec3 draw(SplitMix64& random, double scale) {
  Vec3 v;
  v.x = scale * random.symmetric();
  v.y = scale * random.symmetric();
  v.z = scale * random.symmetric();
  return v;
}

void place_random_body(physics::Bodies& bodies, std::uint32_t slot, SplitMix64& random) {
  bodies.occupy(slot);
  bodies.set_position(slot, draw(random, 100));
  bodies.set_velocity(slot, draw(random, 10));
  bodies.set_angular_momentum(slot, draw(random, slot % 7 == 0 ? 1e6 : 20));
  const Vec3 axis = draw(random, 1);
  bodies.set_orientation(slot, normalized({axis.x, axis.y, axis.z, random.symmetric()}));
  bodies.set(physics::BodyField::inverse_mass, slot, 1);
  bodies.set(physics::BodyField::inverse_inertia_x, slot, Vec3{1, 0.6, 0.3});
  bodies.set(physics::BodyField::gravity_scale, slot, random.symmetric());
}

// Returns bodies in slots 0 to count-1. Every fifth slot is empty again.
physics::Bodies random_bodies(std::uint32_t count, std::uint64_t seed) {
  SplitMix64 random(seed);
  physics::Bodies bodies(count);
  for (std::uint32_t slot = 0; slot < count; ++slot) place_random_body(bodies, slot, random);
  for (std::uint32_t slot = 3; slot < count; slot += 5) bodies.vacate(slot);
  return bodies;
}

// Drifts one body by the scalar formulas.
void drift_one(physics::Bodies& bodies, std::uint32_t slot, const physics::Drift& d) {
  const double s = bodies.at(physics::BodyField::gravity_scale, slot);
  const Vec3 v = bodies.velocity(slot);
  bodies.set_position(slot, (bodies.position(slot) + d.h * v) + s * d.gravity_position);
  bodies.set_velocity(slot, v + s * (d.h * d.gravity));
  const Vec3 l = bodies.angular_momentum(slot);
  const Quat q = bodies.orientation(slot);
  const Vec3 i = bodies.inverse_inertia(slot);
  integrate::RotationState<double> state{{l.x, l.y, l.z}, {q.x, q.y, q.z, q.w}};
  integrate::rotate_freely(state, {i.x, i.y, i.z}, d.h);
  bodies.set_angular_momentum(slot, {state.l[0], state.l[1], state.l[2]});
  bodies.set_orientation(slot, {state.q[0], state.q[1], state.q[2], state.q[3]});
}

std::uint64_t sum_of_hashes(const physics::Bodies& bodies) {
  std::uint64_t sum = 0;
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (bodies.alive(slot)) sum += physics::hash_body(bodies, slot);
  }
  return sum;
}

void expect_same_bits(const physics::Bodies& a, const physics::Bodies& b) {
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    for (std::uint32_t slot = 0; slot < a.slots(); ++slot) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(a.at(field, slot)),
                std::bit_cast<std::uint64_t>(b.at(field, slot)))
          << physics::field_name(field) << " of slot " << slot;
    }
  }
}

// Restricts the dispatch to one instruction set during its lifetime.
class OnlyTarget {
 public:
  explicit OnlyTarget(std::int64_t target) { use(target); }
  ~OnlyTarget() { use(0); }

 private:
  static void use(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

std::vector<std::int64_t> targets_of_this_machine() {
  std::vector<std::int64_t> targets;
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) {
    targets.push_back(rest & -rest);
  }
  return targets;
}

TEST(Drift, HasTheBitsOfTheScalarFormulasOnEveryInstructionSet) {
  constexpr std::uint32_t kBodies = 200;  // the last tile is not full
  physics::Bodies reference = random_bodies(kBodies, 7);
  for (int tick = 0; tick < 50; ++tick) {
    for (std::uint32_t slot = 0; slot < kBodies; ++slot) drift_one(reference, slot, kDrift);
  }
  const std::vector<std::int64_t> targets = targets_of_this_machine();
  ASSERT_FALSE(targets.empty());
  for (const std::int64_t target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    const OnlyTarget only(target);
    physics::Bodies bodies = random_bodies(kBodies, 7);
    EXPECT_EQ(physics::hash_tiles(bodies, 0, bodies.tiles()), sum_of_hashes(bodies));
    for (int tick = 0; tick < 49; ++tick) physics::drift_tiles(bodies, 0, bodies.tiles(), kDrift);
    const std::uint64_t hash = physics::drift_and_hash_tiles(bodies, 0, bodies.tiles(), kDrift);
    expect_same_bits(bodies, reference);
    EXPECT_EQ(hash, sum_of_hashes(reference));
    EXPECT_EQ(physics::hash_tiles(bodies, 0, bodies.tiles()), hash);
  }
}

TEST(Drift, TouchesNoTileOutsideItsRange) {
  physics::Bodies bodies = random_bodies(256, 8);
  const physics::Bodies before = random_bodies(256, 8);
  physics::drift_tiles(bodies, 1, 3, kDrift);
  for (const std::uint32_t slot : {0u, 62u, 192u, 255u}) {
    EXPECT_EQ(bodies.position(slot), before.position(slot));
    EXPECT_EQ(bodies.orientation(slot), before.orientation(slot));
  }
  EXPECT_NE(bodies.position(64), before.position(64));
  EXPECT_NE(bodies.position(191), before.position(191));
  EXPECT_EQ(physics::drift_and_hash_tiles(bodies, 2, 2, kDrift), 0u);
}

TEST(Drift, FollowsTheParabolaToRounding) {
  physics::Bodies bodies = random_bodies(1000, 9);
  const physics::Bodies start = random_bodies(1000, 9);
  const Vec3 g{0, -9.81, 0};
  const physics::Drift d{kH, g, (0.5 * kH * kH) * g};
  for (int tick = 0; tick < 300; ++tick) physics::drift_tiles(bodies, 0, bodies.tiles(), d);
  const double t = 300 * kH;
  double worst = 0;
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (!bodies.alive(slot)) continue;
    const double s = start.at(physics::BodyField::gravity_scale, slot);
    const Vec3 exact = start.position(slot) + t * start.velocity(slot) + (s * t * t / 2) * g;
    worst = std::max(worst, length(bodies.position(slot) - exact));
  }
  EXPECT_LT(worst, 1e-10);
  EXPECT_GT(worst, 0);
}

TEST(Drift, LeavesEmptySlotsHarmless) {
  physics::Bodies bodies = random_bodies(64, 10);
  for (int tick = 0; tick < 100; ++tick) physics::drift_tiles(bodies, 0, 1, kDrift);
  EXPECT_EQ(bodies.position(3), Vec3{});
  EXPECT_EQ(bodies.velocity(3), Vec3{});
  EXPECT_EQ(bodies.orientation(3), Quat{});
}

TEST(BodyHash, ChangesWithEveryBitOfEveryWord) {
  physics::Bodies bodies = random_bodies(70, 11);
  const std::uint64_t before = physics::hash_tiles(bodies, 0, bodies.tiles());
  for (const std::uint32_t slot : {0u, 64u}) {
    for (std::size_t f = 0; f < physics::kStateFields; ++f) {
      for (int bit = 0; bit < 64; ++bit) {
        const auto field = static_cast<physics::BodyField>(f);
        const double value = bodies.at(field, slot);
        const auto flipped = std::bit_cast<std::uint64_t>(value) ^ std::uint64_t{1} << bit;
        bodies.set(field, slot, std::bit_cast<double>(flipped));
        ASSERT_NE(physics::hash_tiles(bodies, 0, bodies.tiles()), before)
            << physics::field_name(field) << " " << bit;
        bodies.set(field, slot, value);
      }
    }
  }
  EXPECT_EQ(physics::hash_tiles(bodies, 0, bodies.tiles()), before);
}

// Two changes must not cancel in the sum: two swapped bodies, or one changed sign in each of two
// bodies.
TEST(BodyHash, ChangesWhenTwoBodiesChange) {
  physics::Bodies bodies = random_bodies(128, 12);
  const std::uint64_t before = physics::hash_tiles(bodies, 0, bodies.tiles());
  const auto swap_words = [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t f = 0; f < physics::kStateFields; ++f) {
      double* const words = bodies.field(static_cast<physics::BodyField>(f));
      std::swap(words[a], words[b]);
    }
  };
  const auto negate = [&](physics::BodyField field, std::uint32_t slot) {
    bodies.set(field, slot, -bodies.at(field, slot));
  };
  for (std::uint32_t a = 0; a < bodies.slots(); ++a) {
    for (std::uint32_t b = a + 1; b < bodies.slots(); b += 7) {
      if (!bodies.alive(a) || !bodies.alive(b)) continue;
      swap_words(a, b);
      ASSERT_NE(physics::hash_tiles(bodies, 0, bodies.tiles()), before) << a << " " << b;
      swap_words(a, b);
      for (const physics::BodyField field :
           {physics::BodyField::position_x, physics::BodyField::orientation_z,
            physics::BodyField::orientation_w}) {
        negate(field, a);
        negate(field, b);
        ASSERT_NE(physics::hash_tiles(bodies, 0, bodies.tiles()), before) << a << " " << b;
        negate(field, a);
        negate(field, b);
      }
    }
  }
}

// Flipping the signs of any of a body's numbers changes its hash.
TEST(BodyHash, ChangesWithEverySetOfSigns) {
  physics::Bodies bodies = random_bodies(1, 14);
  const std::uint64_t before = physics::hash_body(bodies, 0);
  for (std::uint32_t set = 1; set < 1u << physics::kStateFields; ++set) {
    physics::Bodies changed = random_bodies(1, 14);
    for (std::size_t f = 0; f < physics::kStateFields; ++f) {
      const auto field = static_cast<physics::BodyField>(f);
      if (set >> f & 1) changed.set(field, 0, -changed.at(field, 0));
    }
    ASSERT_NE(physics::hash_body(changed, 0), before) << set;
  }
}

TEST(BodyHash, LeavesOutEmptySlots) {
  physics::Bodies bodies = random_bodies(64, 13);
  const std::uint64_t before = physics::hash_tiles(bodies, 0, 1);
  bodies.field(physics::BodyField::position_x)[3] = 1;  // slot 3 is empty
  EXPECT_EQ(physics::hash_tiles(bodies, 0, 1), before);
  const std::uint64_t body = physics::hash_body(bodies, 4);
  bodies.vacate(4);
  EXPECT_EQ(physics::hash_tiles(bodies, 0, 1), before - body);
}

}  // namespace
}  // namespace orrery
