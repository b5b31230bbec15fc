// Owns the declaration of a substep: the part of a tick that is the scene's integrator.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/world.h"

namespace orrery {

// Where in its tick a substep is.
struct SubstepPlace {
  bool first;
  bool last;
};

// Moves all bodies by world.substep_time, by the integrator and the rotation of the scene. The last
// substep returns the sum of the body hashes of where it ends, which most methods take while the
// bodies pass through the cache anyway; the others return 0.
std::uint64_t advance(World& world, SubstepPlace place, Executor& executor);

}  // namespace orrery
