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

// The name of a file that becomes `path` when it is whole.
std::string draft_path(const std::string& path);

// Opens the segments of the log at `path`, packed or not. `files` outlives them.
OpenSegment segments_of(const std::string& path, FileSystem& files = file_system());

// Whether a new log has the name that it was given.
struct LogName {
  int error_number = 0;    // 0: it has. EEXIST: there is a file already,
  std::string in_the_way;  // of this name

  // Why it has not: starts with the name that is at fault.
  Error error(const std::string& path) const;
};

// Takes the name of a new log, by an empty file; not where readers would take another file that is
// there for a segment of that log, or that log for a part of another, nor where a file has the name
// of a draft that the log will need.
LogName take_log_name(const std::string& path, FileSystem& files = file_system());

// Removes all segments of a log that has failed.
void remove_log(const std::string& path, FileSystem& files = file_system());

// A log that nobody else writes, and what its session can go on from (session/recovery.h).
struct ResumableLog {
  std::unique_ptr<LogLock> lock;
  Recovered recovered;
};

// The log at `path`, as the disk has it, whatever the system remembers. Removes what a crash left
// half way. An Error starts with the path.
Result<ResumableLog> recover_log(const std::string& path, Executor& executor,
                                 FileSystem& files = file_system());

}  // namespace orrery
