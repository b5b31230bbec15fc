// Tests messages of events and queries: round trips, sizes, and hostile bytes.
#include "common/codec/event_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "common/core/limits.h"
#include "common/core/rng.h"

namespace orrery {
namespace {

const WorldEvent kHit{EventKind::hit, BodyId{3}, make_body_id(7, 2), 1, 2, 4.5, {1, -2, 0.1},
                      {0, 1, 0},      0};
WorldEvent bare(EventKind kind, std::uint32_t a, std::uint32_t b, std::uint32_t joint = 0) {
  WorldEvent event;
  event.kind = kind;
  event.a = BodyId{a};
  event.b = BodyId{b};
  event.joint = joint;
  return event;
}

TEST(EventCodec, EventsComeBackAndFillADatagramAtMost) {
  std::vector<WorldEvent> events(codec::kEventsPerMessage, kHit);
  events[4].kind = EventKind::contact_end;
  events[5] = bare(EventKind::joint_broke, 9, 4, limits::kJointsMax - 1);
  events[6] = bare(EventKind::left_bounds, 9, 9);
  events[7] = bare(EventKind::woke, 0, 0);
  std::vector<std::uint8_t> bytes;
  codec::encode_events(Tick{1234}, 99, events, bytes);
  EXPECT_LE(bytes.size(), limits::kMessageBytesMax);
  codec::message::Events out;
  ASSERT_TRUE(codec::decode_events(bytes, out));
  EXPECT_EQ(out.tick, Tick{1234});
  EXPECT_EQ(out.first, 99u);
  EXPECT_EQ(out.events, events);
}

TEST(EventCodec, WhatNoServerSaysIsRefused) {
  const auto sound = [](WorldEvent event) {
    std::vector<std::uint8_t> bytes;
    codec::encode_events(Tick{1}, 0, {&event, 1}, bytes);
    codec::message::Events out;
    return codec::decode_events(bytes, out);
  };
  EXPECT_TRUE(sound(kHit));
  WorldEvent bad = kHit;
  bad.b = bad.a;
  EXPECT_FALSE(sound(bad));
  bad = kHit;
  bad.part_a = 2048;
  EXPECT_FALSE(sound(bad));
  bad = kHit;
  bad.kind = static_cast<EventKind>(kEventKinds);
  EXPECT_FALSE(sound(bad));
  bad = kHit;
  bad.at.y = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(sound(bad));
  bad = kHit;
  bad.normal.x = std::nan("");
  EXPECT_FALSE(sound(bad));
  EXPECT_TRUE(sound(bare(EventKind::joint_broke, 9, 4)));
  EXPECT_FALSE(sound(bare(EventKind::joint_broke, 9, 9)));
  EXPECT_FALSE(sound(bare(EventKind::joint_broke, 9, 4, limits::kJointsMax)));
  EXPECT_FALSE(sound(bare(EventKind::fell_asleep, 9, 10)));
  bad = bare(EventKind::fell_asleep, 9, 9);
  bad.part_a = 1;
  EXPECT_FALSE(sound(bad));
}

TEST(EventCodec, QueriesAndAnswersComeBack) {
  std::vector<std::uint8_t> bytes;
  codec::encode(codec::message::Query{8, {1, 2, 3}, {-4, 5, 1e12}}, bytes);
  const auto query = codec::decode_query(bytes);
  ASSERT_TRUE(query);
  EXPECT_EQ(query->id, 8u);
  EXPECT_EQ(query->origin, (Vec3{1, 2, 3}));
  EXPECT_EQ(query->along, (Vec3{-4, 5, 1e12}));
  bytes.clear();
  codec::encode(codec::message::Answer{8, Tick{77}, true, BodyId{5}, 3, 0.25, {0, 0, -1}}, bytes);
  const auto answer = codec::decode_answer(bytes);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->tick, Tick{77});
  EXPECT_TRUE(answer->hit);
  EXPECT_EQ(answer->body, BodyId{5});
  EXPECT_EQ(answer->part, 3u);
  EXPECT_EQ(answer->fraction, 0.25);
  EXPECT_EQ(answer->normal, (Vec3{0, 0, -1}));
}

TEST(EventCodec, QueriesOutOfRangeAreRefused) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1.1e12}) {
    std::vector<std::uint8_t> bytes;
    codec::encode(codec::message::Query{1, {0, bad, 0}, {}}, bytes);
    EXPECT_FALSE(codec::decode_query(bytes)) << bad;
    bytes.clear();
    codec::encode(codec::message::Query{1, {}, {0, 0, -bad}}, bytes);
    EXPECT_FALSE(codec::decode_query(bytes)) << bad;
  }
}

// Flips a random bit of a message. Cuts up to 39 bytes off half of the messages. No decoder may
// crash.
TEST(EventCodec, TakesAnyBytes) {
  std::vector<std::vector<std::uint8_t>> messages(3);
  codec::encode_events(Tick{5}, 6, std::vector<WorldEvent>(3, kHit), messages[0]);
  codec::encode(codec::message::Query{7, {1, 2, 3}, {4, 5, 6}}, messages[1]);
  codec::encode(codec::message::Answer{7, Tick{5}, true, BodyId{1}, 0, 0.5, {0, 1, 0}},
                messages[2]);
  SplitMix64 draw(5);
  codec::message::Events out;
  int sound = 0;
  for (const std::vector<std::uint8_t>& whole : messages) {
    for (int i = 0; i < 3000; ++i) {
      std::vector<std::uint8_t> bytes(whole.begin(), whole.end() - draw.below(2) * (i % 40));
      bytes[draw.below(static_cast<std::uint32_t>(bytes.size()))] ^=
          static_cast<std::uint8_t>(1u << draw.below(8));
      sound += codec::decode_events(bytes, out) ? 1 : 0;
      sound += codec::decode_query(bytes) ? 1 : 0;
      sound += codec::decode_answer(bytes) ? 1 : 0;
    }
  }
  EXPECT_GT(sound, 100);
}

}  // namespace
}  // namespace orrery
