// Tests messages against golden bytes of a second implementation, in both directions.
//
// The program tests/golden/messages/messages makes theirs.txt. The test decodes the messages of
// theirs.txt and encodes them again, which must give ours.txt. The program also checks ours.txt.
#include <iomanip>
#include <sstream>

#include "common/codec/event_codec.h"
#include "common/codec/message_codec.h"
#include "common/codec/refusal_codec.h"
#include "common/codec/snapshot_codec.h"
#include "common/net/packet/fragment.h"
#include "common/net/packet/payload.h"
#include "gtest/gtest.h"
#include "tests/support/golden_bytes.h"

namespace orrery {
namespace {

using Buffer = std::vector<std::uint8_t>;

// Returns the scene of the golden snapshot.
Scene snapshot_scene() {
  Scene scene;
  BodyDef spinning;
  spinning.position = {7.3, 8.3, 9.3};
  spinning.velocity = {-4, 0, 1024};
  spinning.angular_velocity = {0.75, -1.25, 3};
  BodyDef turned;
  turned.position = {0.1, -2e5, 3e-7};
  turned.velocity = {0.5, -1.5, 2.5};
  turned.orientation = {1.0 / 11, 2.0 / 11, 4.0 / 11, 10.0 / 11};
  scene.bodies = {turned, spinning};
  return scene;
}

template <class Message>
void append_again(Bytes theirs, std::optional<Message> (*decode)(Bytes), Buffer& out) {
  const std::optional<Message> message = decode(theirs);
  ASSERT_TRUE(message);
  codec::encode(*message, out);
}

void append_input_again(Bytes theirs, Buffer& out) {
  std::vector<codec::message::TimedCommand> commands;
  ASSERT_TRUE(codec::decode_input(theirs, ClientId{3}, commands));
  EXPECT_EQ(codec::encode_input(commands, out), 9u);
}

void append_events_again(Bytes theirs, Buffer& out) {
  codec::message::Events events;
  ASSERT_TRUE(codec::decode_events(theirs, events));
  codec::encode_events(events.tick, events.first, events.events, out);
}

void append_refusals_again(Bytes theirs, Buffer& out) {
  const auto refusals = codec::decode_refusals(theirs);
  ASSERT_TRUE(refusals);
  EXPECT_EQ(refusals->refusals[1].reason, Verdict::not_yours);
  codec::encode_refusals(refusals->first, refusals->refusals, out);
}

void append_fragments_again(Bytes theirs, Buffer& out) {
  ByteReader reader(theirs);
  ByteWriter writer(out);
  writer.varint(reader.varint());
  const auto margin = codec::CommandMargin::from_varint(reader.varint());
  EXPECT_EQ(margin.units(), -37);
  writer.varint(margin.to_varint());
  while (!reader.at_end()) {
    const std::optional<net::Fragment> fragment = net::decode_fragment(reader);
    ASSERT_TRUE(fragment);
    net::encode_fragment(*fragment, out);
  }
}

// There is no encoder for decoded snapshots, so the snapshot is made from a world.
void append_snapshot(Bytes theirs, Buffer& out) {
  codec::SnapshotPart golden, ours;
  ASSERT_TRUE(codec::decode_snapshot_part(theirs, golden));
  const World world(snapshot_scene());
  codec::SnapshotEncoder encoder;
  const std::vector<std::uint32_t> slots = {1};
  const std::vector<std::uint64_t> settled = {3};
  if (golden.presence) {
    encoder.encode(world, {slots, settled, 0});
  } else {
    encoder.encode(world);
  }
  const Bytes part = encoder.part(0, {Sequence{77}, codec::CommandMargin(-37)});
  const Buffer bytes(part.begin(), part.end());
  out.insert(out.end(), bytes.begin(), bytes.end());

  ASSERT_TRUE(codec::decode_snapshot_part(bytes, ours));
  ASSERT_EQ(golden.presence.has_value(), ours.presence.has_value());
  if (golden.presence) {
    EXPECT_EQ(golden.presence->first, ours.presence->first);
    EXPECT_EQ(golden.presence->tiles, ours.presence->tiles);
    EXPECT_EQ(golden.presence->masks, ours.presence->masks);
  }
  EXPECT_EQ(golden.tick, ours.tick);
  EXPECT_EQ(golden.report.input, ours.report.input);
  EXPECT_EQ(golden.report.margin, ours.report.margin);
  EXPECT_EQ(golden.report.margin.units(), -37);
  EXPECT_EQ(golden.part, ours.part);
  EXPECT_EQ(golden.parts, ours.parts);
  ASSERT_EQ(golden.bodies.size(), ours.bodies.size());
  for (std::size_t i = 0; i < ours.bodies.size(); ++i) {
    EXPECT_EQ(golden.bodies[i].id, ours.bodies[i].id);
    EXPECT_EQ(golden.bodies[i].prototype, ours.bodies[i].prototype);
    EXPECT_EQ(golden.bodies[i].position, ours.bodies[i].position);
    EXPECT_EQ(golden.bodies[i].velocity, ours.bodies[i].velocity);
    EXPECT_EQ(golden.bodies[i].orientation, ours.bodies[i].orientation);
    EXPECT_LE(length(golden.bodies[i].angular_velocity - ours.bodies[i].angular_velocity), 1e-6);
  }
}

// Decodes a golden message and encodes it again.
Buffer said_again(const Buffer& theirs) {
  Buffer out;
  const auto payload = net::decode_payload(theirs);
  if (!payload) return out;
  net::encode_payload_header(payload->header, out);
  switch (payload->header.type) {
    case net::MessageType::hello:
      append_again(payload->message, codec::decode_hello, out);
      break;
    case net::MessageType::welcome:
      append_again(payload->message, codec::decode_welcome, out);
      break;
    case net::MessageType::goodbye:
      append_again(payload->message, codec::decode_goodbye, out);
      break;
    case net::MessageType::input:
      append_input_again(payload->message, out);
      break;
    case net::MessageType::snapshot:
      append_snapshot(payload->message, out);
      break;
    case net::MessageType::query:
      append_again(payload->message, codec::decode_query, out);
      break;
    case net::MessageType::answer:
      append_again(payload->message, codec::decode_answer, out);
      break;
    case net::MessageType::reliable:
      append_fragments_again(payload->message, out);
      break;
    case net::MessageType::delta:
    case net::MessageType::frame_ack:  // delta_message_test
    case net::MessageType::ticket:     // ticket_test
      break;
  }
  return out;
}

std::string hexadecimal(const Buffer& bytes) {
  std::ostringstream text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && i % 48 == 0) text << '\n';
    text << std::hex << std::setw(2) << std::setfill('0') << int{bytes[i]};
  }
  return text.str();
}

TEST(GoldenMessages, WhatTheirsSayIsOursInOurBytes) {
  const test::GoldenBytes theirs = test::read_golden_bytes("messages/theirs.txt");
  const test::GoldenBytes ours = test::read_golden_bytes("messages/ours.txt");
  // theirs.txt has one message of each type from 1 to 9 except 6. It also has a second snapshot,
  // and messages of events and of refusals, which travel in fragments of reliable messages.
  EXPECT_EQ(theirs.size(), static_cast<std::size_t>(net::MessageType::reliable) + 2);
  for (const auto& [name, bytes] : theirs) {
    SCOPED_TRACE(name);
    const auto golden = ours.find(name);
    Buffer again;
    if (name == "events") {
      append_events_again(bytes, again);
    } else if (name == "refusals") {
      append_refusals_again(bytes, again);
    } else {
      again = said_again(bytes);
    }
    EXPECT_EQ(hexadecimal(again), golden == ours.end() ? "" : hexadecimal(golden->second));
  }
}

}  // namespace
}  // namespace orrery
