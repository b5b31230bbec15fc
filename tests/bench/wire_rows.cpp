// Measures the server time for datagrams of strangers and for connecting, and the size of the first
// answer to an unknown address.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common/core/rng.h"
#include "common/net/client_endpoint.h"
#include "common/net/server_endpoint.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"
#include "tests/bench/wire.h"

namespace orrery::bench {
namespace {

constexpr std::uint32_t kClients = 1000;
constexpr int kStrangers = 100'000;

std::unique_ptr<net::ServerEndpoint> make_server(Wire& wire) {
  return std::make_unique<net::ServerEndpoint>(
      wire, net::ServerConfig{limits::kClientsMax, 60, 1.0 / 60, 3, "bench", access_of_server()},
      net::kSecond);
}

// Returns the server's seconds for a datagram of a stranger. REQUIRES: the server ignores it.
double seconds_to_refuse(const Buffer& datagram) {
  Wire wire;
  const auto server = make_server(wire);
  Best best;
  for (int round = 0; round < kRounds; ++round) {
    best.run([&] {
      for (std::uint32_t i = 0; i < kStrangers; ++i) {
        server->receive(address_of(i), datagram, net::kSecond);
      }
    });
  }
  ORRERY_ASSERT(wire.sent.empty());
  return best.seconds() / kStrangers;
}

// Returns the server's seconds to connect one of a thousand clients: request, response and first
// packet.
double seconds_to_connect() {
  Wire from_server, from_clients;
  const auto server = make_server(from_server);
  std::vector<std::unique_ptr<net::ClientEndpoint>> clients;
  for (std::uint32_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<net::ClientEndpoint>(
        from_clients, token_for(access_of_server(), i), net::kSecond));
  }
  double seconds = 0;
  for (int turn = 0; turn < 3; ++turn) {
    const auto asked = std::exchange(from_clients.sent, {});
    ORRERY_ASSERT(asked.size() == kClients);
    const double start = host::process_cpu_seconds();
    for (std::uint32_t i = 0; i < kClients; ++i) {
      server->receive(address_of(i), asked[i].second, net::kSecond);
    }
    seconds += host::process_cpu_seconds() - start;
    const auto answered = std::exchange(from_server.sent, {});
    for (std::uint32_t i = 0; i < kClients; ++i) {
      clients[i]->receive(access_of_server().address, answered[i].second, net::kSecond);
    }
  }
  for (const auto& client : clients) ORRERY_ASSERT(client->state() == net::ClientState::connected);
  return seconds / kClients;
}

double amplification() {
  Wire from_server, from_client;
  const auto server = make_server(from_server);
  const net::ClientEndpoint client(from_client, token_for(access_of_server(), 1), net::kSecond);
  const Buffer& request = from_client.sent.front().second;
  server->receive(address_of(1), request, net::kSecond);
  return static_cast<double>(from_server.sent.front().second.size()) /
         static_cast<double>(request.size());
}

}  // namespace

void print_wire_rows() {
  Buffer junk(64);
  host::fill_random(junk);
  junk[0] = 0x25;  // looks like a payload
  Buffer forged;
  net::encode_request(token_for(access_of_server(), 1), forged);
  forged.back() ^= 1;
  double connect = 1e300;
  for (int round = 0; round < kRounds; ++round) connect = std::min(connect, seconds_to_connect());
  print_row("junk from strangers, 64 bytes", "0.6 us",
            format("%.2f us", 1e6 * seconds_to_refuse(junk)), "-");
  print_row("a forged request to connect", "1.6 us",
            format("%.2f us", 1e6 * seconds_to_refuse(forged)), "-");
  print_row("connecting, of 1,000 clients, the server's part", "30 us",
            format("%.1f us", 1e6 * connect), "-");
  print_row("bytes to an address that has proved nothing, of those from it", "0.31",
            format("%.3f", amplification()), "-");
}

}  // namespace orrery::bench
