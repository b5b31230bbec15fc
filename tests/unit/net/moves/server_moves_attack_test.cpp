// Tests who cannot move a connection, nor keep its client from moving it.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/net/moves/journey.h"

namespace orrery {
namespace {

using test::address_of;
using test::config;
using test::first_of;
using test::Journey;
using test::kServerAddress;
using test::move_of;

// A client asks again by another socket, and keeps the old one. The challenge for its first
// request, or for a copy of it, is valid only for the old address.
TEST(Moves, AChallengeForAnOlderSocketIsIgnored) {
  Journey journey;
  journey.connect();
  journey.connect();
  journey.run(net::kSecond);
  EXPECT_TRUE(journey.connected());
}

// A denial of a token that can still make a connection could be kept, and sent to its client later.
TEST(Moves, AnUnusedTokenGetsNoAnswer) {
  Journey journey;
  journey.inject(address_of(70), move_of(journey.token));
  EXPECT_EQ(journey.dropped(net::Drop::stranger), 1u);
  net::Address from;
  EXPECT_FALSE(journey.network.receive(address_of(70), from));
}

// Anybody can copy a move. It must not keep its client from moving.
TEST(Moves, ACopiedMoveBlocksNobody) {
  Journey journey;
  journey.connect();
  journey.run(net::kSecond);
  const net::Address before = journey.seen_at();
  journey.laptop.move_to(60);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    journey.inject(address_of(1000 + i), move_of(journey.token));
  }
  EXPECT_EQ(journey.seen_at(), before);
  journey.run(2 * net::kSecond);
  EXPECT_EQ(journey.server->counters().moves, 1u);
  EXPECT_TRUE(journey.connected());
}

TEST(Moves, AnAnswerIsGoodForItsAddressAndOnce) {
  Journey journey;
  journey.connect();
  journey.run(net::kSecond);
  journey.laptop.record = true;
  journey.move_to(60);
  const net::Address first = journey.seen_at();
  const auto answer = first_of(journey.laptop, net::PacketType::moved);
  ASSERT_FALSE(answer.empty());
  journey.move_to(61);
  const net::Address second = journey.seen_at();
  ASSERT_NE(first, second);
  journey.inject(first, answer);  // nobody can move the client back
  EXPECT_EQ(journey.dropped(net::Drop::repeated), 1u);
  journey.inject(address_of(70), answer);
  EXPECT_EQ(journey.dropped(net::Drop::repeated), 2u);
  EXPECT_EQ(journey.seen_at(), second);
}

// The server pauses, and the client answers its challenge several times. The first answer moves it.
// When it has moved on, somebody repeats the others.
TEST(Moves, ALaterAnswerToTheSameChallengeMovesNobodyBack) {
  Journey journey;
  journey.connect();
  journey.run(net::kSecond);
  journey.laptop.record = true;
  journey.laptop.move_to(60);
  while (first_of(journey.laptop, net::PacketType::moved).empty()) journey.step();
  journey.serves = false;
  journey.run(net::kSecond / 2);
  journey.serves = true;
  journey.run(net::kSecond);
  const net::Address first = journey.seen_at();
  const auto recorded = journey.laptop.recorded;
  journey.move_to(61);
  const net::Address second = journey.seen_at();
  ASSERT_NE(first, second);
  int answers = 0;
  for (const auto& bytes : recorded) {
    if (bytes[0] != static_cast<std::uint8_t>(net::PacketType::moved)) continue;
    ++answers;
    journey.inject(first, bytes);
    EXPECT_EQ(journey.seen_at(), second);
  }
  EXPECT_GT(answers, 1);
}

// An answer is lost, and its client moves on. Then somebody who has recorded the answer sends it.
TEST(Moves, ALostAnswerMovesNobodyBack) {
  Journey journey;
  journey.connect();
  journey.run(net::kSecond);
  journey.laptop.record = true;
  journey.laptop.move_to(60);
  while (first_of(journey.laptop, net::PacketType::moved).empty()) journey.step();
  const auto answer = first_of(journey.laptop, net::PacketType::moved);
  const auto route = static_cast<std::uint16_t>(journey.laptop.routes());
  net::drain(journey.port, [](const net::Address&, Bytes) {});
  journey.move_to(61);
  const net::Address second = journey.seen_at();
  journey.inject(address_of(60, static_cast<std::uint16_t>(1000 + route)), answer);
  EXPECT_EQ(journey.dropped(net::Drop::repeated), 1u);
  EXPECT_EQ(journey.seen_at(), second);
}

// A man in the middle sends the answer from another address, before the client's own arrives.
TEST(Moves, AnAnswerFromAnotherAddressIsRefused) {
  Journey journey;
  journey.connect();
  journey.run(net::kSecond);
  const net::Address before = journey.seen_at();
  journey.laptop.record = true;
  journey.laptop.move_to(60);
  while (first_of(journey.laptop, net::PacketType::moved).empty()) journey.step();
  const auto answer = first_of(journey.laptop, net::PacketType::moved);
  journey.inject(address_of(70), answer);
  EXPECT_EQ(journey.dropped(net::Drop::malformed), 1u);
  EXPECT_EQ(journey.seen_at(), before);
  journey.run(net::kSecond);  // the client repeats it under another sequence
  EXPECT_EQ(journey.server->counters().moves, 1u);
}

// The man in the middle is always faster. His copies must not use up the sequences of the client.
TEST(Moves, ACopiedAnswerBlocksNobody) {
  Journey journey;
  journey.connect();
  journey.run(net::kSecond);
  journey.laptop.record = true;
  journey.laptop.move_to(60);
  std::size_t copied = 0;
  for (int i = 0; i < 300 && journey.server->counters().moves == 0; ++i) {
    journey.network.now += test::kStep;
    journey.client->update(journey.network.now);
    for (; copied < journey.laptop.recorded.size(); ++copied) {
      const auto& bytes = journey.laptop.recorded[copied];
      if (bytes[0] == static_cast<std::uint8_t>(net::PacketType::moved)) {
        journey.inject(address_of(70), bytes);
      }
    }
    journey.step();
  }
  EXPECT_GT(journey.dropped(net::Drop::malformed), 0u);
  EXPECT_EQ(journey.server->counters().moves, 1u);
  EXPECT_EQ(journey.dropped(net::Drop::repeated), 0u);
}

// The server pauses, so that its client looks for another path. Then packets of the old path and
// the client's answer to the challenge cross each other.
TEST(Moves, APacketOfTheOldPathSplitsNoConnection) {
  std::uint64_t moves = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Journey journey(seed, {.delay_max = 150 * net::kMillisecond});
    journey.connect();
    journey.run(2 * net::kSecond);
    ASSERT_TRUE(journey.connected());
    journey.serves = false;
    journey.run(net::kReturnAfter + seed % 20 * 20 * net::kMillisecond);
    journey.serves = true;
    journey.run(3 * net::kSecond);
    moves += journey.server->counters().moves;
    ASSERT_TRUE(journey.connected());
    const net::Nanoseconds now = journey.network.now;
    EXPECT_LT(journey.server->peers()[ClientId{1}].link.silence(now), net::kSecond);
    EXPECT_FALSE(journey.client->is_silent(now));
  }
  EXPECT_GT(moves, 0u);  // otherwise nothing was tried
}

