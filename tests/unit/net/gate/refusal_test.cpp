// Tests how a server says why it refuses a token, in answers that only the owner of the token can
// read.
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/net/endpoint_pair.h"

namespace orrery {
namespace {

using test::address_of;
using test::bytes_between;
using test::drops;
using test::kServerAddress;
using test::Pair;
using test::request;
using test::token_for;
using test::TokenChoices;

constexpr net::Nanoseconds kAWhile = 300 * net::kMillisecond;
// Prefix, sequence, reason and seal.
constexpr std::size_t kRefusalBytes = 1 + 8 + 1 + net::kSealBytes;

// A server, and a client that connects with one token after another.
struct Refused {
  // Connects with the token. Returns why the connection ended, or the refusal so far.
  EndReason end_with(const net::ConnectToken& token, net::Nanoseconds time = kAWhile) {
    pair.client.emplace(pair.client_port, token, pair.network.now);
    pair.run(time);
    return pair.client->end_reason();
  }
  net::ConnectToken token(const TokenChoices& choices = {}) {
    ++pair.network.now;  // makes every token different
    return token_for(pair.access, pair.network, 2, choices);
  }

  Pair pair;
};

// Returns a denial as the server seals it, with any text.
std::vector<std::uint8_t> denial(const net::ConnectToken& token, Bytes text) {
  std::vector<std::uint8_t> bytes;
  net::PacketSealer(host::SodiumCipher(), token.head.protocol_id)
      .seal(token.server_to_client, net::PacketType::denied, net::PacketSequences::kEnd + 9, text,
            bytes);
  return bytes;
}

TEST(Refusal, ATokenThatWasUsedOrIsForAnotherServerEndsTheAttemptAtOnce) {
  Refused it;
  const net::ConnectToken used = it.token();
  ASSERT_EQ(it.end_with(used), EndReason::none);
  it.pair.client->disconnect(it.pair.network.now);
  it.pair.run(kAWhile);
  EXPECT_EQ(it.end_with(used), EndReason::refused_used);
  net::Access other = it.pair.access;
  other.address = address_of(5, 4770);
  net::ConnectToken elsewhere = token_for(other, it.pair.network, 2);
  elsewhere.servers = {kServerAddress};
  EXPECT_EQ(it.end_with(elsewhere), EndReason::refused_server);
  EXPECT_EQ(drops(it.pair, net::Drop::repeated), 10u);  // and the copies of the goodbye
  EXPECT_EQ(drops(it.pair, net::Drop::other_server), 1u);
}

// The clocks of client and server differ, so the client cannot know whether its token is valid on
// the server.
TEST(Refusal, TheServersClockDecidesWhetherATokenIsTimely) {
  Refused it;
  const net::ConnectToken old = it.token({.life = 10});
  it.pair.network.now += 10 * net::kSecond;
  EXPECT_EQ(it.end_with(old), EndReason::refused_expired);
  const net::ConnectToken long_lived = it.token({.life = net::kTokenLifeSeconds + 60});
  EXPECT_EQ(it.end_with(long_lived), EndReason::refused_long_life);
  EXPECT_EQ(it.pair.client->state(), net::ClientState::requesting);  // it asks again
  EXPECT_EQ(it.end_with(long_lived, test::kTimeout + net::kSecond), EndReason::refused_long_life);
  it.pair.network.epoch += 20;
  const net::ConnectToken early = it.token({.life = 25});
  it.pair.network.epoch -= 20;
  EXPECT_EQ(it.end_with(early, test::kTimeout + net::kSecond), EndReason::refused_future);
  EXPECT_GT(drops(it.pair, net::Drop::expired_token), 3u);
}

// The token is not valid yet, because the clock that made it is two seconds fast. The client
// repeats its request until the token is valid.
TEST(Refusal, AClientWaitsUntilItsTokenIsTimely) {
  for (const std::uint64_t too_long : {0u, 2u}) {
    Refused it;
    it.pair.network.epoch += 2;
    const net::ConnectToken token = it.token({.life = net::kTokenLifeSeconds - 2 + too_long});
    it.pair.network.epoch -= 2;
    const auto reason = too_long == 0 ? EndReason::refused_future : EndReason::refused_long_life;
    EXPECT_EQ(it.end_with(token), reason);  // so far
    EXPECT_EQ(it.pair.client->state(), net::ClientState::requesting);
    it.pair.run(2 * net::kSecond);
    EXPECT_EQ(it.pair.client->state(), net::ClientState::connected);
  }
}

TEST(Refusal, ATokenFromBeforeTheStartEndsTheAttemptAtOnce) {
  test::SimulatedNetwork network(1, {});
  test::Port port(network, kServerAddress), client_port(network, address_of(2));
  const net::Access access = test::access_of(kServerAddress);
  const net::ConnectToken old = token_for(access, network, 2);
  network.now += net::kSecond;
  net::ServerConfig config = test::config();
  config.access.key_is_fresh = false;
  net::ServerEndpoint server(port, config, network.now);
  net::ClientEndpoint client(client_port, old, network.now);
  net::drain(port, [&](const net::Address& from, Bytes datagram) {
    server.receive(from, datagram, network.now);
  });
  net::drain(client_port, [&](const net::Address& from, Bytes datagram) {
    client.receive(from, datagram, network.now);
  });
  EXPECT_EQ(client.end_reason(), EndReason::refused_before_start);
}

TEST(Refusal, TheClientTurnsToTheNextServerAtOnce) {
  Pair pair;
  pair.run(kAWhile);
  pair.client->disconnect(pair.network.now);
  pair.run(kAWhile);
  pair.token.servers = {kServerAddress, address_of(99)};
  pair.client.emplace(pair.client_port, pair.token, pair.network.now);
  pair.run(kAWhile);
  EXPECT_EQ(pair.client->server(), address_of(99));
  pair.run(test::kTimeout);
  EXPECT_EQ(pair.client->end_reason(), EndReason::no_answer);  // of the last server
}

// The packet contains the number that wire.md assigns to the reason.
TEST(Refusal, TheReasonIsOneByteUnderTheKeyOfTheToken) {
  Refused it;
  const net::ConnectToken used = it.token();
  it.end_with(used);
  it.pair.client->disconnect(it.pair.network.now);
  it.pair.run(kAWhile);
  it.pair.inject(address_of(9), request(used));
  net::Address from;
  const auto packet = it.pair.network.receive(address_of(9), from).value();
  EXPECT_EQ(packet.size(), kRefusalBytes);
  const net::PacketSealer sealer(it.pair.server_port.cipher(), used.head.protocol_id);
  const auto prefix = net::decode_prefix(packet).value();
  EXPECT_GE(prefix.sequence, net::PacketSequences::kEnd);
  std::array<std::uint8_t, net::kPacketBytesMax> text;
  const auto opened = sealer.open(used.server_to_client, prefix, packet, text);
  ASSERT_TRUE(opened);
  EXPECT_EQ(std::vector<std::uint8_t>(opened->begin(), opened->end()),
            std::vector<std::uint8_t>{6});
  EXPECT_FALSE(sealer.open(used.client_to_server, prefix, packet, text));
}

// Late copies of a client's own request arrive after the client has connected with its token. The
// server must not answer them with a denial.
TEST(Refusal, AConnectedAddressIsNotRefused) {
  Pair pair;
  pair.run(kAWhile);
  const std::uint64_t before = bytes_between(pair, kServerAddress, address_of(2));
  for (int i = 0; i < 10; ++i) pair.inject(address_of(2), request(pair.token));
  EXPECT_EQ(bytes_between(pair, kServerAddress, address_of(2)), before);
  EXPECT_EQ(drops(pair, net::Drop::repeated), 10u);
}

TEST(Refusal, ARefusalEndsNoAnswerToAChallengeAndNoConnection) {
  Pair pair;
  const std::uint8_t used = 6;
  while (pair.client->state() != net::ClientState::responding) pair.step();
  const auto refusal = denial(pair.token, Bytes(&used, 1));
  pair.client->receive(kServerAddress, refusal, pair.network.now);
  EXPECT_EQ(pair.client->state(), net::ClientState::responding);
  pair.run(kAWhile);
  EXPECT_EQ(pair.client->state(), net::ClientState::connected);
  pair.client->receive(kServerAddress, refusal, pair.network.now);
  EXPECT_EQ(pair.client->state(), net::ClientState::connected);
}

// Later versions may add reasons. A denial without a text means that the server is full, as in the
// netcode standard.
TEST(Refusal, UnknownReasonsAreIgnored) {
  Pair pair(1, {.loss_percent = 100});
  for (const std::uint8_t number : std::to_array<std::uint8_t>({0, 8, 99, 255})) {
    pair.client->receive(kServerAddress, denial(pair.token, Bytes(&number, 1)), pair.network.now);
    EXPECT_EQ(pair.client->state(), net::ClientState::requesting) << int{number};
  }
  pair.client->receive(kServerAddress, denial(pair.token, {}), pair.network.now);
  EXPECT_EQ(pair.client->end_reason(), EndReason::full);
}

// Anybody that overheard a request can repeat it from any address. The server answers some of these
// copies and drops the rest unanswered.
TEST(Refusal, RepeatedRequestsGetFewAndSmallAnswersAndStopNobody) {
  Refused it;
  const net::ConnectToken used = it.token();
  it.end_with(used);
  it.pair.client->disconnect(it.pair.network.now);
  it.pair.run(2 * net::kSecond);
  constexpr std::uint32_t kCopies = 5000;
  const auto copy = request(used);
  std::uint64_t out = 0;
  for (std::uint32_t i = 0; i < kCopies; ++i) {
    it.pair.inject(address_of(100 + i % 7), copy);
  }
  for (std::uint32_t i = 0; i < 7; ++i) {
    const std::uint64_t bytes = bytes_between(it.pair, kServerAddress, address_of(100 + i));
    EXPECT_LE(bytes, kCopies / 7 * kRefusalBytes + kRefusalBytes);
    out += bytes;
  }
  EXPECT_EQ(out, net::kRefusalsPerSecond * kRefusalBytes);
  EXPECT_EQ(it.end_with(it.token()), EndReason::none);
  EXPECT_EQ(it.pair.client->state(), net::ClientState::connected);
}

}  // namespace
}  // namespace orrery
