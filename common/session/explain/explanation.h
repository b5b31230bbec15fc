// Compares two logs, or a log with its replay, and explains the first difference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/session/explain/divergence.h"
#include "common/session/explain/later_difference.h"
#include "common/session/log_reader.h"
#include "common/session/replay/playback.h"
#include "common/session/replay/replay.h"

namespace orrery::session {

// A divergence, and a playback of one of the logs at the state before it. The playback is null if
// that state is unknown or the cause was found without it.
struct Explanation {
  std::unique_ptr<Playback> played;
  Divergence divergence;
  // The difference at the next checkpoint, if the states at the divergence are unknown.
  std::optional<LaterDifference> later = {};
};

// One of two logs to compare. REQUIRES: the log outlives the comparison, and nothing was read from
// it after open_log().
struct ComparedLog {
  const OpenedLog& log;
  // Returns true if a running program is writing the log. Called only for a log without an end
  // record.
  std::function<bool()> is_being_written;
};

// The result of compare_logs().
struct LogComparison {
  std::uint64_t ticks = 0;           // number of equal ticks
  std::optional<Explanation> found;  // nothing: the sessions are equal
  std::optional<LogTail> tail_a;     // present if both logs were read to their ends
  std::optional<LogTail> tail_b;
};

// Reads two logs until they differ, and explains the difference. Opens log a again, or log b if a
// has lost the tick that differs, and replays it to the tick before. Calls `progress` after each
// equal tick. Read errors are in the tails of the readers.
LogComparison compare_logs(const ComparedLog& a, const ComparedLog& b, Executor& executor,
                           const std::function<void()>& progress);

// Explains the difference of a log and its replay by this build, which is named `build`. In the
// result a is the recorded session and b the replay. Returns an Error if the log cannot be read or
// replayed again. REQUIRES: verify() returned `failed`, and it has a first divergent tick.
Result<Explanation> explain_replay(const OpenSegment& open_segment, const Verification& failed,
                                   std::string_view build, Executor& executor);

}  // namespace orrery::session
