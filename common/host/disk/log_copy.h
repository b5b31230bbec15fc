// Copies a session log into a new file of one segment.
#pragma once

#include <cstdint>
#include <string>

#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/host/disk/file_system.h"
#include "common/session/log_reader.h"

namespace orrery::host {

// The extent of a copy.
struct LogCopy {
  Tick last;               // the last tick that the copy has
  std::uint64_t hash = 0;  // the hash of the state at that tick
  bool whole = true;  // false: the log has a gap after `last`, which one segment cannot express
};

// Copies ticks, checkpoints and seals into a new file of one segment, at `path`, and adds an index.
// The copy ends with the longest valid prefix of the log, or before the first gap. If the end
// record of the log is copied, the copy is closed; otherwise a session can be resumed from the
// copy. After an Error, whose text starts with a path, no copy is left. REQUIRES: only the header
// of `log` was read, and it is `header`.
Result<LogCopy> copy_log(session::LogReader& log, const codec::LogHeader& header,
                         const std::string& path, FileSystem& files = file_system());

}  // namespace orrery::host
