// Applies commands to a world, and derives the world's forces from its state.
#pragma once

#include <span>
#include <vector>

#include "common/world/command.h"
#include "common/world/mutable_world.h"
#include "common/world/verdict.h"

namespace orrery {

// Applies the commands in order. Sets `world.applied` to the commands that changed something, and
// `refused`, unless it is null, to those that were refused.
void apply_commands(MutableWorld& world, std::span<const Command> commands,
                    std::vector<RefusedCommand>* refused = nullptr);

// Rebuilds `world.forces` (springs, tethers, drag, mutual gravity, grabs, thrusts) from the scene,
// the living bodies and the controls. Call it after a world was made or restored.
void rebuild_forces(MutableWorld& world);

}  // namespace orrery
