// Changes properties of single bodies by commands: filters and factors of gravity.
#pragma once

#include <cstdint>
#include <vector>

#include "common/world/mutable_world.h"
#include "common/world/verdict.h"

namespace orrery {

// Returns the changes of a body, or nullptr if it is as in the scene.
const BodyChange* find_change(const Controls& controls, BodyId body);
// Returns the factor of uniform gravity on the body in a slot, also if it sleeps.
// REQUIRES: the slot is occupied.
double gravity_scale_of(const World& world, std::uint32_t slot);

// Apply a command of an admin or the server.
Verdict set_filter(MutableWorld& world, const command::SetFilter& c);
Verdict set_gravity_scale(MutableWorld& world, const command::SetGravityScale& c);

// Returns true if a body like a scene body can have these changes.
bool can_have(const BodyDef& def, const BodyChange& change);
// Returns the filters that bodies have in place of the filters of their shapes, ascending by slot.
std::vector<physics::OtherFilter> other_filters(const Controls& controls);

// Ends the changes of a body that is removed.
void end_changes(MutableWorld& world, BodyId body);

// Makes bodies as in the scene, and applies the changes of the controls. Call the first before, and
// the others after a state was replaced. REQUIRES: the bodies have the constants of awake bodies.
void undo_changes(MutableWorld& world);
void redo_gravity_scales(MutableWorld& world);
void redo_filters(MutableWorld& world);

}  // namespace orrery
