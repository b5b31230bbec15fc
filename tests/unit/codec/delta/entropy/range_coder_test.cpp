// Tests the range coder: round trips, sizes against the entropy, carries, and bytes that end early.
#include "common/codec/delta/entropy/range_coder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/core/rng.h"

namespace orrery::codec {
namespace {

constexpr std::uint32_t kTotal = 1u << kProbabilityBits;

TEST(RangeCoder, BitsCostTheirEntropy) {
  for (const std::uint32_t one : {kTotal / 2, kTotal / 4, kTotal / 50}) {
    SplitMix64 random(one);
    std::vector<bool> bits(50'000);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = random.below(kTotal) < one;
    std::vector<std::uint8_t> bytes;
    RangeEncoder encoder(bytes);
    BitModel model(kTotal / 2, 0);
    for (const bool bit : bits) encoder.code(model, bit);
    encoder.finish();
    const double p = static_cast<double>(one) / kTotal;
    const double entropy = -(p * std::log2(p) + (1 - p) * std::log2(1 - p)) * 50'000 / 8;
    EXPECT_NEAR(static_cast<double>(bytes.size()) / entropy, 1, 0.05);
    RangeDecoder decoder(bytes);
    BitModel again(kTotal / 2, 0);
    for (const bool bit : bits) ASSERT_EQ(decoder.bit(again), bit);
    EXPECT_TRUE(decoder.at_end());
  }
}

TEST(RangeCoder, RawBitsComeBackAtTheirSize) {
  SplitMix64 random(2);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> values;
  std::size_t size = 0;
  for (int i = 0; i < 5'000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random.below(33));
    const auto value = static_cast<std::uint32_t>(random.next() & ((std::uint64_t{1} << bits) - 1));
    values.emplace_back(value, bits);
    size += bits;
  }
  std::vector<std::uint8_t> bytes;
  RangeEncoder encoder(bytes);
  for (const auto& [value, bits] : values) encoder.raw(value, bits);
  encoder.finish();
  EXPECT_NEAR(static_cast<double>(bytes.size()), static_cast<double>(size) / 8, 5);
  RangeDecoder decoder(bytes);
  for (const auto& [value, bits] : values) ASSERT_EQ(decoder.raw(bits), value) << bits;
  EXPECT_TRUE(decoder.at_end());
}

// Symbols at the upper end of the range make long runs of 0xFF, and carries through them.
TEST(RangeCoder, CarriesReachTheBytesBefore) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SplitMix64 random(seed);
    std::vector<std::uint32_t> begins;
    std::vector<std::uint8_t> bytes{0xAB};  // the coder must not change bytes before its own
    RangeEncoder encoder(bytes);
    for (int i = 0; i < 200; ++i) {
      const auto begin =
          static_cast<std::uint32_t>(random.below(8) ? kTotal - 1 : random.below(kTotal));
      begins.push_back(begin);
      encoder.code(begin, 1);
    }
    encoder.finish();
    ASSERT_EQ(bytes[0], 0xAB);
    RangeDecoder decoder(Bytes(bytes).subspan(1));
    for (const std::uint32_t begin : begins) {
      ASSERT_EQ(decoder.place(), begin) << "seed " << seed;
      decoder.take(begin, 1);
    }
  }
}

TEST(RangeCoder, AnEmptyMessageIsEmpty) {
  std::vector<std::uint8_t> bytes;
  RangeEncoder encoder(bytes);
  encoder.finish();
  EXPECT_TRUE(bytes.empty());
}

TEST(RangeCoder, BytesThatEndEarlyAreReadAsZeros) {
  RangeDecoder decoder(Bytes{});
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(decoder.raw(32), 0u);
}

}  // namespace
}  // namespace orrery::codec
