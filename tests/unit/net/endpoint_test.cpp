// Owns the tests of the handshake and of connections: both sides, virtual time, seeded faults.
#include <array>
#include <optional>

#include "common/core/limits.h"
#include "common/net/client_endpoint.h"
#include "common/net/cookie.h"
#include "common/net/server_endpoint.h"
#include "common/net/timing.h"
#include "gtest/gtest.h"
#include "tests/support/simulated_network.h"

namespace orrery {
namespace {

using test::address_of;
using test::LinkFaults;
using test::Port;
using test::SimulatedNetwork;

const Address kServerAddress = address_of(1, 4770);
constexpr Nanoseconds kStep = 10 * kMillisecond;

ServerConfig config(std::uint32_t clients_max = 4) {
  return {.clients_max = clients_max,
          .tick_rate = 60,
          .tick_time = 1.0 / 60,
          .scene_bodies = 3,
          .scene = "test"};
}

// A server, one client, and the network between them.
struct Pair {
  explicit Pair(std::uint64_t seed = 1, LinkFaults faults = {}, std::uint32_t clients_max = 4)
      : network(seed, faults), server(server_port, config(clients_max)) {
    client.emplace(client_port, kServerAddress, network.now);
  }

  void step() {
    network.now += kStep;
    alignas(16) std::array<std::uint8_t, limits::kDatagramBytesMax + 1> buffer;
    Address from;
    while (const auto size = server_port.receive(from, buffer)) {
      note(server.receive(from, Bytes(buffer).first(*size), network.now));
    }
    std::vector<ServerEvent> left;
    server.update(network.now, left);
    for (const ServerEvent& event : left) note(event);
    while (const auto size = client_port.receive(from, buffer)) {
      client->receive(from, Bytes(buffer).first(*size), network.now);
    }
    client->update(network.now);
  }

  void run(Nanoseconds time) {
    for (const Nanoseconds end = network.now + time; network.now < end;) step();
  }

  void note(const ServerEvent& event) {
    if (event.kind == ServerEvent::Kind::joined) ++joins;
    if (event.kind != ServerEvent::Kind::left) return;
    ++leaves;
    reason = event.reason;
  }

  ServerEvent inject(const Address& from, std::vector<std::uint8_t> bytes) {
    const ServerEvent event = server.receive(from, bytes, network.now);
    note(event);
    return event;
  }

