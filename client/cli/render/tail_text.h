// Describes the end of a log, and its gaps.
#pragma once

#include <string>

#include "client/cli/json.h"
#include "common/session/log_reader.h"

namespace orrery::cli {

// Returns one line; empty if the log is complete and intact.
std::string describe(const session::LogTail& tail);

// Returns the same in the words of the JSON field `why`. These must not change, because programs
// may compare them.
std::string describe_for_json(const session::LogTail& tail);

// Adds torn, damaged, reason, segments, lost_bytes, abandoned_bytes and lost_ticks.
json::Object& add_tail(const session::LogTail& tail, json::Object& object);

}  // namespace orrery::cli
