// Tests sets of slots against a set of numbers.
#include "common/core/slot_mask.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "common/core/rng.h"

namespace orrery {
namespace {

TEST(SlotMask, HoldsWhatASetOfNumbersHolds) {
  constexpr std::uint32_t kCapacity = 256;
  SlotMask mask(kCapacity);
  std::set<std::uint32_t> model;
  SplitMix64 random(0x51075);
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t slot = random.below(kCapacity);
    if (random.below(3) == 0) {
      mask.set(slot);
      model.insert(slot);
    } else {
      mask.reset(slot);
      model.erase(slot);
    }
    ASSERT_EQ(mask.any(), !model.empty());
    std::vector<std::uint64_t> words(kCapacity / 64, 0);
    for (const std::uint32_t s : model) words[s / 64] += std::uint64_t{1} << (s & 63);
    ASSERT_TRUE(std::equal(words.begin(), words.end(), mask.words().begin()));
    ASSERT_EQ(mask.test(slot), model.contains(slot));
  }
}

TEST(SlotMask, CountsTheTilesThatSlotsReachInto) {
  EXPECT_EQ(tiles_for(0), 0u);
  EXPECT_EQ(tiles_for(1), 1u);
  EXPECT_EQ(tiles_for(64), 1u);
  EXPECT_EQ(tiles_for(65), 2u);
  EXPECT_EQ(tiles_for(~0u), 1u << 26);
}

TEST(SlotMask, ReplacesOnlyTheFirstTiles) {
  SlotMask mask(128);
  mask.set(3);
  mask.set(70);
  const std::uint64_t word = 0b101;
  mask.assign({&word, 1});
  EXPECT_TRUE(mask.test(0) && mask.test(2) && mask.test(70));
  EXPECT_FALSE(mask.test(3));
  mask.clear();
  EXPECT_FALSE(mask.any());
}

}  // namespace
}  // namespace orrery
