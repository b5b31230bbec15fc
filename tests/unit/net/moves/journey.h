// Simulates a client whose machine changes its address, and its server.
#pragma once

#include <optional>
#include <vector>

#include "tests/unit/net/endpoint_pair.h"

namespace orrery::test {

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
  explicit Journey(std::uint64_t seed = 1, LinkFaults faults = {}, const TokenChoices& choices = {})
      : network(seed, faults) {
    server.emplace(port, config(), network.now);
    token = token_for(access, network, 2, choices);
  }

  void connect() { client.emplace(laptop, token, network.now); }

  void step() {
    network.now += kStep;
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
  Port port{network, kServerAddress};
  Laptop laptop{network, 50};
  const net::Access access = access_of(kServerAddress);
  std::optional<net::ServerEndpoint> server;
  net::ConnectToken token;
  std::optional<net::ClientEndpoint> client;
  bool serves = true;
  int joins = 0;
  int leaves = 0;
};

inline std::vector<std::uint8_t> move_of(const net::ConnectToken& token) {
  std::vector<std::uint8_t> bytes;
  net::encode_request(token, bytes, net::PacketType::move);
  return bytes;
}

// Returns the first recorded datagram that begins with a type.
inline std::vector<std::uint8_t> first_of(const Laptop& laptop, net::PacketType type) {
  for (const auto& bytes : laptop.recorded) {
    if (bytes[0] == static_cast<std::uint8_t>(type)) return bytes;
  }
  return {};
}

}  // namespace orrery::test
