// Serves a session in one process with virtual time and an in-memory network, for tests.
#pragma once

#include <spdlog/spdlog.h>

#include <utility>

#include "common/net/drain.h"
#include "common/world/scenes/scenes.h"
#include "server/server.h"
#include "tests/support/memory_log.h"
#include "tests/support/simulated_network.h"
#include "tests/support/tokens.h"

namespace orrery::test {

// Delivers the datagrams that have arrived for a client, then lets the client send.
template <typename Client>
void update(Client& client, Port& port, net::Nanoseconds now) {
  net::drain(
      port, [&](const net::Address& from, Bytes datagram) { client.receive(from, datagram, now); });
  client.update(now);
}

// A network with the place of a server.
struct ServerPlace {
  SimulatedNetwork network;
  Port port{network, address_of(1, 4770)};
  net::Access access = access_of(port.address());
};

// A server with its world and log. A second one at the same place has another epoch.
struct ServedWorld {
  ServedWorld(Scene scene, ServerPlace& place)
      : world(std::move(scene)),
        log(sink, session::make_log_header(world, "test", codec::SessionId{})),
        server(world, log, {place.port, place.port, executor, operator_log}, place.access,
               place.network.now) {}

  World world;
  MemorySink sink;
  session::SessionLog log;
  SerialExecutor executor;
  server::OperatorLog operator_log;
  server::Server server;
};

// A server with its world, log and network.
struct ServedSession : ServerPlace, ServedWorld {
  explicit ServedSession(Scene scene, std::uint64_t seed = 1, LinkFaults faults = {})
      : ServerPlace{{seed, faults}}, ServedWorld(std::move(scene), *this) {
    spdlog::set_level(spdlog::level::off);
    port.keep = true;
  }
  explicit ServedSession(const char* scene, std::uint64_t seed = 1, LinkFaults faults = {})
      : ServedSession(built_in_scene(scene).value(), seed, faults) {}

  net::Nanoseconds now() const { return network.now; }
  net::ConnectToken token(std::uint32_t host, const TokenChoices& choices = {}) const {
    return token_for(access, network, host, choices);
  }

  // Advances time by one tick and runs the server. The test updates the clients.
  void tick() {
    network.now += net::kSecond / world.scene().tick_rate;
    server.tick(network.now);
  }
};

}  // namespace orrery::test
