// Tests how a newer connection of a client id takes the place of the older one.
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/net/endpoint_pair.h"

namespace orrery {
namespace {

using test::address_of;
using test::drops;
using test::kServerAddress;
using test::LinkFaults;
using test::Pair;
using test::Port;
using test::request;
using test::sealed;
using test::token_for;

constexpr std::uint64_t kAccount = 2;  // of the client of a Pair
constexpr net::Nanoseconds kAWhile = 300 * net::kMillisecond;

// Another device with its own address.
struct Device {
  Device(Pair& of, std::uint32_t host) : pair(of), port(of.network, address_of(host)) {}

  void connect(const net::ConnectToken& token) { client.emplace(port, token, pair.network.now); }
  void connect(std::uint64_t account = kAccount) {
    ++pair.network.now;  // makes every token different
    connect(token_for(pair.access, pair.network, account));
  }
  void step() {
    net::drain(port, [&](const net::Address& from, Bytes datagram) {
      if (client) client->receive(from, datagram, pair.network.now);
    });
    if (client) client->update(pair.network.now);
  }
  bool connected() const { return client->state() == net::ClientState::connected; }

  Pair& pair;
  Port port;
  std::optional<net::ClientEndpoint> client;
};

// Runs the pair and the devices.
void run(Pair& pair, std::vector<Device*> devices, net::Nanoseconds time) {
  for (const net::Nanoseconds end = pair.network.now + time; pair.network.now < end;) {
    pair.step();
    for (Device* const device : devices) device->step();
  }
}

// Returns the text of the challenge that the server sent to an address for a token.
std::vector<std::uint8_t> challenge_for(Pair& pair, const net::Address& at,
                                        const net::ConnectToken& token) {
  net::Address from;
  const auto packet = pair.network.receive(at, from).value();
  std::array<std::uint8_t, net::kPacketBytesMax> text;
  const Bytes opened = net::PacketSealer(host::SodiumCipher(), token.head.protocol_id)
                           .open(token.server_to_client, *net::decode_prefix(packet), packet, text)
                           .value();
  return {opened.begin(), opened.end()};
}

TEST(Replacement, ANewerConnectionTakesTheSlotOfTheOlder) {
  Pair pair;
  pair.run(kAWhile);
  Device other(pair, 7), second(pair, 3);
  other.connect(7);
  run(pair, {&other}, kAWhile);
  second.connect();
  run(pair, {&other, &second}, kAWhile);
  EXPECT_EQ(pair.client->end_reason(), EndReason::replaced);
  ASSERT_TRUE(second.connected());
  EXPECT_EQ(second.client->welcome().client, ClientId{1});
  EXPECT_TRUE(other.connected());
  EXPECT_EQ(pair.joins, 3);
  EXPECT_EQ(pair.leaves, 1);
  EXPECT_EQ(pair.reason, EndReason::replaced);
  EXPECT_EQ(pair.server.peers().count(), 2u);
  EXPECT_EQ(pair.server.counters().replacements, 1u);
}

// When the response of the newer client arrives, the server reports that the older client has left.
// The newer client joins only later, with its hello.
TEST(Replacement, TheOlderLeavesBeforeTheNewerJoins) {
  Pair pair;
  pair.run(kAWhile);
  const net::Address from = address_of(9);
  const net::ConnectToken token = token_for(pair.access, pair.network, kAccount);
  EXPECT_EQ(pair.inject(from, request(token)).kind, net::ServerEvent::Kind::nothing);
  const auto challenge = challenge_for(pair, from, token);
  const auto left = pair.inject(from, sealed(token, net::PacketType::response, 1, challenge));
  EXPECT_EQ(left.kind, net::ServerEvent::Kind::left);
  EXPECT_EQ(left.client, ClientId{1});
  EXPECT_FALSE(pair.server.peers()[ClientId{1}].joined);
  auto hello = test::message_of(net::MessageType::hello);
  codec::encode(codec::message::Hello{kProtocolVersion, codec::protocol_schema_hash(), false},
                hello);
  const auto joined = pair.inject(from, sealed(token, net::PacketType::payload, 2, hello));
  EXPECT_EQ(joined.kind, net::ServerEvent::Kind::joined);
  EXPECT_EQ(joined.client, ClientId{1});
}

// A client that never said hello has not joined, so it does not leave.
TEST(Replacement, NobodyLeavesIfTheOlderHadNotJoined) {
  Pair pair;
  while (pair.client->state() != net::ClientState::greeting) pair.step();
  net::Address from;
  while (pair.network.receive(kServerAddress, from)) {  // its hello gets lost
  }
  Device second(pair, 3);
  second.connect();
  pair.client.emplace(pair.client_port, token_for(pair.access, pair.network, 99),
                      pair.network.now);  // replaces the older client, which sends nothing more
  run(pair, {&second}, kAWhile);
  EXPECT_TRUE(second.connected());
  EXPECT_EQ(pair.server.counters().replacements, 1u);
  EXPECT_EQ(pair.leaves, 0);
}

// A request is sent in the clear, so anybody on the way can copy it.
TEST(Replacement, ARequestAloneEndsNothing) {
  Pair pair;
  pair.client_port.record = true;
  pair.client->update(pair.network.now + net::kHandshakeInterval);
  pair.run(kAWhile);
  const auto overheard = pair.client_port.recorded;
  const net::ConnectToken fresh = token_for(pair.access, pair.network, kAccount);
  for (std::uint32_t host : {2u, 9u}) {  // from the client's address, and from another
    pair.inject(address_of(host), request(fresh));
    for (const auto& bytes : overheard) pair.inject(address_of(host), bytes);
    pair.inject(address_of(host),
                sealed(fresh, net::PacketType::response, 1, net::ChallengeText{}));
  }
  pair.run(kAWhile);
  EXPECT_EQ(pair.client->state(), net::ClientState::connected);
  EXPECT_EQ(pair.leaves, 0);
  EXPECT_EQ(pair.server.counters().replacements, 0u);
}

// A program that was killed starts again on the same port.
TEST(Replacement, WorksFromTheSameAddress) {
  Pair pair;
  pair.run(kAWhile);
  pair.client.emplace(pair.client_port, token_for(pair.access, pair.network, kAccount),
                      pair.network.now);
  pair.run(kAWhile);
  EXPECT_EQ(pair.client->state(), net::ClientState::connected);
  EXPECT_EQ(pair.joins, 2);
  EXPECT_EQ(pair.leaves, 1);
  EXPECT_EQ(pair.server.peers().count(), 1u);
  pair.run(10 * net::kSecond);
  EXPECT_EQ(pair.client->state(), net::ClientState::connected);
}

TEST(Replacement, GetsInWhereTheServerIsFull) {
  Pair pair(1, {}, 1);
  pair.run(kAWhile);
  Device stranger(pair, 7), second(pair, 3);
  stranger.connect(7);
  second.connect();
  run(pair, {&stranger, &second}, kAWhile);
  EXPECT_EQ(stranger.client->end_reason(), EndReason::full);
  EXPECT_TRUE(second.connected());
  EXPECT_EQ(pair.client->end_reason(), EndReason::replaced);
}

// Replays all packets of the older connection: from its own address, from the newer one's, and from
// a third.
TEST(Replacement, OldPacketsEndNothing) {
  Pair pair;
  pair.client_port.record = true;
  pair.client->update(pair.network.now + net::kHandshakeInterval);
  pair.run(net::kSecond);
  pair.client->disconnect(pair.network.now);
  net::Address from;
  // discards all packets to the server, also the disconnect
  while (pair.network.receive(kServerAddress, from)) {
  }
  const auto overheard = pair.client_port.recorded;
  Device second(pair, 3);
  second.connect();
  run(pair, {&second}, kAWhile);
  ASSERT_TRUE(second.connected());
  const int joins = pair.joins, leaves = pair.leaves;
  for (int round = 0; round < 10; ++round) {
    for (const auto& bytes : overheard) {
      for (std::uint32_t host : {2u, 3u, 9u}) {
        pair.network.now += net::kMillisecond;
        EXPECT_EQ(pair.inject(address_of(host), bytes).kind, net::ServerEvent::Kind::nothing);
      }
    }
  }
  run(pair, {&second}, kAWhile);
  EXPECT_TRUE(second.connected());
  EXPECT_EQ(pair.joins, joins);
  EXPECT_EQ(pair.leaves, leaves);
}

// After it was replaced, the older client cannot return with the token that it used, nor with
// another token that is older than the newer client's.
TEST(Replacement, TheOlderClientDoesNotComeBackWithAnOlderToken) {
  Pair pair;
  ++pair.network.now;  // makes every token different
  const net::ConnectToken left_over = token_for(pair.access, pair.network, kAccount);
  pair.network.now += net::kSecond;
  pair.run(kAWhile);
  Device second(pair, 3);
  second.connect();
  run(pair, {&second}, kAWhile);
  ASSERT_EQ(pair.client->end_reason(), EndReason::replaced);
  pair.client.emplace(pair.client_port, pair.token, pair.network.now);
  run(pair, {&second}, kAWhile);
  EXPECT_EQ(pair.client->end_reason(), EndReason::refused_used);
  pair.client.emplace(pair.client_port, left_over, pair.network.now);
  run(pair, {&second}, test::kTimeout + net::kSecond);
  EXPECT_EQ(pair.client->end_reason(), EndReason::refused_superseded);
  EXPECT_TRUE(second.connected());
  EXPECT_EQ(pair.server.counters().replacements, 1u);
}

// Of two tokens of one client, the newer one wins, whichever request or response arrives first.
TEST(Replacement, TheNewerOfTwoTokensWinsTheRace) {
  const LinkFaults faults{
      .loss_percent = 20, .duplicate_percent = 20, .delay_max = 150 * net::kMillisecond};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Pair pair(seed, faults);
    pair.client->disconnect(pair.network.now);
    pair.client.emplace(pair.client_port, token_for(pair.access, pair.network, 99),
                        pair.network.now);
    Device older(pair, 3), newer(pair, 4);
    const net::ConnectToken first = token_for(pair.access, pair.network, kAccount);
    pair.network.now += net::kSecond;
    const net::ConnectToken last = token_for(pair.access, pair.network, kAccount);
    Device& begins = seed % 2 == 0 ? older : newer;
    begins.connect(seed % 2 == 0 ? first : last);
    run(pair, {&begins}, seed % 5 * 50 * net::kMillisecond);
    (seed % 2 == 0 ? newer : older).connect(seed % 2 == 0 ? last : first);
    run(pair, {&older, &newer}, 12 * net::kSecond);
    EXPECT_TRUE(newer.connected());
    EXPECT_EQ(older.client->state(), net::ClientState::ended);
    EXPECT_EQ(pair.server.peers().count(), 2u);  // and the client of the pair
  }
}

// Two programs share a client id, and each asks for another token as soon as it is replaced. The
// limit of requests bounds the exchange, and a third client does not suffer.
TEST(Replacement, PlayersThatShareAnIdAreLimitedByTheirRequests) {
  Pair pair;
  pair.client->disconnect(pair.network.now);
  pair.client.emplace(pair.client_port, token_for(pair.access, pair.network, 99), pair.network.now);
  Device one(pair, 3), two(pair, 4);
  constexpr std::uint64_t kSeconds = 20;
  for (std::uint64_t i = 0; i < kSeconds * net::kSecond / test::kStep; ++i) {
    pair.step();
    for (Device* const device : {&one, &two}) {
      if (!device->client || device->client->state() == net::ClientState::ended) device->connect();
      device->step();
    }
    ASSERT_LE(pair.server.peers().count(), 2u);
  }
  const std::uint64_t replaced = pair.server.counters().replacements;
  EXPECT_GT(replaced, kSeconds);
  EXPECT_LE(replaced, 2 * (net::kConnectionsPerSecond * kSeconds + net::kConnectionsAtOnce));
  EXPECT_EQ(pair.client->state(), net::ClientState::connected);
}

// The clock of the back end may count in whole seconds: a token of the same second is no older.
TEST(Replacement, TokensOfOneSecondReplaceEachOther) {
  Pair pair;
  pair.run(kAWhile);
  ASSERT_EQ(pair.network.unix_seconds(), pair.token.created);
  Device second(pair, 3);
  second.connect();
  run(pair, {&second}, kAWhile);
  EXPECT_TRUE(second.connected());
}

// A token of another back end may not contain its creation time. The server then assumes that it
// was created one token life before it expires.
TEST(Replacement, TokensWithoutCreationTimeAreComparedByTheirExpiry) {
  Pair pair(1, {}, 4, {.life = 20, .says_created = false});
  pair.run(kAWhile);
  Device shorter(pair, 3), longer(pair, 4);
  shorter.connect(
      token_for(pair.access, pair.network, kAccount, {.life = 19, .says_created = false}));
  run(pair, {&shorter}, kAWhile);
  EXPECT_EQ(shorter.client->state(), net::ClientState::requesting);
  EXPECT_GT(drops(pair, net::Drop::connected), 0u);
  longer.connect(
      token_for(pair.access, pair.network, kAccount, {.life = 20, .says_created = false}));
  run(pair, {&shorter, &longer}, kAWhile);
  EXPECT_TRUE(longer.connected());
}

}  // namespace
}  // namespace orrery
