// Owns what verbs say of how a log ends, and of what it lacks.
#pragma once

#include <string>

#include "client/cli/json.h"
#include "common/session/log_reader.h"

namespace orrery::cli {

// One line; empty of a log that is whole.
std::string describe(const session::LogTail& tail);

// torn, damaged, reason, segments, lost_bytes, abandoned_bytes, lost_ticks.
json::Object& add_tail(const session::LogTail& tail, json::Object& object);

}  // namespace orrery::cli
