// Owns the choice of a session's log by a name that stays the same from start to start.
#pragma once

#include <optional>
#include <string>

#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/host/disk/log_segments.h"

namespace orrery::server {

// The log that `--session FILE` means.
struct SessionFile {
  std::string path;
  std::optional<host::ResumableLog> log;  // what its session continues from; none: it begins there
};

// Looks at the last of FILE, FILE-2, FILE-3, ... that there is: files that are empty count as none,
// and up to 100 in a row may be missing.
// A session that was not closed continues there. If it was closed, the next one begins under the
// next name. An Error starts with a path and says why the last session cannot continue, and that is
// no reason to begin another.
Result<SessionFile> find_session(const std::string& file, Executor& executor,
                                 host::FileSystem& files = host::file_system());

// Why a new log cannot have the name of this file, and what would be right; empty if this is no log
// of a session.
std::string why_taken(const std::string& path, host::FileSystem& files = host::file_system());

}  // namespace orrery::server
