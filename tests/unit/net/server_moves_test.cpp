// Tests how a connection continues after the address of its client has changed.
#include "common/net/server_moves.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/net/endpoint_pair.h"

namespace orrery {
namespace {

using test::address_of;
using test::config;
using test::kServerAddress;
using test::LinkFaults;
using test::SimulatedNetwork;

// A machine with a changing address. A route keeps the address that the machine had when the route
// was opened, as a connected socket does. After a change, nothing passes by the old routes. A route
// that was opened without a network gets its address when there is one.
class Laptop final : public net::NetEnvironment {
 public:
  explicit Laptop(SimulatedNetwork& network, std::uint32_t host) : network_(network), host_(host) {}

  void send(const net::Address& to, Bytes datagram) override {
    Route& by = routes_.at(route_ - 1);
    if (by.host == 0) by = route_of(route_);
    if (host_ == 0 || by.host != host_) return;
    if (record) recorded.emplace_back(datagram.begin(), datagram.end());
    network_.send(by.address, to, datagram);
  }
  std::uint32_t open_route() override {
    const auto route = static_cast<std::uint32_t>(routes_.size() + 1);
    routes_.push_back(route_of(route));
    return route;
  }
  void use_route(std::uint32_t route) override { route_ = route; }
  std::uint64_t random() override { return network_.draw(); }
  std::uint64_t keyed_hash(Bytes) const override { return 0; }
  const net::Cipher& cipher() const override { return cipher_; }
  std::uint64_t unix_seconds() const override { return network_.unix_seconds(); }

  // 0: without a network.
  void move_to(std::uint32_t host) { host_ = host; }
  // Calls `take(from, datagram, route)` for each datagram that has arrived.
  template <class Take>
  void drain(Take take) {
    net::Address from;
    for (std::uint32_t i = 0; i < routes_.size(); ++i) {
      while (const auto bytes = network_.receive(routes_[i].address, from)) {
        if (routes_[i].host == host_) take(from, *bytes, i + 1);
      }
    }
  }
  std::size_t routes() const { return routes_.size(); }

  bool record = false;
  std::vector<std::vector<std::uint8_t>> recorded;

 private:
  struct Route {
    std::uint32_t host;
    net::Address address;
  };

  Route route_of(std::uint32_t route) const {
    return {host_, address_of(host_, static_cast<std::uint16_t>(1000 + route))};
  }

  SimulatedNetwork& network_;
  std::uint32_t host_;
  std::vector<Route> routes_;
  std::uint32_t route_ = 0;
  host::SodiumCipher cipher_;
};

// A server, and a client on such a machine.
struct Journey {
  explicit Journey(std::uint64_t seed = 1, LinkFaults faults = {},
                   const test::TokenChoices& choices = {})
      : network(seed, faults) {
    server.emplace(port, config(), network.now);
    token = test::token_for(access, network, 2, choices);
  }

  void connect() { client.emplace(laptop, token, network.now); }

  void step() {
    network.now += test::kStep;
    if (serves) {
      net::drain(port, [&](const net::Address& from, Bytes datagram) {
        note(server->receive(from, datagram, network.now));
      });
      std::vector<net::ServerEvent> left;
      server->update(network.now, left);
      for (const net::ServerEvent& event : left) note(event);
    }
    laptop.drain([&](const net::Address& from, Bytes datagram, std::uint32_t route) {
      if (client) client->receive(from, datagram, network.now, route);
    });
    if (client) client->update(network.now);
  }
  void run(net::Nanoseconds time) {
    for (const net::Nanoseconds end = network.now + time; network.now < end;) step();
  }
  // Runs until the server has moved the client, at most 2 s. Returns the time that it took.
  net::Nanoseconds move_to(std::uint32_t host) {
    const net::Nanoseconds start = network.now;
    const std::uint64_t before = server->counters().moves;
    laptop.move_to(host);
    while (server->counters().moves == before && network.now - start < 2 * net::kSecond) step();
    return network.now - start;
  }

  void note(const net::ServerEvent& event) {
    joins += event.kind == net::ServerEvent::Kind::joined;
    leaves += event.kind == net::ServerEvent::Kind::left;
  }
  bool connected() const { return client->state() == net::ClientState::connected; }
  const net::Address& seen_at() const { return server->peers()[ClientId{1}].link.address(); }

  // Sends the server a datagram from any address.
  net::ServerEvent inject(const net::Address& from, Bytes bytes) {
    const net::ServerEvent event = server->receive(from, bytes, network.now);
    note(event);
    return event;
  }
  std::uint64_t dropped(net::Drop reason) const {
    return server->counters().drops[static_cast<std::size_t>(reason)];
  }

