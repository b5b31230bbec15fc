// Owns the files of a log as its readers find them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/core/executor.h"
#include "common/host/file_system.h"
#include "common/host/log_lock.h"
#include "common/session/log_reader.h"
#include "common/session/recovery.h"

namespace orrery {

// The file of a segment: PATH, PATH.0001, PATH.0002, ...
std::string segment_path(const std::string& path, std::uint32_t segment);

// Opens the segments of the log at `path`, packed or not. `files` outlives them.
OpenSegment segments_of(const std::string& path, FileSystem& files = file_system());

// Removes all segments of a log that has failed.
void remove_log(const std::string& path, FileSystem& files = file_system());

// A log that nobody else writes, and what its session can go on from (session/recovery.h).
struct ResumableLog {
  std::unique_ptr<LogLock> lock;
  Recovered recovered;
};

// The log at `path`, as the disk has it, whatever the system remembers. An Error starts with the
// path.
Result<ResumableLog> recover_log(const std::string& path, Executor& executor,
                                 FileSystem& files = file_system());

}  // namespace orrery
