// Wakes the bodies of a world and lets them fall asleep. In scenes without sleeping the wake
// functions do nothing.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/mutable_world.h"

namespace orrery {

// Wakes the island of the body in the slot. Call it when something acts on the body.
void wake(MutableWorld& world, std::uint32_t slot);
// Wakes all bodies in the next tick. Call it for a change that affects every body.
void wake_all(MutableWorld& world);
// Call it before the body in the slot is removed, with its joints. Wakes the bodies that were
// connected to it.
void before_body_removed(MutableWorld& world, std::uint32_t slot);
// Call it after the body in the slot was replaced or removed.
void after_body_replaced(MutableWorld& world, std::uint32_t slot);
// Wakes the bodies that lost a spring. Call it when bodies were added or removed, before
// world.forces is rebuilt: it needs the old springs.
void wake_bodies_that_lost_springs(MutableWorld& world);

// Finds the pairs of bodies that are near each other, wakes bodies near an awake one, and lets
// islands fall asleep.
void find_pairs(MutableWorld& world, Executor& executor);

}  // namespace orrery