  SimulatedNetwork network;
  Port server_port{network, kServerAddress};
  Port client_port{network, address_of(2)};
  ServerEndpoint server;
  std::optional<ClientEndpoint> client;
  int joins = 0;
  int leaves = 0;
  message::DisconnectReason reason{};
};

std::uint64_t drops(const Pair& pair, Drop drop) {
  return pair.server.counters().drops[static_cast<std::size_t>(drop)];
}

std::vector<std::uint8_t> request(std::uint64_t nonce, std::uint32_t protocol = kProtocolVersion,
                                  std::uint64_t schema = protocol_schema_hash()) {
  std::vector<std::uint8_t> bytes;
  encode_packet_header({.type = PacketType::connect_request}, bytes);
  encode(message::ConnectRequest{protocol, schema, nonce}, bytes);
  bytes.resize(limits::kConnectRequestBytes);
  return bytes;
}

std::vector<std::uint8_t> response(std::uint64_t nonce, const message::Cookie& cookie) {
  std::vector<std::uint8_t> bytes;
  encode_packet_header({.type = PacketType::response}, bytes);
  encode(message::Response{nonce, cookie}, bytes);
  return bytes;
}

TEST(Endpoint, ConnectsAndTellsTheClientWhatItNeeds) {
  Pair pair;
  pair.run(100 * kMillisecond);
  ASSERT_EQ(pair.client->state(), ClientState::connected);
  EXPECT_EQ(pair.joins, 1);
  EXPECT_EQ(pair.client->accept().client, ClientId{1});
  EXPECT_EQ(pair.client->accept().tick_rate, 60u);
  EXPECT_EQ(pair.client->accept().tick_time, 1.0 / 60);
  EXPECT_EQ(pair.client->accept().scene_bodies, 3u);
  EXPECT_EQ(pair.client->accept().scene, "test");
}

TEST(Endpoint, ConnectsOnceUnderLossDuplicationAndReordering) {
  const LinkFaults faults{
      .loss_percent = 30, .duplicate_percent = 30, .delay_max = 150 * kMillisecond};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Pair pair(seed, faults);
    pair.run(4 * kSecond);
    ASSERT_EQ(pair.client->state(), ClientState::connected);
    EXPECT_EQ(pair.joins, 1);
    EXPECT_EQ(pair.server.clients(), 1u);
    pair.run(10 * kSecond);  // keep-alives hold it
    EXPECT_EQ(pair.client->state(), ClientState::connected);
    EXPECT_EQ(pair.leaves, 0);
  }
}

TEST(Endpoint, GivesUpWhereNobodyAnswers) {
  Pair pair(1, {.loss_percent = 100});
  pair.run(kTimeout + kSecond);
  EXPECT_EQ(pair.client->end_reason(), EndReason::no_answer);
}

TEST(Endpoint, DeniesOtherVersions) {
  Pair pair;
  pair.inject(address_of(9), request(7, kProtocolVersion + 1));
  pair.inject(address_of(9), request(7, kProtocolVersion, protocol_schema_hash() ^ 1));
  EXPECT_EQ(pair.server.counters().denials, 2u);
  EXPECT_EQ(pair.server.counters().challenges, 0u);
}

TEST(Endpoint, DeniesWhereItIsFull) {
  Pair pair(1, {}, 1);
  pair.run(100 * kMillisecond);
  const Address other = address_of(3);
  Port port(pair.network, other);
  ClientEndpoint second(port, kServerAddress, pair.network.now);
  for (int i = 0; i < 10; ++i) {
    pair.step();
    alignas(16) std::array<std::uint8_t, limits::kDatagramBytesMax> buffer;
    Address from;
    while (const auto size = port.receive(from, buffer)) {
      second.receive(from, Bytes(buffer).first(*size), pair.network.now);
    }
  }
  EXPECT_EQ(second.end_reason(), EndReason::full);
  EXPECT_EQ(pair.joins, 1);
}

TEST(Endpoint, SaysGoodbyeBothWays) {
  Pair pair;
  pair.run(100 * kMillisecond);
  pair.client->disconnect(pair.network.now);
  pair.run(100 * kMillisecond);
  EXPECT_EQ(pair.leaves, 1);
  EXPECT_EQ(pair.reason, message::DisconnectReason::asked);
  EXPECT_EQ(pair.server.clients(), 0u);

  Pair stopped;
  stopped.run(100 * kMillisecond);
  stopped.server.disconnect(ClientId{1}, message::DisconnectReason::server_stopped,
                            stopped.network.now);
  stopped.run(100 * kMillisecond);
  EXPECT_EQ(stopped.client->end_reason(), EndReason::server_stopped);
}

TEST(Endpoint, EndsWhatFellSilent) {
  Pair pair;
  pair.run(100 * kMillisecond);
  std::vector<ServerEvent> left;
  pair.server.update(pair.network.now + kTimeout - kSecond, left);
  EXPECT_TRUE(left.empty());
  pair.server.update(pair.network.now + kTimeout + kSecond, left);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].reason, message::DisconnectReason::timed_out);

  Pair other;
  other.run(100 * kMillisecond);
  other.client->update(other.network.now + kTimeout + kSecond);
  EXPECT_EQ(other.client->end_reason(), EndReason::timed_out);
}

