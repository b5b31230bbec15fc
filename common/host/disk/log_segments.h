// Owns the files of a log as its readers find them.
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

// The file of a segment: PATH, PATH.0001, PATH.0002, ...
std::string segment_path(const std::string& path, std::uint32_t segment);

// The name of a file that becomes `path` when it is whole.
std::string draft_path(const std::string& path);

// Opens the segments of the log at `path`, packed or not. `files` outlives them.
session::OpenSegment segments_of(const std::string& path, FileSystem& files = file_system());

// Whether a new log has the name that it was given.
struct LogName {
  int error_number = 0;    // 0: it has. EEXIST: there is a file already,
  std::string in_the_way;  // of this name

  // Why it has not: starts with the name that is at fault.
  Error error(const std::string& path) const;
};

// The name of a new log, which no other program can have while the lock is held.
struct LogClaim {
  std::unique_ptr<LogLock> lock;  // held, if there is no error
  LogName name;
};

// Claims the name of a new log. Makes no file of that name: the first segment takes it when it is
// whole. Refuses the name if:
// - it is that of a file. One that is empty counts as none, and is removed: older builds left it
//   when they were killed at their start, or the disk was full.
// - readers would take another file for a segment of this log, or this log for a part of another.
// - a file has the name of a draft that the log will need. Drafts that a killed program left are
//   removed.
LogClaim claim_log(const std::string& path, FileSystem& files = file_system());

// A log that nobody else writes, and what its session can go on from (session/replay/recovery.h).
struct ResumableLog {
  std::unique_ptr<LogLock> lock;
  session::Recovered recovered;
};

// The log at `path`, as the disk has it, whatever the system remembers. Removes what a crash left
// half way. An Error starts with the path; `closed` says whether it is that the log was closed.
Result<ResumableLog> recover_log(const std::string& path, Executor& executor,
                                 FileSystem& files = file_system(), bool* closed = nullptr);

}  // namespace orrery::host
