// Moves to a tick of a session log, for the verbs that show states.
#include "client/cli/log_state.h"

#include "client/cli/log_input.h"
#include "client/cli/unusable.h"
#include "common/core/printable.h"
#include "common/session/versions.h"

namespace orrery::cli {

int go_to(session::Playback& playback, const std::string& log, const std::optional<Tick>& tick,
          const std::string& option) {
  constexpr Tick kEnd{~std::uint64_t{0}};
  SerialExecutor executor;
  const Status gone = playback.go_to(tick.value_or(kEnd), executor);
  const session::LogTail& tail = playback.tail();
  if (!gone && tail.unreadable) return unusable(gone.error().text());
  const bool steps = playback.header().rules == kRulesVersion;
  if (!gone) return unusable(printable(log) + ": " + gone.error().text(), steps ? 1 : 2);
  const Tick last = playback.world().tick();
  if (!tick || last == *tick) return 0;
  if (last < *tick && tail.damaged) return judge_end(log, tail);
  return unusable(option + ": the log has no tick " + std::to_string(tick->value) +
                  (last < *tick ? "; its last tick is " : "; the next tick in it is ") +
                  std::to_string(last.value));
}

}  // namespace orrery::cli