TEST(Endpoint, CookiesAreBoundToAddressNonceAndTime) {
  Pair pair;
  const Address stranger = address_of(9);
  const Nanoseconds now = 100 * kCookieSlot + 1;  // at the start of a slot
  const message::Cookie cookie = make_cookie(pair.server_port, stranger, 7, now);
  const auto good = [&](const Address& from, std::uint64_t nonce, Nanoseconds at) {
    return is_cookie(pair.server_port, cookie, from, nonce, at);
  };
  EXPECT_TRUE(good(stranger, 7, now));
  EXPECT_TRUE(good(stranger, 7, now + 2 * kCookieSlot - 2));
  EXPECT_FALSE(good(stranger, 7, now + 2 * kCookieSlot));
  EXPECT_FALSE(good(stranger, 8, now));
  EXPECT_FALSE(good(address_of(10), 7, now));
  EXPECT_FALSE(good(address_of(9, 1001), 7, now));
  EXPECT_FALSE(good(stranger, 7, now - kCookieSlot));  // of the future

  pair.network.now = now;
  pair.inject(address_of(10), response(7, cookie));
  EXPECT_EQ(drops(pair, Drop::bad_cookie), 1u);
  EXPECT_EQ(pair.joins, 0);
  pair.inject(stranger, response(7, cookie));
  EXPECT_EQ(pair.joins, 1);
}

// The cookie is still good when the response comes a second time, after the connection is over.
TEST(Endpoint, AResponseConnectsOnce) {
  Pair pair;
  const Address client = address_of(9);
  const auto again = response(7, make_cookie(pair.server_port, client, 7, pair.network.now));
  ASSERT_EQ(pair.inject(client, again).kind, ServerEvent::Kind::joined);
  pair.server.disconnect(ClientId{1}, message::DisconnectReason::asked, pair.network.now);
  pair.inject(client, again);
  EXPECT_EQ(pair.joins, 1);
  EXPECT_EQ(pair.server.clients(), 0u);
  EXPECT_EQ(drops(pair, Drop::repeated), 1u);
  // A new attempt from the same address is another matter.
  pair.inject(client, response(8, make_cookie(pair.server_port, client, 8, pair.network.now)));
  EXPECT_EQ(pair.joins, 2);
}

// Everything that a client ever sent, once more, from its address and from others.
TEST(Endpoint, ReplaysChangeNothing) {
  Pair pair;
  pair.client_port.record = true;
  pair.client->update(pair.network.now + kHandshakeInterval);
  pair.run(kSecond);
  for (int i = 0; i < 40; ++i) {
    pair.client->send_input({}, pair.network.now);
    pair.step();
  }
  const auto recorded = pair.client_port.recorded;
  ASSERT_GT(recorded.size(), 40u);
  SplitMix64 random(3);
  const std::uint64_t malformed = drops(pair, Drop::malformed);
  for (std::size_t i = 0; i < 10 * recorded.size(); ++i) {
    const auto& bytes = recorded[random.below(static_cast<std::uint32_t>(recorded.size()))];
    pair.network.now += kMillisecond * 4;
    EXPECT_EQ(pair.inject(address_of(2), bytes).kind, ServerEvent::Kind::nothing);
    EXPECT_EQ(pair.inject(address_of(66), bytes).kind, ServerEvent::Kind::nothing);
  }
  EXPECT_EQ(pair.joins, 1);
  EXPECT_EQ(pair.leaves, 0);
  EXPECT_EQ(pair.server.clients(), 1u);
  EXPECT_EQ(drops(pair, Drop::malformed), malformed);
}

// Of four goodbyes three come when the connection is over: nobody strange is at the door.
TEST(Endpoint, RepeatedGoodbyesAreNotStrangers) {
  Pair pair;
  pair.run(kSecond);
  ASSERT_EQ(pair.client->state(), ClientState::connected);
  pair.client->disconnect(pair.network.now);
  pair.run(kSecond);
  EXPECT_EQ(pair.leaves, 1);
  EXPECT_EQ(drops(pair, Drop::stranger), 0u);
  EXPECT_EQ(drops(pair, Drop::repeated), 3u);
  std::vector<std::uint8_t> bytes;
  encode_packet_header({.type = PacketType::keep_alive, .sequence = 1, .connection = 5}, bytes);
  pair.inject(address_of(9), bytes);               // from elsewhere
  pair.inject(pair.client_port.address(), bytes);  // of a connection that never was
  EXPECT_EQ(drops(pair, Drop::stranger), 2u);
}

