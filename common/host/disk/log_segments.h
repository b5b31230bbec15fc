// Finds, claims and recovers the files of a session log.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/core/executor.h"
#include "common/host/disk/file_system.h"
#include "common/host/disk/log_lock.h"
#include "common/session/log_reader.h"
#include "common/session/replay/recovery.h"

namespace orrery::host {

// Returns the name of a segment's file: PATH, PATH.0001, PATH.0002, ...
std::string segment_path(const std::string& path, std::uint32_t segment);

// Returns the name of the temporary file that becomes `path` when it is complete.
std::string draft_path(const std::string& path);

// Returns a function that opens the segments of the log at `path`, packed or not. REQUIRES: `files`
// outlives the function and the segments.
session::OpenSegment segments_of(const std::string& path, FileSystem& files = file_system());

// The result of checking whether a new log can have a name.
struct LogName {
  // 0: the log can have the name. EEXIST: a file is in the way. EWOULDBLOCK: a running program
  // writes this log. Any other number is the error of a system call.
  int error_number = 0;
  std::string in_the_way;  // the name of the file that the error is about

  // Returns why the log cannot have the name. The message starts with the name that is at fault.
  // REQUIRES: error_number is not 0.
  Error error(const std::string& path) const;
};

// A claim on the name of a new log. No other program can take the name while the lock is held.
struct LogClaim {
  std::unique_ptr<LogLock> lock;  // held if there is no error
  LogName name;
};

// Claims the name of a new log. Creates no file of that name: the first segment gets the name
// later. Refuses the name if:
// - a running program writes a log with this name.
// - a file has it. An empty file does not count, and is removed: older builds left one when they
//   were killed at their start or the disk was full.
// - readers would take another file for a segment of this log, or this log for a part of another.
// - a file has the name of a temporary file that the log will need. Temporary files of a killed
//   program are removed.
LogClaim claim_log(const std::string& path, FileSystem& files = file_system());

// A locked log, and the state that its session can continue from (session/replay/recovery.h).
struct ResumableLog {
  std::unique_ptr<LogLock> lock;
  session::Recovered recovered;
};

// Locks and recovers the log at `path`. Reads the bytes on the disk, not those in the cache of the
// system. Removes temporary files that a crash left. An Error starts with the path; `*closed` is
// then true if the reason is that the session was closed.
Result<ResumableLog> recover_log(const std::string& path, Executor& executor,
                                 FileSystem& files = file_system(), bool* closed = nullptr);

}  // namespace orrery::host
