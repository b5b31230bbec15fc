// Runs the scripts of a scene, which move bodies without a client.
#pragma once

#include "common/world/mutable_world.h"

namespace orrery {

// Sets the forces of all scripts whose body was not removed, at the start of a tick. Wakes the
// bodies that they pull. The forces follow from the scene, the tick number, and which bodies exist
// where, so a script has no state of its own to save.
void run_scripts(MutableWorld& world);

}  // namespace orrery