// Somebody replays the challenge of another address to the client, before each real one.
TEST(Moves, AReplayedChallengeBlocksNobody) {
  Journey journey;
  journey.connect();
  journey.run(net::kSecond);
  journey.inject(address_of(70), move_of(journey.token));
  journey.run(net::kSecond);
  net::Address from;
  const auto challenge = journey.network.receive(address_of(70), from);
  ASSERT_TRUE(challenge);
  journey.laptop.move_to(60);
  for (int i = 0; i < 300 && journey.server->counters().moves == 0; ++i) {
    const auto route = static_cast<std::uint32_t>(journey.laptop.routes());
    journey.client->receive(kServerAddress, *challenge, journey.network.now, route);
    journey.step();
  }
  EXPECT_EQ(journey.server->counters().moves, 1u);
}

// A server of the token that never had the connection says so. Its denial is replayed as one of the
// server that has it.
TEST(Moves, TheDenialOfAnotherServerEndsNothing) {
  Journey journey;
  const net::Address elsewhere = address_of(99);
  journey.token = test::token_for(journey.access, journey.network, 2, {.also = {elsewhere}});
  journey.token.servers = {kServerAddress, elsewhere};
  net::ServerConfig second = config();
  second.access.address = elsewhere;
  test::Port port(journey.network, elsewhere);
  net::ServerEndpoint other(port, second, journey.network.now);
  journey.connect();
  journey.run(60 * net::kSecond);  // the token can make no connection any more
  ASSERT_TRUE(journey.connected());
  other.receive(address_of(70), move_of(journey.token), journey.network.now);
  std::vector<net::ServerEvent> left;
  other.update(journey.network.now, left);
  journey.network.now += net::kSecond;
  net::Address from;
  const auto denial = journey.network.receive(address_of(70), from);
  ASSERT_TRUE(denial);
  journey.serves = false;
  journey.run(2 * net::kSecond);
  const auto route = static_cast<std::uint32_t>(journey.laptop.routes());
  journey.client->receive(kServerAddress, *denial, journey.network.now, route);
  journey.serves = true;
  journey.run(3 * net::kSecond);
  EXPECT_TRUE(journey.connected());
}

TEST(Moves, MeaninglessPacketsAreDropped) {
  Journey journey;
  journey.connect();
  journey.run(net::kSecond);
  for (std::size_t size = 1; size < 400; ++size) {
    for (const auto type : {net::PacketType::move, net::PacketType::moved}) {
      std::vector<std::uint8_t> bytes(size, static_cast<std::uint8_t>(size));
      bytes[0] = static_cast<std::uint8_t>(type);
      if (size > 4) bytes[1] = bytes[2] = bytes[3] = bytes[4] = static_cast<std::uint8_t>(size % 6);
      journey.inject(address_of(70), bytes);
    }
  }
  journey.run(net::kSecond);
  EXPECT_TRUE(journey.connected());
  EXPECT_EQ(journey.server->counters().moves, 0u);
}

// Two clients cannot have one address.
TEST(Moves, AnAddressInUseIsRefused) {
  Journey journey;
  journey.connect();
  journey.run(net::kSecond);
  test::Port other(journey.network, address_of(80));
  net::ClientEndpoint second(other, test::token_for(journey.access, journey.network, 3),
                             journey.network.now);
  for (int i = 0; i < 50; ++i) {
    journey.step();
    net::drain(other, [&](const net::Address& from, Bytes datagram) {
      second.receive(from, datagram, journey.network.now);
    });
    second.update(journey.network.now);
  }
  ASSERT_EQ(second.state(), net::ClientState::connected);
  journey.inject(address_of(80), move_of(journey.token));
  EXPECT_EQ(journey.dropped(net::Drop::connected), 1u);
}

}  // namespace
}  // namespace orrery
