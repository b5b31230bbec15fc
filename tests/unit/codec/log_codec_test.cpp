// Tests log headers: exact round trips, headers that are refused because more than eight bytes are
// missing, and flipped bits that do no harm.
#include "common/codec/log_codec.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

codec::LogHeader a_header() {
  codec::LogHeader header;
  header.rules = 7;
  header.build = "orrery 1.2.3, g++ 12.2.0";
  for (std::size_t i = 0; i < header.session.size(); ++i) {
    header.session[i] = static_cast<std::uint8_t>(255 - i);
  }
  header.scene = {1, 2, 3, 4, 5};
  header.initial_hash = 0xFEDCBA9876543210;
  return header;
}

TEST(LogCodec, AHeaderComesBack) {
  const codec::LogHeader header = a_header();
  std::vector<std::uint8_t> bytes;
  codec::encode_log_header(header, bytes);
  const Result<codec::LogHeader> back = codec::decode_log_header(bytes);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back.value().rules, header.rules);
  EXPECT_EQ(back.value().build, header.build);
  EXPECT_EQ(back.value().session, header.session);
  EXPECT_EQ(back.value().scene, header.scene);
  EXPECT_EQ(back.value().initial_hash, header.initial_hash);
}

TEST(LogCodec, AHeaderOfALaterSegmentComesBack) {
  codec::LogHeader header = a_header();
  header.scene.clear();
  header.segment = 3;
  header.after_tick.value = 1ull << 40;
  header.after_checksum = 0x123456789ABCDEF0;
  header.after_loss = true;
  std::vector<std::uint8_t> bytes;
  codec::encode_log_header(header, bytes);
  const Result<codec::LogHeader> back = codec::decode_log_header(bytes);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back.value().session, header.session);
  EXPECT_TRUE(back.value().scene.empty());
  EXPECT_EQ(back.value().segment, 3u);
  EXPECT_EQ(back.value().after_tick, header.after_tick);
  EXPECT_EQ(back.value().after_checksum, header.after_checksum);
  EXPECT_TRUE(back.value().after_loss);
}

TEST(LogCodec, RefusesCutsAndSurvivesFlips) {
  std::vector<std::uint8_t> bytes;
  codec::encode_log_header(a_header(), bytes);
  for (std::size_t size = 0; size + 8 < bytes.size(); ++size) {
    EXPECT_FALSE(codec::decode_log_header(Bytes(bytes).first(size))) << size;
  }
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    const Result<codec::LogHeader> read = codec::decode_log_header(bytes);
    if (read) {
      EXPECT_LE(read.value().scene.size(), bytes.size()) << bit;
    }
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
  }
}

}  // namespace
}  // namespace orrery
