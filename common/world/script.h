// Runs the scripts of a scene, which move bodies without a client.
#pragma once

#include "common/world/mutable_world.h"

namespace orrery {

// Sets the forces of all scripts, at the start of a tick. The forces follow from the scene, the
// tick number and the positions of bodies, so a script has no state of its own to save.
void run_scripts(MutableWorld& world);

}  // namespace orrery
