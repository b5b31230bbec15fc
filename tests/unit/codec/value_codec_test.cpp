// Tests messages about values and notices: round trips, limits, and hostile bytes.
#include "common/codec/value_codec.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/core/limits.h"
#include "common/core/rng.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using test::bytes_of;

std::vector<std::uint8_t> encoded(const codec::message::Values& m) {
  std::vector<std::uint8_t> bytes;
  codec::encode_values_head(m.tick, m.whole, bytes);
  for (const NamedValue& v : m.values) codec::encode_value(v.key, v.value, bytes);
  return bytes;
}

NamedValue named(std::string_view key, std::string_view value) {
  return {bytes_of<command::Key>(key), bytes_of<command::Value>(value)};
}

bool equal(const codec::message::Values& a, const codec::message::Values& b) {
  if (a.tick != b.tick || a.whole != b.whole || a.values.size() != b.values.size()) return false;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    if (a.values[i].key != b.values[i].key || a.values[i].value != b.values[i].value) return false;
  }
  return true;
}

TEST(ValueCodec, RoundTrips) {
  const std::string long_key(limits::kKeyBytesMax, 'k'), long_value(limits::kValueBytesMax, 'v');
  for (const bool whole : {false, true}) {
    codec::message::Values m{Tick{1234567}, whole, {named("a", "1"), named(long_key, long_value)}};
    if (!whole) m.values.push_back(named("a", ""));  // ends
    const auto decoded = codec::decode_values(encoded(m));
    ASSERT_TRUE(decoded);
    EXPECT_TRUE(equal(*decoded, m));
    const codec::message::Values none{Tick{1}, whole, {}};
    ASSERT_TRUE(codec::decode_values(encoded(none)));
    EXPECT_TRUE(equal(*codec::decode_values(encoded(none)), none));
  }
  std::vector<std::uint8_t> bytes;
  codec::encode_notice(Tick{300}, bytes_of<command::Value>("kick-off"), bytes);
  EXPECT_EQ(bytes,
            (std::vector<std::uint8_t>{19, 0xac, 2, 'k', 'i', 'c', 'k', '-', 'o', 'f', 'f'}));
  const auto told = codec::decode_notice(bytes);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->tick, Tick{300});
  EXPECT_EQ(told->text, bytes_of<command::Value>("kick-off"));
}

TEST(ValueCodec, RejectsOtherMessages) {
  const std::vector<std::uint8_t> sound = {18, 5, 1, 1, 'a', 1, 'x', 1, 'b', 1, 'y'};
  ASSERT_TRUE(codec::decode_values(sound));
  const auto changed = [&](std::size_t at, std::uint8_t byte) {
    auto bytes = sound;
    bytes[at] = byte;
    return codec::decode_values(bytes).has_value();
  };
  EXPECT_TRUE(changed(2, 0));
  EXPECT_FALSE(changed(0, 17)) << "another type";
  EXPECT_FALSE(changed(2, 2)) << "neither whole nor changes";
  EXPECT_FALSE(changed(3, 0)) << "an empty key";
  EXPECT_FALSE(changed(3, 65)) << "a key that is too long";
  EXPECT_FALSE(changed(4, 'c')) << "descending keys";
  EXPECT_FALSE(changed(4, 'b')) << "a key twice";
  EXPECT_FALSE(changed(9, 2)) << "too few bytes";
  for (const std::size_t size : {0u, 1u, 2u, 4u, 5u, 6u, 8u, 10u}) {
    EXPECT_FALSE(codec::decode_values(Bytes(sound).first(size))) << size;
  }
  EXPECT_FALSE(codec::decode_values(std::vector<std::uint8_t>{18, 5, 1, 1, 'a', 0}))
      << "an empty value among all";
  std::vector<std::uint8_t> told(3 + limits::kValueBytesMax, 'x');
  told[0] = 19;
  told[1] = 0xac;
  told[2] = 2;
  EXPECT_TRUE(codec::decode_notice(told));
  told.push_back('x');
  EXPECT_FALSE(codec::decode_notice(told)) << "too long";
  EXPECT_FALSE(codec::decode_notice(Bytes(told).first(3))) << "empty";
  EXPECT_FALSE(codec::decode_notice(Bytes(told).first(2)));
  EXPECT_FALSE(codec::decode_notice({}));
}

TEST(ValueCodec, HasBoundedLists) {
  codec::message::Values m{Tick{1}, true, {}};
  for (std::uint32_t i = 0; i < limits::kValuesMax; ++i) {
    m.values.push_back(named(std::to_string(10'000 + i), "v"));
  }
  EXPECT_TRUE(codec::decode_values(encoded(m)));
  m.values.push_back(named("20000", "v"));
  EXPECT_FALSE(codec::decode_values(encoded(m)));
}

TEST(ValueCodec, RandomBytesAreHarmless) {
  SplitMix64 random(9);
  int sound = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::uint8_t> bytes(3 + random.below(12));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.below(4));
    bytes[0] = 18;
    const auto decoded = codec::decode_values(bytes);
    if (!decoded) continue;
    ++sound;
    EXPECT_EQ(encoded(*decoded), bytes);
  }
  EXPECT_GT(sound, 100);
}

}  // namespace
}  // namespace orrery
