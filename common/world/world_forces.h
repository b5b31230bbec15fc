// Derives the forces of a world from the scene, the living bodies and the controls.
#pragma once

#include "common/world/mutable_world.h"

namespace orrery {

// Rebuilds `world.forces` (springs, tethers, drag, mutual gravity, grabs, thrusts). Call it after a
// world was made or restored.
void rebuild_forces(MutableWorld& world);

// The two parts of rebuild_forces(): the forces of the bodies that exist, and those of commands.
void rebuild_population(MutableWorld& world);
void rebuild_commanded(MutableWorld& world);

}  // namespace orrery
