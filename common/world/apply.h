// Owns the declarations of what commands do to a world. For step() and restore_image() alone.
#pragma once

#include <span>

#include "common/world/command.h"
#include "common/world/world.h"

namespace orrery {

// Applies the commands in order; world.applied becomes those that changed something.
void apply_commands(World& world, std::span<const Command> commands);

// Derives world.forces from the scene, the living bodies and the controls.
void rebuild_forces(World& world);

}  // namespace orrery
