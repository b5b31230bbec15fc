// Advances bodies without contacts by one substep of the scene's integrator.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/mutable_world.h"

namespace orrery {

// The position of a substep in its tick.
struct SubstepPlace {
  bool first;
  bool last;
};

// Moves all bodies by world.substep_time, with the integrator and the rotation of the scene. In the
// last substep of a tick, returns the sum of the body hashes of the new state, otherwise 0. A
// method that ends with a drift hashes each tile just after it drifts, while it is still in the
// cache.
std::uint64_t advance(MutableWorld& world, SubstepPlace place, Executor& executor);

}  // namespace orrery
