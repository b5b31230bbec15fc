// Tests how a server treats tokens, challenges, versions, strangers and floods.
#include "common/net/server_endpoint.h"

#include <array>
#include <vector>

#include "common/core/limits.h"
#include "gtest/gtest.h"
#include "tests/unit/net/endpoint_pair.h"

namespace orrery {
namespace {

using test::address_of;
using test::bytes_between;
using test::drops;
using test::kLaterSequence;
using test::kServerAddress;
using test::kTimeout;
using test::message_of;
using test::Pair;
using test::Port;
using test::request;
using test::sealed;
using test::token_for;
using test::TokenChoices;

// The hello contains the versions of messages that a client knows.
TEST(ServerEndpoint, EndsConnectionsOfOtherVersions) {
  const auto say_hello = [](const codec::message::Hello& hello, EndReason reason) {
    Pair pair;
    while (pair.client->state() != net::ClientState::greeting) pair.step();
    auto text = message_of(net::MessageType::hello);
    codec::encode(hello, text);
    pair.inject(address_of(2), sealed(pair.token, net::PacketType::payload, kLaterSequence, text));
    EXPECT_EQ(pair.server.peers().count(), 0u);
    pair.step();
    EXPECT_EQ(pair.client->end_reason(), reason);
    EXPECT_EQ(pair.joins + pair.leaves, 0);
  };
  say_hello({kProtocolVersion, codec::protocol_schema_hash() ^ 1, false}, EndReason::other_schema);
  say_hello({kProtocolVersion + 1, codec::protocol_schema_hash(), false},
            EndReason::other_protocol);
}

// A client that never says hello does not join and loses its slot.
TEST(ServerEndpoint, WhoDoesNotSayHelloTimesOut) {
  Pair pair;
  while (pair.client->state() != net::ClientState::greeting) pair.step();
  const std::array<std::uint8_t, net::kKeepAliveBytes> nothing{};
  const net::Nanoseconds end = pair.network.now + kTimeout + net::kSecond;
  std::vector<net::ServerEvent> left;
  for (std::uint64_t sequence = kLaterSequence; pair.network.now < end; ++sequence) {
    pair.network.now += 100 * net::kMillisecond;
    pair.inject(address_of(2), sealed(pair.token, net::PacketType::keep_alive, sequence, nothing));
    pair.server.update(pair.network.now, left);
  }
  EXPECT_EQ(pair.server.peers().count(), 0u);
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(pair.joins + pair.leaves, 0);
}

TEST(ServerEndpoint, DeniesWhereItIsFull) {
  Pair pair(1, {}, 1);
  pair.run(100 * net::kMillisecond);
  Port port(pair.network, address_of(3));
  net::ClientEndpoint second(port, token_for(pair.access, pair.network, 3), pair.network.now);
  for (int i = 0; i < 10; ++i) {
    pair.step();
    net::drain(port, [&](const net::Address& from, Bytes datagram) {
      second.receive(from, datagram, pair.network.now);
    });
  }
  EXPECT_EQ(second.end_reason(), EndReason::full);
  EXPECT_EQ(pair.joins, 1);
}

// The server silently drops tokens that it cannot open, or that have no valid role.
TEST(ServerEndpoint, TokensThatDoNotOpenAreNotAnswered) {
  Pair pair;
  const net::Address from = address_of(9);
  const auto refused = [&](const net::ConnectToken& token, net::Drop drop) {
    const std::uint64_t before = drops(pair, drop);
    pair.network.now += net::kSecond;
    pair.inject(from, request(token));
    return drops(pair, drop) == before + 1 && bytes_between(pair, kServerAddress, from) == 0;
  };
  net::Access other = pair.access;
  other.key[0] ^= 1;
  EXPECT_TRUE(refused(token_for(other, pair.network, 9), net::Drop::bad_token));
  other = pair.access;
  other.protocol_id ^= 1;
  EXPECT_TRUE(refused(token_for(other, pair.network, 9), net::Drop::bad_token));
  const TokenChoices no_role{.role = static_cast<Role>(3)};
  EXPECT_TRUE(refused(token_for(pair.access, pair.network, 9, no_role), net::Drop::bad_token));
  EXPECT_FALSE(refused(token_for(pair.access, pair.network, 9), net::Drop::bad_token));
  EXPECT_GT(bytes_between(pair, kServerAddress, from), 0u);
}

// The token is still valid when it is used again after the connection ended.
TEST(ServerEndpoint, ATokenConnectsOnce) {
  Pair pair;
  pair.run(100 * net::kMillisecond);
  ASSERT_EQ(pair.joins, 1);
  pair.client->disconnect(pair.network.now);
  pair.run(net::kSecond);
  ASSERT_EQ(pair.server.peers().count(), 0u);
  pair.client.emplace(pair.client_port, pair.token, pair.network.now);
  pair.run(net::kSecond);
  EXPECT_EQ(pair.joins, 1);
  EXPECT_GT(drops(pair, net::Drop::repeated), 0u);
  // A new token from the same address is accepted.
  pair.client.emplace(pair.client_port, token_for(pair.access, pair.network, 2), pair.network.now);
  pair.run(net::kSecond);
  EXPECT_EQ(pair.joins, 2);
}

// An attacker with two tokens gets a challenge at its own address. The attacker cannot use this
// challenge to answer for an address that it does not own.
TEST(ServerEndpoint, TheChallengeOfAnotherTokenIsNoAnswer) {
  Pair pair;
  const net::ConnectToken first = token_for(pair.access, pair.network, 5);
  ++pair.network.now;
  const net::ConnectToken second = token_for(pair.access, pair.network, 5);
  pair.inject(address_of(9), request(first));
  net::Address from;
  const auto packet = pair.network.receive(address_of(9), from).value();
  std::array<std::uint8_t, net::kPacketBytesMax> text;
  const Bytes challenge =
      net::PacketSealer(host::SodiumCipher(), first.head.protocol_id)
          .open(first.server_to_client, *net::decode_prefix(packet), packet, text)
          .value();
  pair.inject(address_of(10), request(second));
  pair.inject(address_of(10), sealed(second, net::PacketType::response, 1, challenge));
  EXPECT_EQ(drops(pair, net::Drop::malformed), 1u);
  EXPECT_EQ(pair.server.peers().count(), 0u);
  pair.inject(address_of(9), request(first));
  pair.inject(address_of(9), sealed(first, net::PacketType::response, 1, challenge));
  EXPECT_EQ(pair.server.peers().count(), 1u);
}

TEST(ServerEndpoint, AnAddressBelongsToOneAccount) {
  Pair pair;
  pair.run(100 * net::kMillisecond);
  pair.inject(address_of(2), request(token_for(pair.access, pair.network, 3)));
  EXPECT_EQ(drops(pair, net::Drop::connected), 1u);
  EXPECT_EQ(pair.server.counters().challenges, 1u);
}

// Replays random packets of a client from its own address and from another one.
TEST(ServerEndpoint, ReplaysChangeNothing) {
  Pair pair;
  pair.client_port.record = true;
  pair.client->update(pair.network.now + net::kHandshakeInterval);
  pair.run(net::kSecond);
  for (int i = 0; i < 40; ++i) {
    pair.client->send(net::MessageType::input, {}, pair.network.now);
    pair.step();
  }
  const auto recorded = pair.client_port.recorded;
  ASSERT_GT(recorded.size(), 40u);
  SplitMix64 random(3);
  const std::uint64_t malformed = drops(pair, net::Drop::malformed);
  for (std::size_t i = 0; i < 10 * recorded.size(); ++i) {
    const auto& bytes = recorded[random.below(static_cast<std::uint32_t>(recorded.size()))];
    pair.network.now += net::kMillisecond * 4;
    EXPECT_EQ(pair.inject(address_of(2), bytes).kind, net::ServerEvent::Kind::nothing);
    EXPECT_EQ(pair.inject(address_of(66), bytes).kind, net::ServerEvent::Kind::nothing);
  }
  EXPECT_EQ(pair.joins, 1);
  EXPECT_EQ(pair.leaves, 0);
  EXPECT_EQ(pair.server.peers().count(), 1u);
  EXPECT_EQ(drops(pair, net::Drop::malformed), malformed);
}

// Nine of ten copies of a disconnect packet arrive after the connection ended. They must not count
// as packets of a stranger.
TEST(ServerEndpoint, RepeatedGoodbyesAreNotStrangers) {
  Pair pair;
  pair.run(net::kSecond);
  ASSERT_EQ(pair.client->state(), net::ClientState::connected);
  pair.client->disconnect(pair.network.now);
  pair.run(net::kSecond);
  EXPECT_EQ(pair.leaves, 1);
  EXPECT_EQ(drops(pair, net::Drop::stranger), 0u);
  EXPECT_EQ(drops(pair, net::Drop::repeated), net::kDisconnectCopies - 1u);
  pair.run(net::kSecond);
  const auto late = sealed(pair.token, net::PacketType::disconnect, 7, {});
  pair.inject(pair.client_port.address(), late);
  pair.inject(address_of(9), late);  // from another address
  EXPECT_EQ(drops(pair, net::Drop::stranger), 2u);
}

// Strangers send valid, damaged and random datagrams. At any time, each address has received less
// than a third of the bytes it sent. Invalid datagrams get no answer.
TEST(ServerEndpoint, StrangersGetLessThanTheySend) {
  Pair pair(1, {}, 1000);
  SplitMix64 random(11);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    pair.network.now += 10 * net::kMillisecond;
    const std::uint32_t who = random.below(50);
    const net::Address stranger = address_of(100 + who);
    const net::ConnectToken token = token_for(pair.access, pair.network, 1000 + who);
    std::vector<std::uint8_t> bytes = request(token);
    const std::uint32_t kind = random.below(5);
    if (kind == 1) bytes.resize(random.below(net::kRequestBytes));
    if (kind == 2)
      bytes[random.below(net::kRequestBytes)] ^= static_cast<std::uint8_t>(1 << random.below(8));
    if (kind == 3) {
      bytes.resize(random.below(1400));
      for (auto& b : bytes) b = static_cast<std::uint8_t>(random.next());
    }
    if (kind == 4) bytes = sealed(token, net::PacketType::response, 0, net::ChallengeText{});
    bytes_between(pair, stranger, kServerAddress) += bytes.size();
    const std::uint64_t before = bytes_between(pair, kServerAddress, stranger);
    pair.inject(stranger, bytes);
    const std::uint64_t out = bytes_between(pair, kServerAddress, stranger);
    const std::uint64_t in = bytes_between(pair, stranger, kServerAddress);
    ASSERT_LE(static_cast<double>(out), limits::kAmplificationMax * static_cast<double>(in));
    ASSERT_TRUE(kind == 0 || out == before) << "step " << i;
  }
  EXPECT_EQ(pair.joins, 0);
  EXPECT_GT(pair.server.counters().challenges, 1000u);
}

// The memory for applicants is bounded for any number of tokens.
TEST(ServerEndpoint, ApplicantsFillNoMoreThanTheirTable) {
  Pair pair;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    pair.inject(address_of(1000 + i), request(token_for(pair.access, pair.network, 1000 + i)));
  }
  EXPECT_EQ(pair.server.counters().challenges, 16u);  // four for each client slot
  EXPECT_EQ(drops(pair, net::Drop::flood), 984u);
  std::vector<net::ServerEvent> left;
  pair.network.now += net::kTokenLifeSeconds * net::kSecond;
  pair.server.update(pair.network.now, left);
  pair.client.emplace(pair.client_port, token_for(pair.access, pair.network, 2), pair.network.now);
  pair.run(net::kSecond);
  EXPECT_EQ(pair.joins, 1);
}