// Sound, damaged and random datagrams from strangers: what goes back is less than a third of what
// came, to every address at every moment, and what is not sound is not answered.
TEST(Endpoint, StrangersGetLessThanTheySend) {
  Pair pair;
  SplitMix64 random(11);
  for (int i = 0; i < 20000; ++i) {
    pair.network.now += kMillisecond;
    const Address stranger = address_of(100 + random.below(50));
    std::vector<std::uint8_t> bytes = request(random.next());
    const std::uint32_t kind = random.below(4);
    if (kind == 1) bytes.resize(random.below(limits::kConnectRequestBytes));
    if (kind == 2) bytes[random.below(32)] ^= static_cast<std::uint8_t>(1 << random.below(8));
    if (kind == 3) {
      bytes.resize(random.below(1400));
      for (auto& b : bytes) b = static_cast<std::uint8_t>(random.next());
    }
    auto& in =
        pair.network
            .sent_bytes[SimulatedNetwork::key(stranger)][SimulatedNetwork::key(kServerAddress)];
    const auto& out =
        pair.network
            .sent_bytes[SimulatedNetwork::key(kServerAddress)][SimulatedNetwork::key(stranger)];
    in += bytes.size();
    const std::uint64_t before = out;
    pair.inject(stranger, bytes);
    ASSERT_LE(static_cast<double>(out), limits::kAmplificationMax * static_cast<double>(in));
    const bool silent = kind == 1 || kind == 3;
    ASSERT_TRUE(!silent || out == before) << "step " << i;
  }
  EXPECT_EQ(pair.joins, 0);
  EXPECT_GT(pair.server.counters().challenges, 4000u);
}

// However many ask, answering them takes a bounded part of the server's time.
TEST(Endpoint, StrangersAreAnsweredAtABoundedRate) {
  Pair pair;
  for (std::uint32_t i = 0; i < 20000; ++i) pair.inject(address_of(100 + i), request(i));
  const std::uint64_t at_once = pair.server.counters().challenges;
  EXPECT_EQ(at_once, kStrangerAnswersAtOnce);
  EXPECT_EQ(drops(pair, Drop::flood), 20000 - at_once);
  pair.network.now += kSecond / 10;
  for (std::uint32_t i = 0; i < 20000; ++i) pair.inject(address_of(100 + i), request(i));
  EXPECT_EQ(pair.server.counters().challenges, at_once + kStrangerAnswersPerSecond / 10);
}

TEST(Endpoint, FloodIsDroppedUnreadAndThenEndsTheConnection) {
  Pair pair;
  pair.client_port.record = true;
  pair.run(100 * kMillisecond);
  const auto keep_alive = pair.client_port.recorded.back();
  // Whoever does not know the connection cannot use up what its client may send.
  auto forged = keep_alive;
  forged[8] ^= 1;
  for (int i = 0; i < 5000; ++i) pair.inject(address_of(2), forged);
  EXPECT_EQ(drops(pair, Drop::impostor), 5000u);
  EXPECT_EQ(drops(pair, Drop::flood), 0u);

  int read = 0;
  std::uint64_t sent = 0;
  for (; pair.leaves == 0; ++sent) {
    pair.network.now += kMillisecond;  // a thousand a second, where 120 are allowed
    std::vector<std::uint8_t> bytes;
    encode_packet_header({.type = PacketType::input,
                          .sequence = static_cast<std::uint32_t>(1000 + sent),
                          .connection = ByteReader(Bytes(keep_alive).subspan(8)).u64()},
                         bytes);
    read += pair.inject(address_of(2), bytes).kind == ServerEvent::Kind::input;
    ASSERT_LT(sent, 2000u);
  }
  EXPECT_EQ(pair.reason, message::DisconnectReason::flooded);
  EXPECT_LE(read, 60 + 120 * 2 + 1);
  EXPECT_GE(read, 120);
  pair.run(100 * kMillisecond);
  EXPECT_EQ(pair.client->end_reason(), EndReason::flooded);
}

}  // namespace
}  // namespace orrery
