// Tests that the broad phase finds the same pairs as brute force, for any number of threads.
#include "common/physics/broad/broad_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/core/limits.h"
#include "tests/support/colliding_bodies.h"

namespace orrery {
namespace {

constexpr double kMargin = 0.02;

using test::BackwardExecutor;
using test::CollidingBodies;
using test::draw;
using test::part_definition;

physics::Aabb box_of(const CollidingBodies& group, std::uint32_t slot) {
  const Pose pose = group.pose(slot);
  const std::span<const physics::Part> parts = group.shapes.parts(group.shape_of[slot]);
  physics::Aabb box = physics::bounds(group.shapes, parts[0], pose);
  for (const physics::Part& p : parts)
    box = physics::united(box, physics::bounds(group.shapes, p, pose));
  return physics::enlarged(box, kMargin / 2);
}

bool near(const CollidingBodies& group, std::uint32_t a, std::uint32_t b) {
  const physics::Bodies& bodies = group.bodies;
  for (const std::uint32_t slot : {a, b}) {
    if (!bodies.alive(slot) || group.shape_of[slot] == physics::kNoShape) return false;
  }
  if (bodies.inverse_mass(a) == 0 && bodies.inverse_mass(b) == 0) return false;
  if (!physics::overlaps(box_of(group, a), box_of(group, b))) return false;
  if (group.shape_of[a] != group.ball || group.shape_of[b] != group.ball) return true;
  return length(bodies.position(a) - bodies.position(b)) <= 2 * test::kBallRadius + kMargin;
}

std::vector<physics::Pair> every_pair(const CollidingBodies& group) {
  std::vector<physics::Pair> pairs;
  for (std::uint32_t a = 0; a < group.bodies.slots(); ++a) {
    for (std::uint32_t b = a + 1; b < group.bodies.slots(); ++b) {
      if (near(group, a, b)) pairs.push_back({a, b});
    }
  }
  return pairs;
}

std::vector<physics::Pair> pairs_of(physics::BroadPhase& broad_phase, const CollidingBodies& group,
                                    Executor& executor) {
  broad_phase.update(group.shaped(), {kMargin}, executor);
  EXPECT_TRUE(broad_phase.complete());
  return {broad_phase.pairs().begin(), broad_phase.pairs().end()};
}

std::vector<physics::Pair> pairs_of(const CollidingBodies& group, std::uint32_t threads = 1) {
  physics::BroadPhase broad_phase(group.bodies.capacity());
  BackwardExecutor executor(threads);
  return pairs_of(broad_phase, group, executor);
}

TEST(BroadPhase, FindsWhatTryingAllPairsFinds) {
  for (const double world : {0.1, 4.0, 12.0, 1e5}) {
    const CollidingBodies group = test::random_colliding_bodies(900, world, 7);
    EXPECT_EQ(pairs_of(group), every_pair(group)) << "world " << world;
  }
}

TEST(BroadPhase, FindsTheSameWithAnyNumberOfThreads) {
  const CollidingBodies group = test::random_colliding_bodies(1500, 6, 8);
  const std::vector<physics::Pair> pairs = pairs_of(group);
  EXPECT_GT(pairs.size(), 1000u);
  for (std::uint32_t threads = 2; threads <= 16; ++threads) {
    EXPECT_EQ(pairs_of(group, threads), pairs) << threads << " threads";
  }
}

// A reused broad phase gives the same pairs as a new one.
TEST(BroadPhase, KeepsNothingFromTickToTick) {
  SplitMix64 random(12);
  CollidingBodies group = test::random_colliding_bodies(600, 5, 9);
  physics::BroadPhase kept(group.bodies.capacity());
  SerialExecutor executor;
  for (int tick = 0; tick < 20; ++tick) {
    for (std::uint32_t slot = 0; slot < group.bodies.slots(); ++slot) {
      if (!group.bodies.alive(slot)) continue;
      const bool moves = group.bodies.inverse_mass(slot) != 0;
      const Vec3 step = draw(random, moves ? 0.3 : tick % 4 == 0 ? 1 : 0);
      group.bodies.set_position(slot, group.bodies.position(slot) + step);
    }
    const std::uint32_t slot = random.below(600);
    if (tick % 3 == 0 && group.bodies.alive(slot)) group.bodies.vacate(slot);
    if (tick % 3 == 0 || tick % 4 == 0) kept.bodies_changed();
    EXPECT_EQ(pairs_of(kept, group, executor), pairs_of(group)) << "tick " << tick;
  }
}

TEST(BroadPhase, PutsBodiesOnPlanes) {
  CollidingBodies group(8);
  const std::uint32_t plane = group.add(group.plane, {0, 0, 0}, false);
  const std::uint32_t resting = group.add(group.ball, {1e9, 0.4, 3}, true);
  const std::uint32_t below = group.add(group.ball, {0, -1e6, 0}, true);
  group.add(group.ball, {0, 0.5, 0}, true);   // above
  group.add(group.ball, {9, 0.4, 0}, false);  // fixed, like the plane
  const std::vector<physics::Pair> expected{{plane, resting}, {plane, below}};
  EXPECT_EQ(pairs_of(group), expected);
}

TEST(BroadPhase, PairsKinematicBodiesWithThoseThatCanBePushed) {
  CollidingBodies group(8);
  const std::uint32_t kinematic = group.add(group.box, {0, 0, 0}, false);
  const std::uint32_t second = group.add(group.box, {0.1, 0, 0}, false);
  for (const std::uint32_t slot : {kinematic, second}) {
    group.bodies.set(physics::BodyField::inverse_inertia_x, slot, Vec3{1, 1, 1});
  }
  group.add(group.box, {0.2, 0, 0}, false);
  const std::uint32_t pushed = group.add(group.ball, {5, 0, 0}, true);
  physics::BroadPhase broad_phase(group.bodies.capacity());
  SerialExecutor executor;
  EXPECT_EQ(pairs_of(broad_phase, group, executor), std::vector<physics::Pair>{});
  group.bodies.set_position(kinematic, {5, 0.1, 0});  // moved without bodies_changed()
  EXPECT_EQ(pairs_of(broad_phase, group, executor),
            (std::vector<physics::Pair>{{kinematic, pushed}}));
}

TEST(BroadPhase, TakesAPlaneThatIsPartOfABodyAsNearToAll) {
  CollidingBodies group(8);
  const std::uint32_t both = group.shapes
                                 .add({{part_definition(physics::ShapeKind::plane),
                                        part_definition(physics::ShapeKind::box)}})
                                 .value();
  const std::uint32_t ground = group.add(both, {0, 0, 0}, false);
  const std::uint32_t high = group.add(group.ball, {0, 1e5, 0}, true);
  EXPECT_EQ(pairs_of(group), (std::vector<physics::Pair>{{ground, high}}));
}

TEST(BroadPhase, TakesBodiesBeyondAllNumbers) {
  CollidingBodies group(8);
  group.add(group.ball, {1e308, 1e308, 1e308}, true);
  group.add(group.box, {1e308, 1e308, 1e308}, true);
  group.add(group.dumbbell, {1.7e308, -1.7e308, 0}, true);
  group.add(group.box, {0, 0, 0}, false);
  EXPECT_EQ(pairs_of(group), every_pair(group));
}

// Bodies at one point make 19 million pairs, more than kPairsMax. The same kPairsMax of them are
// kept for any number of threads.
TEST(BroadPhase, SlowKeepsTheSamePairsWhereThereAreTooMany) {
  CollidingBodies group(6200);
  for (std::uint32_t i = 0; i < 6200; ++i) group.add(group.box, {0, 0, 0}, true);
  std::vector<physics::Pair> first;
  for (const std::uint32_t threads : {1u, 16u}) {
    physics::BroadPhase broad_phase(group.bodies.capacity());
    BackwardExecutor executor(threads);
    broad_phase.update(group.shaped(), {kMargin}, executor);
    EXPECT_FALSE(broad_phase.complete());
    ASSERT_EQ(broad_phase.pairs().size(), limits::kPairsMax);
    if (first.empty()) first.assign(broad_phase.pairs().begin(), broad_phase.pairs().end());
    EXPECT_TRUE(std::ranges::equal(broad_phase.pairs(), first)) << threads << " threads";
    EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  }
}

}  // namespace
}  // namespace orrery
