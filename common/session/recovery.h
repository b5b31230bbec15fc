// Owns going on with a session whose server ended without closing its log.
#pragma once

#include <cstdint>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/session/log_reader.h"
#include "common/world/world.h"

namespace orrery {

struct Recovered {
  World world;                     // the state after the last whole tick of the log
  LogHeader header;                // of the segment that goes on from there
  std::uint32_t last_segment = 0;  // of the log so far
  std::vector<Tick> unusable;      // the last checkpoints, if they hold no state of this session
};

// Reads the log to the end of its longest valid prefix. The state is that of the last checkpoint
// which holds one, stepped through the ticks behind it, each of which must come out as recorded. An
// Error says why nothing can go on from this log: that its session was closed, among others, or
// that the image of the state has more bytes than these.
Result<Recovered> recover(LogReader& log, Executor& executor,
                          std::size_t image_bytes_max = kImageBytesMax);

}  // namespace orrery
