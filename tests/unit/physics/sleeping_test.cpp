// Owns the tests of islands, against walking from body to body, and of when they sleep and wake.
#include "common/physics/sleeping.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/colliding_bodies.h"

namespace orrery {
namespace {

using test::CollidingBodies;
using Slots = std::vector<std::uint32_t>;

constexpr double kDt = 1.0 / 60;

// The lowest slot that can be reached from each, by walking along pairs until nothing changes.
Slots reachable(std::uint32_t slots, const std::vector<Pair>& pairs) {
  Slots lowest(slots);
  for (std::uint32_t i = 0; i < slots; ++i) lowest[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Pair& pair : pairs) {
      const std::uint32_t least = std::min(lowest[pair.a], lowest[pair.b]);
      changed = changed || lowest[pair.a] != least || lowest[pair.b] != least;
      lowest[pair.a] = lowest[pair.b] = least;
    }
  }
  return lowest;
}

TEST(Islands, AreWhatCanBeReachedInAnyOrderOfJoining) {
  SplitMix64 random(21);
  for (int round = 0; round < 50; ++round) {
    constexpr std::uint32_t kSlots = 200;
    std::vector<Pair> pairs;
    for (std::uint32_t i = 0; i < 3u * static_cast<std::uint32_t>(round); ++i) {
      const std::uint32_t a = random.below(kSlots);
      pairs.push_back({a, random.below(kSlots)});
    }
    const Slots expected = reachable(kSlots, pairs);
    for (int order = 0; order < 3; ++order) {
      Islands islands;
      islands.reset(kSlots);
      for (const Pair& pair : pairs) islands.join(pair.a, pair.b);
      for (std::uint32_t i = 0; i < kSlots; ++i) EXPECT_EQ(islands.find(i), expected[i]);
      for (std::size_t i = pairs.size(); i > 1; --i) {
        std::swap(pairs[i - 1], pairs[random.below(static_cast<std::uint32_t>(i))]);
      }
    }
  }
}

// Balls that move, and a fixed one in slot 0.
struct Yard {
  explicit Yard(std::uint32_t balls) : group(balls + 1), sleeping(group.bodies.capacity()) {
    group.add(group.ball, {}, false);
    for (std::uint32_t i = 0; i < balls; ++i) group.add(group.ball, {2.0 * i, 0, 0}, true);
  }

  Slots settle() {
    const std::span<const std::uint32_t> slots =
        sleeping.settle({group.bodies, group.shapes, group.shape_of, near, joined, held}, kDt);
    return {slots.begin(), slots.end()};
  }
  // Settles for as long as nothing can fall asleep yet.
  void wait() {
    for (std::uint32_t i = 1; i < still_ticks_needed(kDt); ++i) EXPECT_EQ(settle(), Slots{});
  }
  Slots wake(std::uint32_t slot) {
    const std::span<const std::uint32_t> slots = sleeping.wake(slot);
    return {slots.begin(), slots.end()};
  }

