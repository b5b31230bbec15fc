// Advances a world with contacts or joints by one tick.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/mutable_world.h"

namespace orrery {

// Moves all bodies by the substeps of a tick and solves contacts and joints. Returns the sum of the
// hashes of bodies, contacts, joints and sleep.
// REQUIRES: The scene is solved (needs_contact_solver).
std::uint64_t advance_with_contacts(MutableWorld& world, Executor& executor);

}  // namespace orrery
