// Declares step(), the only function that advances a world.
#pragma once

#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/world/command.h"
#include "common/world/verdict.h"
#include "common/world/world.h"

namespace orrery {

// Advances the world from state T-1 to state T. It applies the commands, advances the bodies by the
// simulated time of one tick and computes the state hash.
//
// Commands that are not allowed or change nothing do not enter world.applied(). A step with a
// copy of world.applied() as its commands gives the same state. Replaces `refused`, unless it is
// null, by the commands that are not allowed, each with its reason. The result does not depend on
// the executor. The function cannot fail, and every number stays finite.
//
// REQUIRES: The commands ascend by (client, sequence), there are at most
// limits::kCommandsPerTickMax, and they are not in world.applied() itself.
void step(World& world, std::span<const Command> commands, Executor& executor,
          std::vector<RefusedCommand>* refused = nullptr);

}  // namespace orrery
