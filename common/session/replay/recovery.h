// Resumes a session whose server ended without closing its log.
#pragma once

#include <cstdint>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/session/log_reader.h"
#include "common/world/world.h"

namespace orrery::session {

// The state from which a session is resumed.
struct Recovered {
  World world;                        // the state after the last complete tick
  codec::LogHeader header;            // header for the next segment, without the scene
  std::uint32_t last_segment = 0;     // number of the last segment of the existing log
  std::vector<Tick> unusable;         // ticks of checkpoints that failed to restore, newest first
  std::vector<std::uint64_t> banned;  // accounts of command::Ban, in the order of the log
};

// Reads the log to the end of its longest valid prefix. Restores the newest usable one of the last
// 32 checkpoints, or the initial state if none is usable. Replays the ticks after that state, and
// compares each state with the recorded hash. Returns an Error if the session cannot be resumed.
// Reasons include a closed log, damage, a divergence, and an image larger than `image_bytes_max`.
// REQUIRES: nothing was read from `log` after open_log(). Takes its header.
Result<Recovered> recover(OpenedLog& log, Executor& executor,
                          std::size_t image_bytes_max = kImageBytesMax);

}  // namespace orrery::session
