// Connects a server endpoint with a client endpoint, in virtual time and with seeded network
// faults.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/net/client_endpoint.h"
#include "common/net/drain.h"
#include "common/net/server_endpoint.h"
#include "common/net/timing.h"
#include "tests/support/simulated_network.h"
#include "tests/support/tokens.h"

namespace orrery::test {

inline const net::Address kServerAddress = address_of(1, 4770);
inline constexpr net::Nanoseconds kStep = 10 * net::kMillisecond;
inline constexpr net::Nanoseconds kTimeout = net::kTimeoutSeconds * net::kSecond;

inline net::ServerConfig config(std::uint32_t clients_max = 4) {
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
    step_client();
  }

  // Lets the client handle arrived packets. The server pauses.
  void step_client() {
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
  EndReason reason{};
  Role role{};
};

// Returns the number of datagrams that the server dropped for this reason.
inline std::uint64_t drops(const Pair& pair, net::Drop drop) {
  return pair.server.counters().drops[static_cast<std::size_t>(drop)];
}

// Returns the counter of bytes sent from one address to another.
inline std::uint64_t& bytes_between(Pair& pair, const net::Address& from, const net::Address& to) {
  return pair.network.sent_bytes[SimulatedNetwork::key(from)][SimulatedNetwork::key(to)];
}

// Returns the connection request with a token.
inline std::vector<std::uint8_t> request(const net::ConnectToken& token) {
  std::vector<std::uint8_t> bytes;
  net::encode_request(token, bytes);
  return bytes;
}

// Returns a packet sealed with the client's key.
inline std::vector<std::uint8_t> sealed(const net::ConnectToken& token, net::PacketType type,
                                        std::uint64_t sequence, Bytes text) {
  std::vector<std::uint8_t> bytes;
  net::PacketSealer(host::SodiumCipher(), token.head.protocol_id)
      .seal(token.client_to_server, type, sequence, text, bytes);
  return bytes;
}

// Returns the payload of an empty message.
inline std::vector<std::uint8_t> message_of(net::MessageType type) {
  std::vector<std::uint8_t> text;
  net::encode_payload_header({.type = type, .sequence = 1}, text);
  return text;
}

}  // namespace orrery::test
