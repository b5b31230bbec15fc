// Tests islands against a graph search.
#include "common/physics/body/islands.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/physics/rest/sleeping.h"
#include "tests/support/colliding_bodies.h"
#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

using Slots = std::vector<std::uint32_t>;

// Returns the lowest slot that each slot can reach, by following pairs until nothing changes.
Slots reachable(std::uint32_t slots, const std::vector<physics::Pair>& pairs) {
  Slots lowest(slots);
  for (std::uint32_t i = 0; i < slots; ++i) lowest[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (const physics::Pair& pair : pairs) {
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
    std::vector<physics::Pair> pairs;
    for (std::uint32_t i = 0; i < 3u * static_cast<std::uint32_t>(round); ++i) {
      const std::uint32_t a = random.below(kSlots);
      pairs.push_back({a, random.below(kSlots)});
    }
    const Slots expected = reachable(kSlots, pairs);
    for (int order = 0; order < 3; ++order) {
      physics::Islands islands;
      islands.reset(kSlots);
      for (const physics::Pair& pair : pairs) islands.join(pair.a, pair.b);
      for (std::uint32_t i = 0; i < kSlots; ++i) EXPECT_EQ(islands.find(i), expected[i]);
      for (std::size_t i = pairs.size(); i > 1; --i) {
        std::swap(pairs[i - 1], pairs[random.below(static_cast<std::uint32_t>(i))]);
      }
    }
  }
}

}  // namespace
}  // namespace orrery