TEST(ServerEndpoint, FloodIsDroppedUnreadAndThenEndsTheConnection) {
  Pair pair;
  pair.client_port.record = true;
  pair.run(100 * net::kMillisecond);
  // A sender without the key cannot use up the client's rate or move its replay window.
  auto forged = pair.client_port.recorded.back();
  forged.back() ^= 1;
  forged[1] = 0xff;
  for (int i = 0; i < 5000; ++i) pair.inject(address_of(2), forged);
  EXPECT_EQ(drops(pair, net::Drop::impostor), 5000u);
  EXPECT_EQ(drops(pair, net::Drop::flood), 0u);

  int read = 0;
  for (std::uint64_t sent = 0; pair.leaves == 0; ++sent) {
    pair.network.now += net::kMillisecond;  // 1,000 packets per second; the limit is 240
    const auto bytes = sealed(pair.token, net::PacketType::payload, kLaterSequence + sent,
                              message_of(net::MessageType::input));
    read += pair.inject(address_of(2), bytes).kind == net::ServerEvent::Kind::input;
    ASSERT_LT(sent, 2000u);
  }
  EXPECT_EQ(pair.reason, EndReason::flooded);
  EXPECT_LE(read, 60 + 240 * 2 + 1);
  EXPECT_GE(read, 240);
  pair.run(100 * net::kMillisecond);
  EXPECT_EQ(pair.client->end_reason(), EndReason::flooded);
}

}  // namespace
}  // namespace orrery
