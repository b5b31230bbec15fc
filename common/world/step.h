// Owns the declaration of step(): the one function that changes a world.
#pragma once

#include <span>

#include "common/core/executor.h"
#include "common/world/command.h"
#include "common/world/world.h"

namespace orrery {

// Turns state T-1 into state T: applies the commands, moves the bodies by one tick time, and takes
// the state hash. Commands are in ascending (client, sequence), at most
// limits::kCommandsPerTickMax. Those that are not allowed, or change nothing, are left out of
// world.applied; stepping with world.applied instead gives the same state. The result does not
// depend on the executor. Cannot fail, and leaves every number finite.
void step(World& world, std::span<const Command> commands, Executor& executor);

}  // namespace orrery
