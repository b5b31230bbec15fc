// Owns the state hash: 64 bits that name the whole dynamic state of a world.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/world.h"

namespace orrery {

// mix64 of the sum of the hashes of all bodies, of all contacts, of the joints, of sleep and of the
// controls. Each body's hash is seeded with its slot (physics/drift.h), so swapping two bodies
// changes the sum, and the body that differs between two states can be named; a sum does not depend
// on order or threads.
// threads.
std::uint64_t state_hash(World& world, Executor& executor);

// The parts of it, for a step that takes them at different times.
std::uint64_t sum_of_body_hashes(const Bodies& bodies, Executor& executor);
std::uint64_t hash_collision(World& world, Executor& executor);  // contacts, joints and sleep
std::uint64_t hash_controls(const World& world);
std::uint64_t combined_hash(std::uint64_t sum_of_hashes, std::uint64_t controls_hash);

}  // namespace orrery
