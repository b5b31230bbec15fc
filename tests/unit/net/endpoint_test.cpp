// Tests the handshake and connections: both endpoints, virtual time, seeded faults.
#include <array>
#include <optional>
#include <set>

#include "common/core/limits.h"
#include "common/net/client_endpoint.h"
#include "common/net/drain.h"
#include "common/net/server_endpoint.h"
#include "common/net/timing.h"
#include "gtest/gtest.h"
#include "tests/support/simulated_network.h"
#include "tests/support/tokens.h"

namespace orrery {
namespace {

using test::access_of;
using test::address_of;
using test::LinkFaults;
using test::Port;
using test::SimulatedNetwork;
using test::token_for;
using test::TokenChoices;

const net::Address kServerAddress = address_of(1, 4770);
constexpr net::Nanoseconds kStep = 10 * net::kMillisecond;
constexpr net::Nanoseconds kTimeout = net::kTimeoutSeconds * net::kSecond;

net::ServerConfig config(std::uint32_t clients_max = 4) {
  return {.clients_max = clients_max,
          .tick_rate = 60,
          .tick_time = 1.0 / 60,
          .scene_bodies = 3,
          .scene = "test",
          .access = access_of(kServerAddress)};
}

// A server, one client, and the network between them.
struct Pair {
  explicit Pair(std::uint64_t seed = 1, LinkFaults faults = {}, std::uint32_t clients_max = 4,
                const TokenChoices& choices = {})
      : network(seed, faults), server(server_port, config(clients_max), network.now) {
    token = token_for(access, network, 2, choices);
    client.emplace(client_port, token, network.now);
  }

  void step() {
    network.now += kStep;
    net::drain(server_port, [&](const net::Address& from, Bytes datagram) {
      note(server.receive(from, datagram, network.now));
    });
    std::vector<net::ServerEvent> left;
    server.update(network.now, left);
    for (const net::ServerEvent& event : left) note(event);
    net::drain(client_port, [&](const net::Address& from, Bytes datagram) {
      client->receive(from, datagram, network.now);
    });
    client->update(network.now);
  }

  void run(net::Nanoseconds time) {
    for (const net::Nanoseconds end = network.now + time; network.now < end;) step();
  }

  void note(const net::ServerEvent& event) {
    if (event.kind == net::ServerEvent::Kind::joined) {
      ++joins;
      role = event.role;
    }
    if (event.kind != net::ServerEvent::Kind::left) return;
    ++leaves;
    reason = event.reason;
  }

  net::ServerEvent inject(const net::Address& from, std::vector<std::uint8_t> bytes) {
    const net::ServerEvent event = server.receive(from, bytes, network.now);
    note(event);
    return event;
  }

