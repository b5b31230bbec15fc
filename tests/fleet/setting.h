// Owns what a run starts from: its random numbers, its scene and its key.
#pragma once

#include <cstdint>

#include "common/net/gate.h"
#include "common/world/scene.h"
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
Access access_of(const Network& network, std::uint64_t seed);

}  // namespace orrery::fleet
