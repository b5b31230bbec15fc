// Computes the state hash: 64 bits that identify the whole dynamic state of a world.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/world.h"

namespace orrery {

// Returns mix64 of the sum of the hashes of all bodies, contacts, joints, sleep and controls. The
// sum depends neither on order nor on threads. The hash of a body is seeded with its slot
// (physics/motion/drift.h), so swapping two bodies changes the sum. The seed also lets a search
// find the body that differs (world/image/hash_search.h).
std::uint64_t state_hash(World& world, Executor& executor);

// Returns a part of the sum, for a step that computes the parts at different times.
std::uint64_t sum_of_body_hashes(const physics::Bodies& bodies, Executor& executor);
std::uint64_t hash_collision(World& world, Executor& executor);  // contacts, joints and sleep
std::uint64_t hash_controls(const World& world);
std::uint64_t combined_hash(std::uint64_t sum_of_hashes, std::uint64_t controls_hash);

}  // namespace orrery
