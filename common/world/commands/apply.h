// Applies commands to a world, and checks which client may give them.
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

}  // namespace orrery
