// Owns the declaration of a tick of bodies that touch each other.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/world.h"

namespace orrery {

// Moves all bodies of a scene that is solved by its substeps of time h, and holds apart those that
// touch, and together those that have a joint. Returns the sum of the hashes of bodies, contacts
// and joints.
std::uint64_t advance_touching(World& world, double h, Executor& executor);

}  // namespace orrery
