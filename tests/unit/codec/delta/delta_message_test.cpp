// Tests messages of mode delta: round trips, bounds, and the frames that a side keeps.
#include "common/codec/delta/delta_message.h"

#include <gtest/gtest.h>

#include "common/core/rng.h"

namespace orrery::codec {
namespace {

DeltaHead any_head(SplitMix64& random) {
  DeltaHead head;
  head.tick.value = 1 + random.next() % (std::uint64_t{1} << random.below(62));
  const std::uint64_t back = 1 + random.below(100);
  head.baseline.value = back < head.tick.value ? head.tick.value - back : 0;
  head.check = static_cast<std::uint16_t>(random.next());
  head.parts = static_cast<std::uint8_t>(1 + random.below(kDeltaPartsMax));
  head.part = static_cast<std::uint8_t>(random.below(head.parts));
  head.level = static_cast<DeltaLevel>(random.below(2));
  head.report.input.value = static_cast<std::uint32_t>(random.next());
  if (random.below(2) == 0)
    head.report.margin = CommandMargin(std::int64_t{random.below(2000)} - 1000);
  return head;
}

TEST(DeltaMessage, PartsComeBackAndFitIntoADatagram) {
  SplitMix64 random(5);
  for (int i = 0; i < 2000; ++i) {
    const DeltaHead head = any_head(random);
    std::vector<std::uint8_t> bytes(random.below(2) ? kDeltaPartBytes : random.below(50));
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random.next());
    std::vector<std::uint8_t> message;
    encode_delta(head, bytes, message);
    ASSERT_LE(message.size(), limits::kMessageBytesMax);
    const auto part = decode_delta(message);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->head.tick, head.tick);
    EXPECT_EQ(part->head.baseline, head.baseline);
    EXPECT_EQ(part->head.check, head.check);
    EXPECT_EQ(part->head.part, head.part);
    EXPECT_EQ(part->head.parts, head.parts);
    EXPECT_EQ(part->head.level, head.level);
    EXPECT_EQ(part->head.report.input, head.report.input);
    EXPECT_EQ(part->head.report.margin, head.report.margin);
    EXPECT_TRUE(std::equal(part->bytes.begin(), part->bytes.end(), bytes.begin(), bytes.end()));
  }
}

TEST(DeltaMessage, InvalidHeadsAreRefused) {
  const auto decodes = [](std::uint64_t tick, std::uint64_t back, std::uint64_t part,
                          std::uint64_t parts, std::uint64_t input, std::size_t size) {
    std::vector<std::uint8_t> message;
    ByteWriter writer(message);
    writer.varint(tick);
    writer.varint(back);
    writer.u16(0);
    writer.varint(part);
    writer.varint(4 * parts);
    writer.varint(input);
    writer.varint(0);
    message.resize(message.size() + size);
    return decode_delta(message).has_value();
  };
  EXPECT_TRUE(decodes(9, 8, 1, 2, 0xFFFFFFFF, kDeltaPartBytes));
  EXPECT_FALSE(decodes(0, 0, 0, 1, 0, 0));
  EXPECT_FALSE(decodes(9, 9, 0, 1, 0, 0));
  EXPECT_FALSE(decodes(9, 8, 2, 2, 0, 0));
  EXPECT_FALSE(decodes(9, 8, 0, 0, 0, 0));
  EXPECT_FALSE(decodes(9, 8, 0, kDeltaPartsMax + 1, 0, 0));
  EXPECT_FALSE(decodes(9, 8, 0, 1, 0x100000000, 0));
  EXPECT_FALSE(decodes(9, 8, 0, 1, 0, kDeltaPartBytes + 1));
  EXPECT_FALSE(decode_delta({}));
  std::vector<std::uint8_t> message;
  DeltaHead head{.tick = Tick{9}, .baseline = Tick{8}, .report = {}};
  encode_delta(head, {}, message);
  ASSERT_TRUE(decode_delta(message));
  for (const int level : {2, 3}) {
    message[5] = static_cast<std::uint8_t>(4 + level);  // the form: one part of this level
    EXPECT_FALSE(decode_delta(message));
  }
}

TEST(DeltaMessage, AcknowledgementsComeBack) {
  std::vector<std::uint8_t> message;
  encode_frame_ack(Tick{123456789}, message);
  EXPECT_EQ(decode_frame_ack(message), Tick{123456789});
  message.push_back(0);
  EXPECT_FALSE(decode_frame_ack(message));
  EXPECT_FALSE(decode_frame_ack(Bytes(message).first(3)));
}

TEST(KeptFrames, TheNewestAreFound) {
  KeptFrames kept;
  EXPECT_EQ(kept.find(Tick{1}), nullptr);
  for (std::uint64_t tick = 1; tick <= 72; ++tick) {
    auto frame = std::make_shared<CodedFrame>();
    frame->frame.tick = Tick{tick};
    kept.keep(frame);
  }
  EXPECT_EQ(kept.find(Tick{8}), nullptr);
  ASSERT_NE(kept.find(Tick{9}), nullptr);
  EXPECT_EQ(kept.find(Tick{72})->frame.tick, Tick{72});
  kept.clear();
  EXPECT_EQ(kept.find(Tick{72}), nullptr);
}

}  // namespace
}  // namespace orrery::codec
