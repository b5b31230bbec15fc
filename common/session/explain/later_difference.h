// Compares states at the first checkpoint after a divergence, where both states are known.
#pragma once

#include <optional>

#include "common/core/executor.h"
#include "common/session/log_reader.h"
#include "common/world/image/state_difference.h"
#include "common/world/world.h"

namespace orrery::session {

// The difference of two states at a checkpoint.
struct LaterDifference {
  Tick tick;
  StateDifference state;
};

// Reads both logs to the next tick of which both have a checkpoint, and compares the states.
// Returns nothing if there is no such tick or an image is unusable. REQUIRES: both logs have this
// scene.
std::optional<LaterDifference> difference_at_checkpoint(LogReader& a, LogReader& b,
                                                        const Scene& scene);

// Reads a log to the next checkpoint of tick `from` or later, steps `replay` with the recorded
// commands, and compares: the log is side a, the replay side b. Returns nothing if there is no such
// checkpoint, if its image is unusable, or if ticks are lost on the way.
// REQUIRES: `replay` is at the tick before the next tick record; from > replay.tick().
std::optional<LaterDifference> difference_at_checkpoint(LogReader& log, Tick from, World& replay,
                                                        Executor& executor);

}  // namespace orrery::session