  SimulatedNetwork network;
  Port server_port{network, kServerAddress};
  Port client_port{network, address_of(2)};
  const net::Access access = access_of(kServerAddress);
  net::ServerEndpoint server;
  net::ConnectToken token;
  std::optional<net::ClientEndpoint> client;
  int joins = 0;
  int leaves = 0;
  codec::message::DisconnectReason reason{};
  Role role{};
};

std::uint64_t drops(const Pair& pair, net::Drop drop) {
  return pair.server.counters().drops[static_cast<std::size_t>(drop)];
}

std::uint64_t& bytes_between(Pair& pair, const net::Address& from, const net::Address& to) {
  return pair.network.sent_bytes[SimulatedNetwork::key(from)][SimulatedNetwork::key(to)];
}

std::vector<std::uint8_t> request(const net::ConnectToken& token) {
  std::vector<std::uint8_t> bytes;
  net::encode_request(token, bytes);
  return bytes;
}

std::vector<std::uint8_t> sealed(const net::ConnectToken& token, net::PacketType type,
                                 std::uint64_t sequence, Bytes text) {
  std::vector<std::uint8_t> bytes;
  net::PacketSealer(host::SodiumCipher(), token.head.protocol_id)
      .seal(token.client_to_server, type, sequence, text, bytes);
  return bytes;
}

std::vector<std::uint8_t> message_of(net::MessageType type) {
  std::vector<std::uint8_t> text;
  net::encode_payload_header({.type = type, .sequence = 1}, text);
  return text;
}

TEST(Endpoint, ConnectsAndTellsTheClientWhatItNeeds) {
  for (const Role role : {Role::watch, Role::play, Role::admin}) {
    Pair pair(1, {}, 4, {.role = role});
    pair.run(100 * net::kMillisecond);
    ASSERT_EQ(pair.client->state(), net::ClientState::connected);
    EXPECT_EQ(pair.joins, 1);
    EXPECT_EQ(pair.role, role);
    EXPECT_EQ(pair.client->welcome().role, role);
    EXPECT_EQ(pair.client->welcome().client, ClientId{1});
    EXPECT_EQ(pair.client->welcome().tick_rate, 60u);
    EXPECT_EQ(pair.client->welcome().tick_time, 1.0 / 60);
    EXPECT_EQ(pair.client->welcome().scene_bodies, 3u);
    EXPECT_EQ(pair.client->welcome().scene, "test");
  }
}

TEST(Endpoint, ConnectsOnceUnderLossDuplicationAndReordering) {
  const LinkFaults faults{
      .loss_percent = 30, .duplicate_percent = 30, .delay_max = 150 * net::kMillisecond};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Pair pair(seed, faults);
    pair.run(4 * net::kSecond);
    ASSERT_EQ(pair.client->state(), net::ClientState::connected);
    EXPECT_EQ(pair.joins, 1);
    EXPECT_EQ(pair.server.clients(), 1u);
    pair.run(10 * net::kSecond);  // keep-alives hold the connection
    EXPECT_EQ(pair.client->state(), net::ClientState::connected);
    EXPECT_EQ(pair.leaves, 0);
  }
}

TEST(Endpoint, GivesUpWhereNobodyAnswers) {
  Pair pair(1, {.loss_percent = 100});
  pair.run(kTimeout + net::kSecond);
  EXPECT_EQ(pair.client->end_reason(), net::EndReason::no_answer);
  Pair patient(1, {.loss_percent = 100}, 4, {.timeout_seconds = -1, .life = 8});
  patient.run(7 * net::kSecond);
  EXPECT_EQ(patient.client->state(), net::ClientState::requesting);
  patient.run(2 * net::kSecond);
  EXPECT_EQ(patient.client->end_reason(), net::EndReason::token_expired);
}

TEST(Endpoint, TriesTheNextServerOfTheToken) {
  Pair pair;
  pair.token.servers = {address_of(99), kServerAddress};
  pair.client.emplace(pair.client_port, pair.token, pair.network.now);
  pair.run(kTimeout - net::kSecond);
  EXPECT_EQ(pair.joins, 0);
  pair.run(2 * net::kSecond);
  EXPECT_EQ(pair.joins, 1);
  EXPECT_EQ(pair.client->server(), kServerAddress);
}

// The hello contains the versions of messages that a client knows.
TEST(Endpoint, EndsConnectionsOfOtherVersions) {
  const auto say_hello = [](const codec::message::Hello& hello, net::EndReason reason) {
    Pair pair;
    while (pair.client->state() != net::ClientState::greeting) pair.step();
    auto text = message_of(net::MessageType::hello);
    codec::encode(hello, text);
    pair.inject(address_of(2), sealed(pair.token, net::PacketType::payload, 1000, text));
    EXPECT_EQ(pair.server.clients(), 0u);
    pair.step();
    EXPECT_EQ(pair.client->end_reason(), reason);
    EXPECT_EQ(pair.joins + pair.leaves, 0);
  };
  say_hello({kProtocolVersion, codec::protocol_schema_hash() ^ 1, false},
            net::EndReason::other_schema);
  say_hello({kProtocolVersion + 1, codec::protocol_schema_hash(), false},
            net::EndReason::other_protocol);
}

// A client that never says hello does not join and loses its slot.
TEST(Endpoint, WhoDoesNotSayHelloTimesOut) {
  Pair pair;
  while (pair.client->state() != net::ClientState::greeting) pair.step();
  const std::array<std::uint8_t, net::kKeepAliveBytes> nothing{};
  const net::Nanoseconds end = pair.network.now + kTimeout + net::kSecond;
  std::vector<net::ServerEvent> left;
  for (std::uint64_t sequence = 1000; pair.network.now < end; ++sequence) {
    pair.network.now += 100 * net::kMillisecond;
    pair.inject(address_of(2), sealed(pair.token, net::PacketType::keep_alive, sequence, nothing));
    pair.server.update(pair.network.now, left);
  }
  EXPECT_EQ(pair.server.clients(), 0u);
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(pair.joins + pair.leaves, 0);
}

TEST(Endpoint, DeniesWhereItIsFull) {
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
  EXPECT_EQ(second.end_reason(), net::EndReason::full);
  EXPECT_EQ(pair.joins, 1);
}

TEST(Endpoint, SaysGoodbyeBothWays) {
  Pair pair;
  pair.run(100 * net::kMillisecond);
  pair.client->disconnect(pair.network.now);
  pair.run(100 * net::kMillisecond);
  EXPECT_EQ(pair.leaves, 1);
  EXPECT_EQ(pair.reason, codec::message::DisconnectReason::asked);
  EXPECT_EQ(pair.server.clients(), 0u);

  Pair stopped;
  stopped.run(100 * net::kMillisecond);
  stopped.server.stop(stopped.network.now);
  stopped.run(100 * net::kMillisecond);
  EXPECT_EQ(stopped.client->end_reason(), net::EndReason::server_stopped);
}

// The server may have given the client a slot before the client knows it.
TEST(Endpoint, WhoLeavesWhileItRespondsGivesUpItsSlot) {
  Pair pair;
  while (pair.client->state() != net::ClientState::responding) pair.step();
  net::Address from;
  const auto response = pair.network.receive(kServerAddress, from).value();
  pair.inject(from, response);
  ASSERT_EQ(pair.server.clients(), 1u);
  pair.client->disconnect(pair.network.now);
  pair.step();
  EXPECT_EQ(pair.server.clients(), 0u);
  EXPECT_EQ(pair.joins + pair.leaves, 0);
}

TEST(Endpoint, EndsWhatFellSilent) {
  Pair pair;
  pair.run(100 * net::kMillisecond);
  std::vector<net::ServerEvent> left;
  pair.server.update(pair.network.now + kTimeout - net::kSecond, left);
  EXPECT_TRUE(left.empty());
  pair.server.update(pair.network.now + kTimeout + net::kSecond, left);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].reason, codec::message::DisconnectReason::timed_out);

  Pair other;
  other.run(100 * net::kMillisecond);
  other.client->update(other.network.now + kTimeout + net::kSecond);
  EXPECT_EQ(other.client->end_reason(), net::EndReason::timed_out);
}

