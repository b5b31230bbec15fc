// Owns the declaration of a substep: the part of a tick that is the scene's integrator.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/world.h"

namespace orrery {

// Moves all bodies by the time h, by the integrator and the rotation of the scene.
void advance(World& world, double h, Executor& executor);

// The same as the last substep of a tick; returns the sum of the body hashes of where it ends,
// which most methods take while the bodies pass through the cache anyway.
std::uint64_t advance_and_hash(World& world, double h, Executor& executor);

}  // namespace orrery
