// Owns the comparison of states at the first checkpoint behind a divergence, where both are known
// whatever they differ in.
#pragma once

#include <optional>

#include "common/core/executor.h"
#include "common/session/log_reader.h"
#include "common/world/state_difference.h"
#include "common/world/world.h"

namespace orrery {

struct LaterDifference {
  Tick tick;
  StateDifference state;
};

// Reads on in two logs of this scene to the next tick of which both have a checkpoint; nothing if
// there is none.
std::optional<LaterDifference> difference_at_checkpoint(LogReader& a, LogReader& b,
                                                        const Scene& scene, Executor& executor);

// Reads on in a log to the next checkpoint of `from` or later, and steps `replay`, which is at the
// tick before its next record, with the commands recorded: the log is a, the replay b.
std::optional<LaterDifference> difference_at_checkpoint(LogReader& log, Tick from, World& replay,
                                                        Executor& executor);

}  // namespace orrery
