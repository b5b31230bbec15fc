// Tests paths that drop large datagrams without a word.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/unit/client/played.h"

namespace orrery {
namespace {

using client::ClientPhase;
using test::Played;

constexpr ClientId kClient{1};

client::ClientOptions options_of(codec::message::Mode mode) {
  client::ClientOptions options;
  options.follow = mode == codec::message::Mode::follow;
  options.plain = mode == codec::message::Mode::plain;
  return options;
}

const net::DatagramLimit& limit_of(Played& session) {
  return session.server.endpoint().peers()[kClient].link.path().datagrams();
}

constexpr auto kModes = {codec::message::Mode::plain, codec::message::Mode::delta,
                         codec::message::Mode::follow};

// Paths of 1,200 and of 576 bytes. All large datagrams of these sessions are larger.
TEST(NarrowPath, IsFoundAndNamedAndTheSessionGoesOn) {
  for (const std::size_t bytes_max : {1200u, 576u}) {
    for (const auto mode : kModes) {
      SCOPED_TRACE(testing::Message() << bytes_max << " mode " << static_cast<int>(mode));
      Played session("free:300", options_of(mode));
      session.network.bytes_max = bytes_max;
      session.run(5);
      ASSERT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
      EXPECT_TRUE(limit_of(session).drops_larger());
      EXPECT_EQ(limit_of(session).bytes_max(), net::kDatagramBytesMin);
      const client::ClientStats stats = session.client.stats();
      EXPECT_TRUE(stats.narrowed);
      ASSERT_NE(session.client.scene(), nullptr);
      EXPECT_EQ(session.frame.poses->size(), 300u);
      const double age = static_cast<double>(session.world.tick().value) - session.frame.tick;
      EXPECT_LT(age, 30);
      EXPECT_FALSE(stats.mismatch);
    }
  }
}

// Neither losses nor a path that carries nothing for a while look like such a path.
TEST(NarrowPath, LossesAndOutagesAreNone) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Played session("free:300", {}, {.loss_percent = 30, .delay_max = 60 * net::kMillisecond}, seed);
    session.run(3);
    session.network.bytes_max = 1;  // nothing reaches the client
    session.run(1.5);
    session.network.bytes_max = 0;
    session.run(3);
    ASSERT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
    EXPECT_FALSE(limit_of(session).drops_larger());
    EXPECT_EQ(limit_of(session).bytes_max(), net::kPacketBytesMax);
    EXPECT_FALSE(session.client.stats().narrowed);
  }
}

TEST(NarrowPath, AGivenLimitNeedsNoSearch) {
  for (const auto mode : kModes) {
    SCOPED_TRACE(static_cast<int>(mode));
    Played session("free:300", options_of(mode));
    session.server.limit_clients({.datagram_bytes = 1000});
    session.network.bytes_max = 1000;
    session.run(2);
    ASSERT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
    EXPECT_EQ(limit_of(session).bytes_max(), 1000u);
    EXPECT_FALSE(session.client.stats().narrowed);
    EXPECT_EQ(session.frame.poses->size(), 300u);
  }
}

// The client sends 64 commands in each tenth of a second, which need large datagrams.
TEST(NarrowPath, CommandsArriveToo) {
  Played session("free:300");
  session.network.bytes_max = 576;
  session.run(1);
  for (int i = 0; i < 40; ++i) {
    for (std::uint32_t body = 0; body < 64; ++body) {
      session.client.command(command::Impulse{BodyId{body}, {0.01f, 0, 0}}, session.now());
    }
    session.run(0.1);
  }
  session.run(2);
  const client::ClientStats stats = session.client.stats();
  EXPECT_GT(stats.commands, 200u);  // as many as the server applies
  EXPECT_EQ(stats.refused, 0u);
  EXPECT_EQ(session.client.connection()->commands().acknowledged().value, stats.commands);
}

// The path of a session gets narrower, and then wide again. It is found each time that it matters.
TEST(NarrowPath, MayBeginInTheMiddleOfASession) {
  for (const auto mode : kModes) {
    SCOPED_TRACE(static_cast<int>(mode));
    Played session("free:300", options_of(mode));
    session.run(1);
    EXPECT_FALSE(limit_of(session).drops_larger());
    for (const std::size_t bytes_max : {1200u, 576u, 508u, 0u}) {
      SCOPED_TRACE(bytes_max);
      session.network.bytes_max = bytes_max;
      session.run(2);
      ASSERT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
      const double age = static_cast<double>(session.world.tick().value) - session.frame.tick;
      EXPECT_LT(age, 30);
      EXPECT_FALSE(session.client.stats().mismatch);
    }
  }
}

