// Owns how the last state of a log is found.
#include "common/session/recovery.h"

#include "common/session/replay.h"

namespace orrery {

Result<Recovered> recover(LogReader& log, Executor& executor) {
  Result<LogHeader> header = log.read_header();
  if (!header) return header.error();
  Result<World> initial = initial_world(header.value());
  if (!initial) return initial.error();
  World& world = initial.value();
  for (TickRecord record; log.next(record);) {
  }
  const LogTail tail = log.tail();
  if (tail.unreadable) return *tail.unreadable;
  if (tail.closed) return Error{"was closed at its end; there is nothing to go on with"};
  if (tail.damaged) {
    const std::string how =
        tail.reason.empty() ? ", with valid records behind that" : ": " + tail.reason;
    return Error{"is damaged behind tick " + std::to_string(tail.tick.value) + how +
                 "; orrery log repair makes a log of what is before, to go on with"};
  }
  LogHeader next = std::move(header.value());
  next.segment = tail.segment + 1;
  next.after_tick = tail.tick;
  next.after_checksum = log.last_checksum();
  const std::optional<CheckpointAt> last = log.last_checkpoint();
  if (!(last ? log.go_to(*last) : log.go_to_start())) return Error{"cannot be read a second time"};
  const Status replayed = replay_to(log, next, world, executor, tail.tick, [] {});
  if (!replayed) return replayed.error();
  if (world.tick != tail.tick) return Error{"changed while it was read"};
  next.scene.clear();
  return Recovered{std::move(world), std::move(next), tail.segment};
}

}  // namespace orrery
