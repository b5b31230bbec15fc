// Moves to a tick of a session log, for the verbs that show states.
#pragma once

#include <optional>
#include <string>

#include "common/session/replay/playback.h"

namespace orrery::cli {

// Moves to a tick, or to the end of the log if `tick` is empty. `log` is the path of the log, and
// `option` the option with the tick, such as "--at". Returns 0 if that state exists. Otherwise
// prints one line on stderr and returns the exit code.
int go_to(session::Playback& playback, const std::string& log, const std::optional<Tick>& tick,
          const std::string& option);

}  // namespace orrery::cli
