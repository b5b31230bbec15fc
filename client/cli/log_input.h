// Opens session logs for the verbs, and says how they end.
#pragma once

#include <memory>
#include <string>

#include "client/cli/json.h"
#include "common/core/result.h"
#include "common/host/disk/packed_segment.h"
#include "common/session/log_reader.h"

namespace orrery::cli {

// A session log that is open for reading.
struct LogInput {
  std::string path;  // as typed
  std::unique_ptr<host::SegmentSource> file;
  std::unique_ptr<session::LogReader> reader;  // positioned after the header
  codec::LogHeader header;
};

// Opens a log and reads its header. An Error is one line that names the file. `exit_code`, if it is
// not null, is then the exit code of the verb.
Result<LogInput> open_log(const std::string& path, int* exit_code = nullptr);

// Returns true if a running program is writing the log. `tail`: its end, as it was read.
bool is_growing(const std::string& path, const session::LogTail& tail);

// Returns describe() of common/session/log_tail.h, with the answer of is_growing().
std::string describe_end(const std::string& path, const session::LogTail& tail);

// Adds torn, damaged, reason, segments, lost_bytes, abandoned_bytes, lost_ticks and being_written.
json::Object& add_end(const std::string& path, const session::LogTail& tail, json::Object& object);

// Returns the exit code of a verb that has read a log to its end. Prints on stderr why that is not
// 0, and that ticks are missing.
int judge_end(const std::string& path, const session::LogTail& tail);

}  // namespace orrery::cli
