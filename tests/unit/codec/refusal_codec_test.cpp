// Tests messages about refused commands: round trips, sizes, and hostile bytes.
#include "common/codec/refusal_codec.h"

#include <gtest/gtest.h>

#include <limits>

#include "common/core/limits.h"
#include "common/core/rng.h"
#include "common/net/packet/fragment.h"

namespace orrery {
namespace {

using codec::message::Refusal;

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

std::vector<std::uint8_t> encoded(std::uint64_t first, const std::vector<Refusal>& refusals) {
  std::vector<std::uint8_t> bytes;
  codec::encode_refusals(first, refusals, bytes);
  return bytes;
}

TEST(RefusalCodec, RoundTrips) {
  std::vector<Refusal> refusals;
  for (std::size_t v = 0; v < kVerdicts; ++v) {
    const auto verdict = static_cast<Verdict>(v);
    if (is_refusal(verdict)) refusals.push_back({Tick{v * 100}, Sequence{8}, verdict});
  }
  const auto decoded = codec::decode_refusals(encoded(5, refusals));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->first, 5u);
  EXPECT_EQ(decoded->refusals, refusals);
}

TEST(RefusalCodec, AFullMessageIsOneFragment) {
  const Refusal largest{Tick{kLargest}, Sequence{~0u}, Verdict::unavailable};
  const std::vector<Refusal> refusals(codec::kRefusalsPerMessage, largest);
  const auto bytes = encoded(kLargest, refusals);
  EXPECT_LE(bytes.size(), net::kFragmentBytesMax);
  ASSERT_TRUE(codec::decode_refusals(bytes));
  EXPECT_EQ(codec::decode_refusals(bytes)->refusals, refusals);
}

TEST(RefusalCodec, RejectsOtherMessages) {
  const auto sound = encoded(5, {{Tick{3}, Sequence{4}, Verdict::role}});
  ASSERT_TRUE(codec::decode_refusals(sound));
  for (std::size_t size = 0; size < sound.size(); ++size) {
    EXPECT_FALSE(codec::decode_refusals(Bytes(sound).first(size))) << size;
  }
  const auto changed = [&](std::size_t at, std::uint8_t value) {
    auto bytes = sound;
    bytes[at] = value;
    return codec::decode_refusals(bytes).has_value();
  };
  EXPECT_FALSE(changed(0, 16));  // of another type
  EXPECT_FALSE(changed(3, 0));   // a sequence of 0
  EXPECT_FALSE(changed(4, 0));   // applied
  EXPECT_FALSE(changed(4, 1));   // unchanged
  EXPECT_FALSE(changed(4, kVerdicts));
  auto many = sound;
  for (std::size_t i = 0; i < codec::kRefusalsPerMessage; ++i) {
    many.insert(many.end(), sound.begin() + 2, sound.end());
  }
  EXPECT_FALSE(codec::decode_refusals(many));
}

TEST(RefusalCodec, RandomBytesAreHarmless) {
  SplitMix64 random(8);
  int sound = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::uint8_t> bytes(1 + random.below(20));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.below(20));
    bytes[0] = 17;
    const auto decoded = codec::decode_refusals(bytes);
    if (!decoded) continue;
    ++sound;
    EXPECT_EQ(encoded(decoded->first, decoded->refusals), bytes);
  }
  EXPECT_GT(sound, 100);
}

}  // namespace
}  // namespace orrery
