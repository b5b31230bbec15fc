// Owns what a run is given: its random numbers, its scene, its key, and what breaks in it.
#pragma once

#include <cstdint>

#include "common/net/gate/gate.h"
#include "common/session/explain/fault.h"
#include "common/world/scenes/scene.h"
#include "common/world/world.h"
#include "tests/fleet/climate.h"
#include "tests/fleet/network.h"
#include "tests/fleet/simulation.h"

namespace orrery::fleet {

// The purposes of random numbers.
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
  kOfPlayers = 100,
  kOfHostiles = 200,
};

// Of 64 bodies, or of about as many; a large one of so many that threads share each tick.
Scene scene_of(const RunOptions& options);

// To the server of the network.
net::Access access_of(const Network& network, std::uint64_t seed);

// Some seconds from now, in a body that nobody removes: those that were there last are.
session::Fault fault_to_come(const World& world);

}  // namespace orrery::fleet
