// Owns the writing of a session log anew, as one file.
#pragma once

#include <cstdint>
#include <string>

#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/host/disk/file_system.h"
#include "common/session/log_reader.h"

namespace orrery::host {

struct LogCopy {
  Tick last;               // the last tick that the copy has,
  std::uint64_t hash = 0;  // and the hash of its state
  bool whole = true;       // false: ticks are missing behind it, which one file cannot say
};

// Copies a log, of which only the header was read, into a new file, as one segment with an index of
// its own: ticks, checkpoints and seals, to the end of the longest valid prefix or to the first
// gap; and the end, if that prefix has it: else a session can go on with the copy. An Error starts
// with the path; then no file is left.
Result<LogCopy> copy_log(session::LogReader& log, const codec::LogHeader& header,
                         const std::string& path, FileSystem& files = file_system());

}  // namespace orrery::host
