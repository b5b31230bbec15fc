// Computes the state hash: 64 bits that identify the whole dynamic state of a world.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/mutable_world.h"

namespace orrery {

// Returns mix64 of the sum of the hashes of all bodies, contacts, joints, sleep and controls. The
// sum depends neither on order nor on threads. The hash of a body is seeded with its slot
// (physics/body/body_hash.h), so swapping two bodies changes the sum. The seed also lets a search
// find the body that differs (world/image/hash_search.h).
//
// state_hash() hashes contacts one by one, in the form that an image stores. A tick hashes them in
// the memory of the solver, which is faster and gives the same hash.
std::uint64_t state_hash(const World& world, Executor& executor);

// Return the terms of the sum in state_hash(), for functions that compute them at different times.
std::uint64_t sum_of_body_hashes(const physics::Bodies& bodies, Executor& executor);
std::uint64_t hash_collision(MutableWorld& world,
                             Executor& executor);  // contacts, joints and sleep
std::uint64_t hash_controls(MutableWorld& world);  // does not allocate after the first ticks
std::uint64_t hash_controls(const World& world);
// Returns the sum of the hashes of all contacts, including those of sleeping bodies.
// REQUIRES: The scene is solved (needs_contact_solver).
std::uint64_t hash_contacts(const Collision& collision);

// Returns the state hash: mix64 of the sum of both arguments.
std::uint64_t combined_hash(std::uint64_t sum_of_hashes, std::uint64_t controls_hash);

}  // namespace orrery
