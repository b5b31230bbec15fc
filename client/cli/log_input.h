// Opens session logs for the verbs, and says how they end.
#pragma once

#include <memory>
#include <string>

#include "client/cli/json.h"
#include "common/core/result.h"
#include "common/session/log_reader.h"

namespace orrery::cli {

// A session log that a verb reads.
struct LogInput : session::OpenedLog {
  std::string path;  // as typed
};

// Opens a log and reads its header. The place of an Error has the file.
Result<LogInput> open_log(const std::string& path);

// Returns true if a running program is writing the log, and the log is neither closed nor damaged.
// `tail` is the end of the log as this program read it.
bool is_growing(const std::string& path, const session::LogTail& tail);

// Returns the faults of the log in one line, as describe() in common/session/log_tail.h writes
// them. Uses is_growing() to find out whether a program is writing the log.
std::string describe_end(const std::string& path, const session::LogTail& tail);

// Adds the fields torn, damaged, reason, segments, lost_bytes, abandoned_bytes, lost_ticks and
// being_written to `object`. Returns `object`.
json::Object& add_end(const std::string& path, const session::LogTail& tail, json::Object& object);

// Returns the exit code of a verb that has read a log to its end. If the code is not 0, or the log
// lacks ticks, prints the reason on stderr.
int judge_end(const std::string& path, const session::LogTail& tail);

}  // namespace orrery::cli