  CollidingBodies group;
  Sleeping sleeping;
  std::vector<Pair> near;
  std::vector<Pair> joined;
  Slots held;
};

TEST(Sleeping, NeedsHalfASecondOfStillness) {
  EXPECT_EQ(still_ticks_needed(1.0 / 60), 30u);
  EXPECT_EQ(still_ticks_needed(1e6), 1u);
  Yard yard(1);
  yard.wait();
  yard.group.bodies.set_velocity(1, {0, kStillSpeed, 0});
  EXPECT_EQ(yard.settle(), Slots{});
  yard.group.bodies.set_velocity(1, {0, 0.99 * kStillSpeed, 0});
  yard.wait();
  EXPECT_EQ(yard.settle(), Slots{1});
  EXPECT_TRUE(yard.sleeping.asleep(1));
  EXPECT_FALSE(yard.sleeping.asleep(0));
}

TEST(Sleeping, CountsTurningAsMotionOfTheFarthestPoint) {
  Yard yard(1);
  yard.group.bodies.set(BodyField::inverse_inertia_x, 1, Vec3{1, 1, 1});
  yard.group.bodies.set_angular_momentum(1, {0, 1.01 * kStillSpeed / test::kBallRadius, 0});
  yard.wait();
  EXPECT_EQ(yard.settle(), Slots{});
}

TEST(Sleeping, TakesIslandsAsOne) {
  Yard yard(6);
  yard.near = {{0, 1}, {0, 4}, {1, 2}, {4, 5}};
  yard.joined = {{6, 5}};
  yard.group.bodies.set_velocity(6, {1, 0, 0});
  yard.wait();
  EXPECT_EQ(yard.settle(), (Slots{1, 2, 3}));  // 4 and 5 hang on 6; 0 is fixed and joins nothing
  yard.group.bodies.set_velocity(6, {0, 0, 0});
  yard.wait();
  EXPECT_EQ(yard.settle(), (Slots{4, 5, 6}));
  EXPECT_EQ(yard.sleeping.count(), 6u);
  EXPECT_EQ(yard.wake(5), (Slots{4, 5, 6}));
  EXPECT_EQ(yard.wake(5), Slots{});
  EXPECT_EQ(yard.wake(3), Slots{3});
  EXPECT_EQ(yard.sleeping.count(), 2u);
  yard.wait();  // those that woke begin anew
  EXPECT_EQ(yard.settle(), (Slots{3, 4, 5, 6}));
}

TEST(Sleeping, KeepsWhatIsHeldAndWhatHasNoShapeAwake) {
  Yard yard(3);
  yard.held = {1};
  yard.group.shape_of[2] = kNoShape;
  yard.joined = {{2, 3}};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(yard.settle(), Slots{});
}

TEST(Sleeping, GoesOnFromItsState) {
  Yard yard(6);
  yard.near = {{1, 2}, {3, 4}};
  yard.group.bodies.set_velocity(4, {1, 0, 0});
  yard.wait();
  yard.settle();
  Yard other(6);
  other.near = yard.near;
  other.group.bodies.set_velocity(4, {1, 0, 0});
  const std::span<const std::uint32_t> still = yard.sleeping.still_ticks();
  const std::span<const std::uint32_t> islands = yard.sleeping.islands();
  const Sleeping::Input input{other.group.bodies, other.group.shapes, other.group.shape_of,
                              other.near,         other.joined,       other.held};
  ASSERT_TRUE(other.sleeping.restore(input, kDt, still, islands).ok());
  EXPECT_EQ(other.sleeping.count(), yard.sleeping.count());
  EXPECT_EQ(other.wake(2), yard.wake(2));
  for (int i = 0; i < 60; ++i) {
    if (i == 10) yard.group.bodies.set_velocity(4, {});
    if (i == 10) other.group.bodies.set_velocity(4, {});
    EXPECT_EQ(other.settle(), yard.settle());
  }
  EXPECT_EQ(yard.sleeping.count(), 6u);
}

TEST(Sleeping, RefusesStatesThatNoTicksLeadTo) {
  Yard yard(3);
  const Sleeping::Input input{yard.group.bodies, yard.group.shapes, yard.group.shape_of,
                              yard.near,         yard.joined,       yard.held};
  constexpr std::uint32_t kAwake = Sleeping::kAwake;
  const Slots none(4, 0);
  for (const Slots& islands :
       {Slots{0, kAwake, kAwake, kAwake}, Slots{kAwake, 2, 2, kAwake},
        Slots{kAwake, kAwake, 1, kAwake}, Slots{kAwake, 9, kAwake, kAwake}}) {
    EXPECT_FALSE(yard.sleeping.restore(input, kDt, none, islands).ok());
  }
  EXPECT_FALSE(yard.sleeping.restore(input, kDt, Slots(4, 31), Slots(4, kAwake)).ok());
  EXPECT_EQ(yard.sleeping.count(), 0u);
}

}  // namespace
}  // namespace orrery
