// Tests the bit coder: values come back, sizes are as the code has them, and reading past the end
// is seen.
#include "common/codec/delta/entropy/bit_coder.h"

#include <gtest/gtest.h>

#include "common/core/rng.h"

namespace orrery::codec {
namespace {

TEST(BitCoder, ZigzagIsABijection) {
  EXPECT_EQ(zigzag(0), 0u);
  EXPECT_EQ(zigzag(-1), 1u);
  EXPECT_EQ(zigzag(1), 2u);
  EXPECT_EQ(zigzag(INT32_MIN), 0xFFFFFFFFu);
  for (const std::int32_t x : {0, 1, -1, 77, -12345, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(unzigzag(zigzag(x)), x);
  }
}

TEST(BitCoder, BitsHaveTheOrderOfTheComment) {
  std::vector<std::uint8_t> out = {9};  // the writer appends
  BitWriter writer(out);
  writer.raw(0b101, 3);
  writer.rice(2, 4);  // zigzag 8: two ones, a zero, and 00
  writer.raw(1, 1);
  writer.finish();
  EXPECT_EQ(out, (std::vector<std::uint8_t>{9, 0b00011101, 0b1}));
}

TEST(BitCoder, LargeNumbersEscape) {
  std::vector<std::uint8_t> out;
  BitWriter writer(out);
  writer.rice(0, 5);  // zigzag 10: ten ones, a width of 4, and 1010
  writer.finish();
  EXPECT_EQ(out, (std::vector<std::uint8_t>{0b11111111, 0b00010011, 0b1010}));
}

// Writes random values, and reads them back.
TEST(BitCoder, ValuesComeBack) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    struct Value {
      bool is_rice;
      std::uint32_t bits;
      std::int32_t value;
    };
    SplitMix64 random(seed);
    std::vector<Value> values(random.below(2000));
    std::vector<std::uint8_t> out;
    BitWriter writer(out);
    for (Value& v : values) {
      v.is_rice = random.below(2) == 0;
      v.bits = random.below(v.is_rice ? kRiceMax + 1 : 33);
      const std::uint32_t size = random.below(33);
      const auto any = static_cast<std::uint32_t>(
          random.next() & ((std::uint64_t{1} << (v.is_rice ? size : v.bits)) - 1));
      v.value = v.is_rice ? unzigzag(any) : static_cast<std::int32_t>(any);
      if (v.is_rice) {
        writer.rice(v.bits, v.value);
      } else {
        writer.raw(any, v.bits);
      }
    }
    writer.finish();
    BitReader reader(out);
    for (const Value& v : values) {
      ASSERT_EQ(v.is_rice ? reader.rice(v.bits) : static_cast<std::int32_t>(reader.raw(v.bits)),
                v.value);
    }
    EXPECT_TRUE(reader.at_end());
    out.push_back(0);
    BitReader longer(out);
    for (const Value& v : values) v.is_rice ? (void)longer.rice(v.bits) : (void)longer.raw(v.bits);
    EXPECT_FALSE(longer.at_end());
  }
}

TEST(BitCoder, TheEndIsSeen) {
  const std::vector<std::uint8_t> bytes = {0xFF, 0x01};
  BitReader short_of(bytes);
  short_of.raw(8);
  EXPECT_FALSE(short_of.at_end());  // a byte is left
  BitReader dirty(bytes);
  dirty.raw(8 + 1);
  EXPECT_TRUE(dirty.at_end());
  BitReader past(bytes);
  past.raw(17);
  EXPECT_FALSE(past.at_end());
  EXPECT_EQ(past.raw(32), 0u);  // zeros
  const std::vector<std::uint8_t> padded = {0x01, 0x80};
  BitReader rest(padded);
  rest.raw(9);
  EXPECT_FALSE(rest.at_end());  // a bit after the last one is not 0
}

}  // namespace
}  // namespace orrery::codec
