// Opens session logs for the verbs, and explains where they diverge.
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

// Return describe() and describe_for_json() of client/cli/render/tail_text.h, and whether a running
// program is still writing the log. add_end() adds both to JSON.
std::string describe_end(const std::string& path, const session::LogTail& tail);
std::string describe_end_for_json(const std::string& path, const session::LogTail& tail);
json::Object& add_end(const std::string& path, const session::LogTail& tail, json::Object& object);

// Returns the exit code of a verb that has read a log to its end. Prints on stderr why that is not
// 0, and that ticks are missing.
int judge_end(const std::string& path, const session::LogTail& tail);

// A divergence, and the log at the last state before it if that is known.
struct Explained {
  std::unique_ptr<session::Playback> played;
  session::Divergence divergence;
  // The difference at the next checkpoint, if the states at the divergence are unknown.
  std::optional<session::LaterDifference> later = {};
};

// Explains the difference of two logs. It opens `a` again and replays it to the tick before; or
// `b`, if `a` has lost the tick.
Explained explain_logs(const LogInput& a, const LogInput& b,
                       const session::LogDifference& difference, Executor& executor);

// Explains the difference of a log and its replay by this build, after verify() returned `failed`.
// In the result a is the recorded session and b the replay.
Result<Explained> explain_replay(const std::string& path, const session::Verification& failed,
                                 Executor& executor);

}  // namespace orrery::cli
