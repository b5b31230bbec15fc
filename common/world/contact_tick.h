// Advances a world with contacts or joints by one tick.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/mutable_world.h"

namespace orrery {

// Runs the scripts, finds contacts, and then moves all bodies and solves contacts and joints in
// each substep. Returns the sum of the hashes of all bodies, contacts, joints and the sleep state,
// for combined_hash().
// REQUIRES: The scene is solved (needs_contact_solver).
std::uint64_t advance_with_contacts(MutableWorld& world, Executor& executor);

}  // namespace orrery
