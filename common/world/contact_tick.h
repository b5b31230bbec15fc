// Owns the declaration of a tick of bodies that touch each other.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/world.h"

namespace orrery {

// Moves all bodies of a scene with shapes by its substeps of time h, and holds those apart that
// touch. Returns the sum of the hashes of bodies and contacts.
std::uint64_t advance_touching(World& world, double h, Executor& executor);

}  // namespace orrery