  SimulatedNetwork network;
  test::Port port{network, kServerAddress};
  Laptop laptop{network, 50};
  const net::Access access = test::access_of(kServerAddress);
  std::optional<net::ServerEndpoint> server;
  net::ConnectToken token;
  std::optional<net::ClientEndpoint> client;
  bool serves = true;
  int joins = 0;
  int leaves = 0;
};

std::vector<std::uint8_t> move_of(const net::ConnectToken& token) {
  std::vector<std::uint8_t> bytes;
  net::encode_request(token, bytes, net::PacketType::move);
  return bytes;
}

// Returns the first recorded datagram that begins with a type.
std::vector<std::uint8_t> first_of(const Laptop& laptop, net::PacketType type) {
  for (const auto& bytes : laptop.recorded) {
    if (bytes[0] == static_cast<std::uint8_t>(type)) return bytes;
  }
  return {};
}

TEST(Moves, AConnectionContinuesFromAnotherAddressWithinTwoSeconds) {
  Journey journey;
  journey.connect();
  journey.run(net::kSecond);
  ASSERT_TRUE(journey.connected());
  EXPECT_LT(journey.move_to(60), 2 * net::kSecond);
  journey.run(20 * net::kSecond);
  EXPECT_TRUE(journey.connected());
  EXPECT_TRUE(std::equal(journey.seen_at().ip.begin(), journey.seen_at().ip.end(),
                         address_of(60).ip.begin()));
  EXPECT_EQ(journey.joins, 1);
  EXPECT_EQ(journey.leaves, 0);
  EXPECT_EQ(journey.server->counters().moves, 1u);
}

TEST(Moves, AgainAndAgainOverABadNetwork) {
  const LinkFaults faults{
      .loss_percent = 20, .duplicate_percent = 20, .delay_max = 100 * net::kMillisecond};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Journey journey(seed, faults);
    journey.connect();
    journey.run(3 * net::kSecond);
    ASSERT_TRUE(journey.connected());
    for (std::uint32_t host = 60; host < 70; ++host) {
      journey.laptop.move_to(host);
      journey.run(4 * net::kSecond);
      ASSERT_TRUE(journey.connected());
      ASSERT_TRUE(std::equal(journey.seen_at().ip.begin(), journey.seen_at().ip.end(),
                             address_of(host).ip.begin()));
    }
    EXPECT_EQ(journey.joins, 1);
    EXPECT_EQ(journey.leaves, 0);
  }
}

// The token was valid for 45 s, and admitted its client once. Both do not matter: the connection is
// there.
TEST(Moves, LongAfterTheTokenHasExpired) {
  Journey journey;
  journey.connect();
  journey.run(100 * net::kSecond);
  EXPECT_LT(journey.move_to(60), 2 * net::kSecond);
  EXPECT_EQ(journey.joins, 1);
}

TEST(Moves, APausedServerLosesNobody) {
  for (const net::Nanoseconds pause :
       {net::kSecond / 2, 3 * net::kSecond / 2, 3 * net::kSecond, 9 * net::kSecond / 2}) {
    Journey journey;
    journey.connect();
    journey.run(net::kSecond);
    journey.serves = false;
    journey.run(pause);
    EXPECT_EQ(journey.client->is_silent(journey.network.now), pause > net::kSilentAfter);
    journey.serves = true;
    journey.run(3 * net::kSecond);
    EXPECT_TRUE(journey.connected());
    EXPECT_FALSE(journey.client->is_silent(journey.network.now));
    EXPECT_EQ(journey.joins, 1);
    EXPECT_EQ(journey.leaves, 0);
  }
}

// The addresses are tried in turn, and each try has another route.
TEST(Moves, TheNextAddressOfTheTokenIsTried) {
  Journey journey;
  journey.token.servers = {kServerAddress, address_of(99), address_of(98)};
  journey.connect();
  journey.run(net::kSecond);
  ASSERT_TRUE(journey.connected());
  journey.laptop.move_to(0);  // no network at all
  journey.run(2 * net::kSecond + net::kSecond / 2);
  EXPECT_GE(journey.laptop.routes(), 3u);
  journey.laptop.move_to(60);
  journey.run(2 * net::kSecond);
  EXPECT_EQ(journey.server->counters().moves, 1u);
  EXPECT_TRUE(journey.connected());
}

TEST(Moves, AServerWithoutTheConnectionSaysSo) {
  Journey journey;
  journey.connect();
  journey.run(2 * net::kSecond);
  ASSERT_TRUE(journey.connected());
  // It starts again with the same key, and knows nobody.
  net::ServerConfig again = config();
  again.access.key_is_fresh = false;
  journey.server.emplace(journey.port, again, journey.network.now);
  journey.run(2 * net::kSecond);
  EXPECT_EQ(journey.client->end_reason(), net::EndReason::forgotten);
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
