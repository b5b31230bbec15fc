// Owns a session that is served, for tests: one process, virtual time, a network in memory.
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

// What has come to a client goes to it, and it says what it has to say.
template <typename Client>
void update(Client& client, Port& port, Nanoseconds now) {
  drain(port, [&](const Address& from, Bytes datagram) { client.receive(from, datagram, now); });
  client.update(now);
}

struct ServedSession {
  explicit ServedSession(Scene scene, std::uint64_t seed = 1, LinkFaults faults = {})
      : network(seed, faults),
        world(std::move(scene)),
        log(sink, make_log_header(world, "test", SessionId{})),
        server(world, log, port, port, access, executor, journal, network.now) {
    spdlog::set_level(spdlog::level::off);
    port.keep = true;
  }
  explicit ServedSession(const char* scene, std::uint64_t seed = 1, LinkFaults faults = {})
      : ServedSession(built_in_scene(scene).value(), seed, faults) {}

  Nanoseconds now() const { return network.now; }
  ConnectToken token(std::uint32_t host, const TokenChoices& choices = {}) const {
    return token_for(access, network, host, choices);
  }

  // Without the clients.
  void tick() {
    network.now += kSecond / world.scene.tick_rate;
    server.tick(network.now);
  }

  SimulatedNetwork network;
  Port port{network, address_of(1, 4770)};
  Access access = access_of(port.address());
  World world;
  MemorySink sink;
  SessionLog log;
  SerialExecutor executor;
  Journal journal;
  Server server;
};

}  // namespace orrery::test
