// Tests that the hash search finds the exact change from the hash only.
#include "common/world/image/hash_search.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "common/core/rng.h"
#include "common/math/ulps.h"
#include "common/physics/body/body_hash.h"
#include "common/world/fault_injector.h"
#include "common/world/image/state_hash.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 20261;

// Returns a world after 40 ticks.
World busy_world(const char* scene) {
  World world(built_in_scene(scene).value());
  SerialExecutor executor;
  for (int i = 0; i < 40; ++i) step(world, {}, executor);
  return world;
}

double changed(double value, std::int64_t ulps) {
  return std::bit_cast<double>(std::bit_cast<std::int64_t>(value) + ulps);
}

TEST(HashSearch, FindsTheNumberThatChanged) {
  World world = busy_world("playground");
  SerialExecutor executor;
  SplitMix64 draw(kSeed);
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t slot = draw.below(world.bodies().slots());
    const auto field = static_cast<physics::BodyField>(draw.below(physics::kStateFields));
    const double before = world.bodies().at(field, slot);
    const auto ulps = static_cast<std::int64_t>(1 + draw.below(1u << (1 + i % 10)));
    const double after = changed(before, i % 2 == 0 && before != 0 ? -ulps : ulps);
    const std::uint64_t hash = state_hash(world, executor);
    FaultInjector(world).state().bodies.set(field, slot, after);
    const std::uint64_t wanted = hash_difference(hash, state_hash(world, executor));
    FaultInjector(world).state().bodies.set(field, slot, before);
    const auto found = find_field_change(world.bodies(), wanted);
    ASSERT_TRUE(found) << "draw " << i << " of seed " << kSeed;
    EXPECT_EQ(found->slot, slot);
    EXPECT_EQ(physics::field_name(found->field), physics::field_name(field));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found->value), std::bit_cast<std::uint64_t>(after));
  }
}

// A change of one of the low 38 bits is always explained, and a larger change sometimes. The
// explanation always names the changed body, but not always the field.
TEST(HashSearch, NamesTheBodyWhateverBitChanged) {
  World world = busy_world("free:9");
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    for (int bit = 0; bit < 52; ++bit) {
      const auto field = static_cast<physics::BodyField>(f);
      const double before = world.bodies().at(field, 4);
      const std::uint64_t hash = physics::hash_body(world.bodies(), 4);
      const std::uint64_t word = std::bit_cast<std::uint64_t>(before) ^ std::uint64_t{1} << bit;
      FaultInjector(world).state().bodies.set(field, 4, std::bit_cast<double>(word));
      const std::uint64_t wanted = physics::hash_body(world.bodies(), 4) - hash;
      FaultInjector(world).state().bodies.set(field, 4, before);
      const auto found = find_field_change(world.bodies(), wanted);
      if (bit < 38 || found) {
        ASSERT_TRUE(found) << physics::field_name(field) << " bit " << bit;
        EXPECT_EQ(found->slot, 4u) << physics::field_name(field) << " bit " << bit;
      }
    }
  }
}

TEST(HashSearch, FindsBodiesThatWereSwapped) {
  World world = busy_world("free:300");
  SerialExecutor executor;
  SplitMix64 draw(kSeed);
  for (int i = 0; i < 10; ++i) {
    const std::uint32_t a = draw.below(299);
    const std::uint32_t b = a + 1 + draw.below(299 - a);
    const std::uint64_t hash = sum_of_body_hashes(world.bodies(), executor);
    FaultInjector(world).exchange(a, b);
    const std::uint64_t wanted = sum_of_body_hashes(world.bodies(), executor) - hash;
    FaultInjector(world).exchange(a, b);
    EXPECT_FALSE(find_field_change(world.bodies(), wanted));
    const auto found = find_swap(world.bodies(), wanted);
    ASSERT_TRUE(found) << "draw " << i << " of seed " << kSeed;
    EXPECT_EQ(found->a, a);
    EXPECT_EQ(found->b, b);
  }
}

// The search finds nothing for a difference that no single change causes.
TEST(HashSearch, FindsNothingInRandomDifferences) {
  const World world = busy_world("free:1000");
  SplitMix64 draw(kSeed);
  EXPECT_FALSE(find_field_change(world.bodies(), 0));
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(find_field_change(world.bodies(), draw.next()));
  EXPECT_FALSE(find_swap(world.bodies(), draw.next()));
}

TEST(Ulps, CountNeighbours) {
  EXPECT_EQ(ulps_between(-0.0, 0.0), 0u);
  EXPECT_EQ(ulps_between(1, 1 + 0x1p-52), 1u);
  EXPECT_EQ(ulps_between(-0x1p-1074, 0x1p-1074), 2u);
  EXPECT_EQ(ulps_between(-1, 1), ulps_between(1, -1));
  for (const double x : {-1.5, -0x1p-1074, -0.0, 0.0, 1.0, 0x1.fffffffffffffp3}) {
    EXPECT_GT(next_above(x), x);
    EXPECT_EQ(ulps_between(x, next_above(x)), 1u);
    EXPECT_EQ(next_above(x), std::nextafter(x, INFINITY));
  }
}

}  // namespace
}  // namespace orrery
