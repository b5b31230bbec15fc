// Advances a world with contacts or joints by one tick.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/world.h"

namespace orrery {

// Moves all bodies by the scene's substeps, each of time h, and solves contacts and joints. Returns
// the sum of the hashes of bodies, contacts, joints and sleep.
// REQUIRES: The scene is solved (needs_contact_solver).
std::uint64_t advance_with_contacts(World& world, double h, Executor& executor);

}  // namespace orrery