// The server silently drops tokens with a wrong time, server or key.
TEST(Endpoint, TokensThatAreNotForThisServerNowAreNotAnswered) {
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
  other = pair.access;
  other.address = address_of(5, 4770);
  EXPECT_TRUE(refused(token_for(other, pair.network, 9), net::Drop::other_server));
  const TokenChoices no_role{.role = static_cast<Role>(3)};
  EXPECT_TRUE(refused(token_for(pair.access, pair.network, 9, no_role), net::Drop::bad_token));
  // A token expires at the start of its last second.
  const TokenChoices short_life{.life = 1};
  EXPECT_TRUE(
      refused(token_for(pair.access, pair.network, 9, short_life), net::Drop::expired_token));
  const TokenChoices long_life{.life = net::kTokenLifeSeconds + 2};
  EXPECT_TRUE(
      refused(token_for(pair.access, pair.network, 9, long_life), net::Drop::expired_token));
  EXPECT_FALSE(refused(token_for(pair.access, pair.network, 9), net::Drop::bad_token));
  EXPECT_GT(bytes_between(pair, kServerAddress, from), 0u);
}

// The token is still valid when it is used again after the connection ended.
TEST(Endpoint, ATokenConnectsOnce) {
  Pair pair;
  pair.run(100 * net::kMillisecond);
  ASSERT_EQ(pair.joins, 1);
  pair.client->disconnect(pair.network.now);
  pair.run(net::kSecond);
  ASSERT_EQ(pair.server.clients(), 0u);
  pair.client.emplace(pair.client_port, pair.token, pair.network.now);
  pair.run(net::kSecond);
  EXPECT_EQ(pair.joins, 1);
  EXPECT_GT(drops(pair, net::Drop::repeated), 0u);
  // A new token from the same address is accepted.
  pair.client.emplace(pair.client_port, token_for(pair.access, pair.network, 2), pair.network.now);
  pair.run(net::kSecond);
  EXPECT_EQ(pair.joins, 2);
}

