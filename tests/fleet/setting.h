// Derives the scene, the settings of the server and the deliberate fault of a run from its options.
#pragma once

#include <cstdint>

#include "common/net/gate/gate.h"
#include "common/session/explain/fault.h"
#include "common/world/scenes/scene.h"
#include "common/world/world.h"
#include "server/senders/snapshot_sender.h"
#include "tests/fleet/climate.h"
#include "tests/fleet/network.h"
#include "tests/fleet/simulation.h"

namespace orrery::fleet {

// Numbers of the independent random streams.
enum Purpose : std::uint64_t {
  kOfScene,
  kOfClimate,
  kOfTrouble,
  kOfServer,
  kOfTokens,
  kOfStrangers,
  kOfStrangersTokens,
  kOfDisk,
  kOfImpostor,
  kOfLevel,
  kOfPlayers = 100,
  kOfHostiles = 200,
};

// Returns the scene of a run, with 45 to 64 bodies. If options.large is set, it has 300 or more, so
// that threads share each tick.
Scene scene_of(const RunOptions& options);

// Returns the key and address of the server.
net::Access access_of(const Network& network, std::uint64_t seed);

// Sets the rate of snapshots, and the level at which frames of mode delta are coded: any of the
// three, by the seed.
void configure(server::SnapshotSender& snapshots, const RunOptions& options);

// Returns a fault a few seconds from now. It affects a body of the scene: players remove only
// spawned bodies, so the body still exists then.
session::Fault fault_to_come(const World& world);

}  // namespace orrery::fleet
