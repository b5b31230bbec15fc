// Wakes the bodies of a world and lets them fall asleep. In scenes without sleeping the wake
// functions do nothing.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/world/mutable_world.h"

namespace orrery {

// Wakes the island of the body in the slot. Call it when a command or script acts on the body.
void wake(MutableWorld& world, std::uint32_t slot);
// Wakes all bodies in the next call of find_pairs(). Call it for a change that affects every body.
void wake_all(MutableWorld& world);
// Wakes the bodies that the removal of the body in the slot affects: its island and the bodies
// jointed to it, or all bodies if it is fixed or kinematic. Call it before the body and its joints
// are removed.
void before_body_removed(MutableWorld& world, std::uint32_t slot);
// Resets the sleep state of the slot. Call it after a body was added to the slot or removed from
// it.
void after_body_replaced(MutableWorld& world, std::uint32_t slot);
// Wakes the bodies that lost a spring. Call it after bodies were added or removed, but before
// world.forces is rebuilt: it needs the springs from before the change.
void wake_bodies_that_lost_springs(MutableWorld& world);

// Finds the pairs of bodies that are near each other. In scenes with sleeping, also wakes bodies
// near an awake one, and lets islands fall asleep. REQUIRES: The scene is solved
// (needs_contact_solver).
void find_pairs(MutableWorld& world, Executor& executor);

}  // namespace orrery