// An attacker with two tokens cannot answer a challenge sent to an address that it does not own.
TEST(Endpoint, TheChallengeOfAnotherTokenIsNoAnswer) {
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
  EXPECT_EQ(pair.server.clients(), 0u);
  pair.inject(address_of(9), request(first));
  pair.inject(address_of(9), sealed(first, net::PacketType::response, 1, challenge));
  EXPECT_EQ(pair.server.clients(), 1u);
}

TEST(Endpoint, AnAccountIsConnectedOnce) {
  Pair pair;
  pair.run(100 * net::kMillisecond);
  pair.inject(address_of(9), request(token_for(pair.access, pair.network, 2)));
  EXPECT_EQ(drops(pair, net::Drop::connected), 1u);
  pair.inject(address_of(2), request(token_for(pair.access, pair.network, 3)));
  EXPECT_EQ(drops(pair, net::Drop::connected), 2u);
  EXPECT_EQ(pair.server.counters().challenges, 1u);
}

// No sequence is used twice under one key, for any losses and repeats.
TEST(Endpoint, NoSequenceIsSentTwice) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Pair pair(seed,
              {.loss_percent = 30, .duplicate_percent = 20, .delay_max = 100 * net::kMillisecond});
    pair.server_port.record = pair.client_port.record = true;
    pair.run(4 * net::kSecond);
    pair.server.stop(pair.network.now);
    pair.client->disconnect(pair.network.now);
    for (const Port* port : {&pair.server_port, &pair.client_port}) {
      std::set<std::uint64_t> sent;
      for (const auto& bytes : port->recorded) {
        if (const auto prefix = net::decode_prefix(bytes)) {
          EXPECT_TRUE(sent.insert(prefix->sequence).second) << prefix->sequence;
        }
      }
      EXPECT_GT(sent.size(), 30u);
    }
  }
}

// Replays every packet of a client from its own address and from others.
TEST(Endpoint, ReplaysChangeNothing) {
  Pair pair;
  pair.client_port.record = true;
  pair.client->update(pair.network.now + net::kHandshakeInterval);
  pair.run(net::kSecond);
  for (int i = 0; i < 40; ++i) {
    pair.client->send_input({}, pair.network.now);
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
  EXPECT_EQ(pair.server.clients(), 1u);
  EXPECT_EQ(drops(pair, net::Drop::malformed), malformed);
}

// Nine of ten disconnect packets arrive after the connection ended. They must not count as
// strangers'.
TEST(Endpoint, RepeatedGoodbyesAreNotStrangers) {
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
TEST(Endpoint, StrangersGetLessThanTheySend) {
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
TEST(Endpoint, ApplicantsFillNoMoreThanTheirTable) {
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

TEST(Endpoint, FloodIsDroppedUnreadAndThenEndsTheConnection) {
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
    pair.network.now += net::kMillisecond;  // 1,000 per second; the limit is 240
    const auto bytes = sealed(pair.token, net::PacketType::payload, 1000 + sent,
                              message_of(net::MessageType::input));
    read += pair.inject(address_of(2), bytes).kind == net::ServerEvent::Kind::input;
    ASSERT_LT(sent, 2000u);
  }
  EXPECT_EQ(pair.reason, codec::message::DisconnectReason::flooded);
  EXPECT_LE(read, 60 + 240 * 2 + 1);
  EXPECT_GE(read, 240);
  pair.run(100 * net::kMillisecond);
  EXPECT_EQ(pair.client->end_reason(), net::EndReason::flooded);
}

}  // namespace
}  // namespace orrery