// IPv6 guarantees 1,280 bytes, which leaves 1,232 for a datagram.
TEST(NarrowPath, ThatOfIpv6IsWideEnough) {
  Played session("free:300");
  session.network.bytes_max = 1280 - net::kUdpIpBytes;
  session.run(3);
  EXPECT_FALSE(limit_of(session).drops_larger());
  EXPECT_EQ(session.frame.poses->size(), 300u);
}

// A client that says that it received no large datagram gets the same packets, with more headers.
TEST(NarrowPath, ALieAboutLossesCostsLittle) {
  const auto cost = [](std::size_t bytes_max) {
    Played session("free:300", options_of(codec::message::Mode::plain));
    session.network.bytes_max = bytes_max;
    session.run(3);
    const auto before = session.server.endpoint().counters();
    session.network.bytes_max = 0;
    session.run(3);
    const auto after = session.server.endpoint().counters();
    const std::uint64_t datagrams = after.datagrams_sent - before.datagrams_sent;
    const std::uint64_t bytes = after.bytes_sent - before.bytes_sent + datagrams * net::kUdpIpBytes;
    return std::pair(static_cast<double>(datagrams), static_cast<double>(bytes));
  };
  const auto honest = cost(0);
  const auto liar = cost(1100);
  EXPECT_GT(liar.first, 1.5 * honest.first);
  EXPECT_LE(liar.first, 3 * honest.first);
  EXPECT_GE(liar.second, honest.second);         // the losses were no congestion
  EXPECT_LE(liar.second, 1.12 * honest.second);  // a seal for each piece is a part of this
}

// An attacker knows the sequences, and sends pieces in the name of the server before it does.
TEST(NarrowPath, ForgedPiecesTakeNoPlace) {
  Played session("free:300", options_of(codec::message::Mode::plain));
  session.network.bytes_max = 576;
  session.run(3);
  ASSERT_TRUE(limit_of(session).drops_larger());
  session.port.record = true;
  std::uint64_t forged = 0;
  session.run_client(3, [&] {
    session.server.tick(session.now());
    auto& sent = session.port.recorded;
    const auto is_piece = [](const auto& d) {
      return (d[0] & 0xf) == static_cast<int>(net::PacketType::piece);
    };
    const auto last = std::find_if(sent.rbegin(), sent.rend(), is_piece);
    for (std::uint64_t ahead = 0; last != sent.rend() && ahead < 9; ++ahead) {
      auto piece = *last;
      ASSERT_EQ(piece[0] >> 4, 2);  // bytes of the sequence
      const std::uint64_t sequence = load_little_endian<2>(piece.data() + 1) + ahead;
      store_little_endian<2>(piece.data() + 1, sequence);
      session.network.send(session.port.address(), session.client_port.address(), piece);
      ++forged;
    }
    sent.clear();
  });
  EXPECT_GT(forged, 1000u);
  ASSERT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
  EXPECT_LT(session.server.endpoint().peers()[kClient].link.path().loss(), 0.01);
  const double age = static_cast<double>(session.world.tick().value) - session.frame.tick;
  EXPECT_LT(age, 30);
}

TEST(NarrowPath, ForgedPiecesAreCounted) {
  Played session("free:300");
  session.run(1);
  const auto dropped = [&](net::Drop reason) {
    return session.server.endpoint().counters().drops[static_cast<std::size_t>(reason)];
  };
  std::vector<std::uint8_t> piece(net::kDatagramBytesMin, 0);
  piece[0] = 0x80 | static_cast<std::uint8_t>(net::PacketType::piece);
  piece[8] = 0x40;  // a later sequence than any client has
  session.client_port.send(session.port.address(), piece);
  session.run(0.1);
  EXPECT_EQ(dropped(net::Drop::impostor), 1u);
  piece[0] = static_cast<std::uint8_t>(net::PacketType::piece);  // without a sequence
  session.client_port.send(session.port.address(), piece);
  session.run(0.1);
  EXPECT_EQ(dropped(net::Drop::malformed), 1u);
  test::Port stranger(session.network, test::address_of(3));
  piece[0] |= 0x80;
  stranger.send(session.port.address(), piece);
  session.run(0.1);
  EXPECT_EQ(dropped(net::Drop::stranger), 1u);
  EXPECT_EQ(session.client.phase(), ClientPhase::connected);
}

}  // namespace
}  // namespace orrery
