// Owns a session log as verbs open it, and the way from a difference to its explanation.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "client/cli/json.h"
#include "common/host/disk/packed_segment.h"
#include "common/session/explain/divergence.h"
#include "common/session/explain/first_difference.h"
#include "common/session/explain/later_difference.h"
#include "common/session/log_reader.h"
#include "common/session/replay/playback.h"
#include "common/session/replay/replay.h"

namespace orrery::cli {

struct LogInput {
  std::string path;  // as given
  std::unique_ptr<host::SegmentSource> file;
  std::unique_ptr<session::LogReader> reader;  // behind the header
  codec::LogHeader header;
};

// An Error is a line that names the file; `exit_code`, if asked for, is then what a verb returns.
Result<LogInput> open_log(const std::string& path, int* exit_code = nullptr);

// describe() and add_tail() (client/cli/render/tail_text.h), and whether the log is still being
// written.
std::string describe_end(const std::string& path, const session::LogTail& tail);
json::Object& add_end(const std::string& path, const session::LogTail& tail, json::Object& object);

// The exit code of a verb that has read a log to its end. It says why that is not 0, and which
// ticks there are none of.
int judge_end(const std::string& path, const session::LogTail& tail);

// A divergence, and the log at the last state before it where that is known.
struct Explained {
  std::unique_ptr<session::Playback> played;
  session::Divergence divergence;
  // How the two differ at the next checkpoint, where values are not known before.
  std::optional<session::LaterDifference> later = {};
};

// Explains what the records of two logs differ in; `a`, or `b` if `a` has lost the tick, is opened
// anew, and played to the tick before.
Explained explain_logs(const LogInput& a, const LogInput& b,
                       const session::LogDifference& difference, Executor& executor);

// The same of a log and what this build makes of it, where verify() `failed`: a is what was
// recorded, b the replay.
Result<Explained> explain_replay(const std::string& path, const session::Verification& failed,
                                 Executor& executor);

}  // namespace orrery::cli
