// Tests that random numbers fill what they are given, and that keyed hashes depend on their key.
#include "common/host/process/random.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace orrery {
namespace {

// 1,000 random bytes miss about 256 exp(-1000/256) = 5 of the 256 values, and hardly ever more than
// 60.
TEST(Random, FillsEveryByte) {
  std::vector<std::uint8_t> bytes(1000);
  host::fill_random(bytes);
  const std::set<std::uint8_t> values(bytes.begin(), bytes.end());
  EXPECT_GE(values.size(), 196u);
}

TEST(Random, NeverRepeatsSixtyFourBits) {
  std::set<std::uint64_t> drawn;
  for (int i = 0; i < 1000; ++i) drawn.insert(host::random_u64());
  EXPECT_EQ(drawn.size(), 1000u);
}

TEST(Random, AKeyedHashDependsOnItsKeyAndOnEveryByte) {
  const host::KeyedHash one;
  const host::KeyedHash other;
  std::vector<std::uint8_t> text(33);
  EXPECT_EQ(one(text), one(text));
  EXPECT_NE(one(text), other(text));
  const std::uint64_t before = one(text);
  for (std::uint8_t& byte : text) {
    byte ^= 1;
    EXPECT_NE(one(text), before);
    byte ^= 1;
  }
}

}  // namespace
}  // namespace orrery
