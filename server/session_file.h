// Chooses the log of a session for `--session FILE`, an option that can be the same at every start.
#pragma once

#include <optional>
#include <string>

#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/host/disk/log_segments.h"

namespace orrery::server {

// The log that `--session FILE` selects.
struct SessionFile {
  std::string path;
  std::optional<host::ResumableLog> log;  // log to continue; none: a new session begins
};

// Selects the last existing log of FILE, FILE-2, FILE-3, ... Ignores empty files. Up to 100 numbers
// in a row may be missing.
//
// If the session of that log was not closed, it continues. If it was closed, the next session
// begins under the next number. An Error starts with a path and says why the last session cannot
// continue; no other session begins then.
Result<SessionFile> find_session(const std::string& file, Executor& executor,
                                 host::FileSystem& files = host::file_system());

// Returns why a new log cannot use this path, and how to continue. Returns an empty string if
// the file is not a session log.
std::string why_taken(const std::string& path, host::FileSystem& files = host::file_system());

}  // namespace orrery::server
