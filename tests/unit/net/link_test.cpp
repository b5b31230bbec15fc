// Tests the two sides of a link against each other, without endpoints.
#include "common/net/channel/link.h"

#include <array>
#include <vector>

#include "common/host/net/sodium_cipher.h"
#include "gtest/gtest.h"
#include "tests/support/simulated_network.h"

namespace orrery {
namespace {

constexpr net::Nanoseconds kNow = 5 * net::kSecond;
const std::array<std::uint8_t, net::kKeepAliveBytes> kNothing{};

net::LinkKeys keys(std::uint8_t receive, std::uint8_t send) {
  net::LinkKeys keys;
  keys.receive.fill(receive);
  keys.send.fill(send);
  return keys;
}

// Both sides of a connection, and the last packet that one of them sealed.
struct Sides {
  test::SimulatedNetwork network{1, {}};
  test::Port port{network, test::address_of(1)};
  net::Link here{test::address_of(2), keys(1, 2), net::PacketSequences(), kNow};
  net::Link there{test::address_of(1), keys(2, 1), net::PacketSequences(), kNow};
  host::SodiumCipher cipher;
  net::PacketSealer sealer{cipher, net::kDefaultProtocolId};
  std::vector<std::uint8_t> packet;
  std::array<std::uint8_t, net::kPacketBytesMax> text{};

  void seal(net::Link& from, net::PacketType type, Bytes bytes) {
    packet.clear();
    from.seal(sealer, type, bytes, kNow, packet);
  }
  // Seals a message that has only its header.
  void say(net::Link& from, net::MessageType type) {
    std::vector<std::uint8_t> payload;
    from.append_header(type, 0, port, kNow, payload);
    seal(from, net::PacketType::payload, payload);
  }
  std::variant<Bytes, net::Drop> open(net::Link& at) {
    return at.open(sealer, *net::decode_prefix(packet), packet, text);
  }
  // Opens the packet and records its message.
  void hear(net::Link& at, net::Nanoseconds now) {
    const auto opened = open(at);
    ASSERT_TRUE(std::holds_alternative<Bytes>(opened));
    EXPECT_TRUE(at.record(net::decode_payload(std::get<Bytes>(opened))->header, now));
  }
};

TEST(Link, OpensEachPacketOnceAndOnlyWithItsKey) {
  Sides sides;
  sides.seal(sides.here, net::PacketType::keep_alive, kNothing);
  EXPECT_EQ(std::get<net::Drop>(sides.open(sides.here)), net::Drop::impostor);
  EXPECT_EQ(std::get<Bytes>(sides.open(sides.there)).size(), kNothing.size());
  EXPECT_EQ(std::get<net::Drop>(sides.open(sides.there)), net::Drop::repeated);
}

// A damaged packet does not open. It must not use up its sequence, because the real packet would
// then be dropped.
TEST(Link, MarksOnlyPacketsThatOpen) {
  Sides sides;
  sides.seal(sides.here, net::PacketType::keep_alive, kNothing);
  sides.packet.back() ^= 1;
  EXPECT_EQ(std::get<net::Drop>(sides.open(sides.there)), net::Drop::impostor);
  sides.packet.back() ^= 1;
  EXPECT_TRUE(std::holds_alternative<Bytes>(sides.open(sides.there)));
}

// A challenge has a sequence far from all those of a connection, which the replay window would
// refuse. Packets of the handshake are therefore not checked against the window, and open more than
// once.
TEST(Link, OpensPacketsOfTheHandshakeRepeatedly) {
  Sides sides;
  sides.sealer.seal(keys(1, 2).send, net::PacketType::challenge, net::PacketSequences::kEnd + 7,
                    net::ChallengeText{}, sides.packet);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(std::holds_alternative<Bytes>(sides.open(sides.there)));
  }
}

TEST(Link, MeasuresThePathByAcknowledgements) {
  Sides sides;
  sides.say(sides.here, net::MessageType::input);
  sides.hear(sides.there, kNow);
  EXPECT_EQ(sides.here.path().round_trip(), 0u);
  sides.say(sides.there, net::MessageType::snapshot);
  sides.hear(sides.here, kNow + 30 * net::kMillisecond);
  EXPECT_EQ(sides.here.path().round_trip(), 30 * net::kMillisecond);
}

TEST(Link, DoesNotBelieveWhatItNeverSent) {
  Sides sides;
  sides.say(sides.here, net::MessageType::snapshot);
  EXPECT_TRUE(sides.here.record({.sequence = 1, .ack = 1}, kNow));
  EXPECT_FALSE(sides.here.record({.sequence = 2, .ack = 2}, kNow));
}

TEST(Link, CountsItsBytesAndTimes) {
  Sides sides;
  const std::size_t expected = sides.here.next_packet_bytes(kNothing.size());
  sides.seal(sides.here, net::PacketType::keep_alive, kNothing);
  EXPECT_EQ(sides.packet.size(), expected);
  EXPECT_EQ(sides.here.bytes_sent(), expected);
  EXPECT_EQ(sides.here.quiet(kNow + net::kSecond), net::kSecond);
  EXPECT_EQ(sides.here.silence(kNow + net::kSecond), net::kSecond);
  sides.here.hear(kNow + net::kSecond);
  EXPECT_EQ(sides.here.silence(kNow + net::kSecond), 0u);
}

TEST(Link, WritesReliableMessagesOnlyIfFragmentsAreDue) {
  Sides sides;
  std::vector<std::uint8_t> message;
  EXPECT_FALSE(sides.here.write_reliable({Sequence{5}, {}}, kNow, message));
  EXPECT_EQ(message, (std::vector<std::uint8_t>{5, 0}));  // only the report
  sides.here.enable(net::ReliableChannel::follow_server());
  EXPECT_TRUE(sides.here.is_reliable());
  EXPECT_FALSE(sides.here.write_reliable({Sequence{5}, {}}, kNow, message));
  sides.here.sender().send(std::make_shared<const std::vector<std::uint8_t>>(9));
  EXPECT_TRUE(sides.here.write_reliable({Sequence{5}, {}}, kNow, message));
  EXPECT_GT(message.size(), 9u);
}

// A message with the longest command report still has room for a full fragment.
TEST(Link, AFullFragmentFitsBesideTheLongestReport) {
  Sides sides;
  sides.here.enable(net::ReliableChannel::follow_server());
  sides.here.sender().send(std::make_shared<const std::vector<std::uint8_t>>(5000));
  const codec::CommandReport longest{Sequence{0xffffffff}, codec::CommandMargin(32767)};
  std::vector<std::uint8_t> message;
  EXPECT_TRUE(sides.here.write_reliable(longest, kNow, message));
  EXPECT_EQ(message.size(), limits::kMessageBytesMax);
}

TEST(Link, StartsAgainWithAnotherServer) {
  Sides sides;
  sides.seal(sides.here, net::PacketType::keep_alive, kNothing);
  ASSERT_TRUE(std::holds_alternative<Bytes>(sides.open(sides.there)));
  const std::size_t bytes = sides.there.next_packet_bytes(0);
  sides.there.move_to(test::address_of(9));
  EXPECT_EQ(sides.there.address(), test::address_of(9));
  EXPECT_EQ(sides.there.next_packet_bytes(0), bytes);
  EXPECT_TRUE(std::holds_alternative<Bytes>(sides.open(sides.there)));  // new replay window
}

}  // namespace
}  // namespace orrery
