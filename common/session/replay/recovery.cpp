// Resumes a session after its server ended without closing the log.
#include "common/session/replay/recovery.h"

#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "common/core/limits.h"
#include "common/core/per_client.h"
#include "common/session/replay/replay.h"
#include "common/world/image/image.h"

namespace orrery::session {
namespace {

// Maximum tick of a session to resume. No session reaches it, and later ticks could overflow.
constexpr std::uint64_t kTickMax = std::uint64_t{1} << 63;

// Maximum number of checkpoints tried, from the last one back. If none can be restored, the session
// is replayed from its start.
constexpr std::size_t kCheckpointsTried = 32;

// Reads bans in a log. A ban names a client, and the join of this client its account.
class Bans {
 public:
  void read(std::span<const Command> commands) {
    for (const Command& c : commands) {
      if (const auto* const join = std::get_if<command::Join>(&c.payload)) {
        accounts_[join->client] = join->account;
      }
      if (const auto* const leave = std::get_if<command::Leave>(&c.payload)) {
        accounts_[leave->client] = 0;
      }
      const auto* const ban = std::get_if<command::Ban>(&c.payload);
      if (ban && accounts_[ban->client] != 0) banned_.push_back(accounts_[ban->client]);
    }
  }
  // Forgets all joins, after a part of the log that is missing.
  void forget() { accounts_ = PerClient<std::uint64_t>{limits::kClientsMax}; }
  std::vector<std::uint64_t> take() { return std::move(banned_); }

 private:
  PerClient<std::uint64_t> accounts_{limits::kClientsMax};
  std::vector<std::uint64_t> banned_;
};

// Reads to the end of the log. Returns the positions of the last kCheckpointsTried checkpoints.
std::vector<CheckpointLocation> read_to_end(LogReader& log, Bans& bans) {
  std::vector<CheckpointLocation> last;
  TickRecord record;
  Checkpoint checkpoint;
  while (const std::optional<RecordType> type = log.next(record, checkpoint)) {
    if (is_tick(*type)) bans.read(record.commands);
    if (type != RecordType::checkpoint) continue;
    if (checkpoint.after_gap) bans.forget();
    if (last.size() == kCheckpointsTried) last.erase(last.begin());
    last.push_back(*log.last_checkpoint());
  }
  ORRERY_ASSERT(last.size() <= kCheckpointsTried);
  return last;
}

// Restores the last usable checkpoint in `places`, or else the initial state. Appends to `unusable`
// the ticks of checkpoints that cannot be restored.
Status go_to_last_state(LogReader& log, const codec::LogHeader& header,
                        std::vector<CheckpointLocation> places, std::optional<World>& world,
                        std::vector<Tick>& unusable) {
  ORRERY_ASSERT(world && world->tick().value == 0);
  const Error lost{"cannot be read again, to restore its last state"};
  TickRecord record;
  Checkpoint checkpoint;
  for (; !places.empty(); places.pop_back()) {
    if (!log.go_to(places.back())) return lost;
    if (log.next(record, checkpoint) == RecordType::checkpoint &&
        restore_checkpoint(*world, checkpoint)) {
      return ok_status();
    }
    unusable.push_back(places.back().place.tick);
  }
  if (!log.go_to_start()) return lost;
  if (!unusable.empty()) world.emplace(std::move(initial_world(header).value()));
  return ok_status();
}

// Replays the ticks up to `last` and compares their hashes. Restores a checkpoint only after lost
// ticks.
Status step_to(LogReader& log, World& world, Tick last, Executor& executor) {
  ORRERY_ASSERT(world.tick() <= last);
  TickRecord record;
  Checkpoint checkpoint;
  while (world.tick() < last) {
    const std::optional<RecordType> type = log.next(record, checkpoint);
    if (!type) break;
    const std::string tick = std::to_string(log.tick().value);
    if (is_tick(*type)) {
      if (step_as_recorded(world, record, executor)) continue;
      return Error{"diverges at tick " + tick + ": replay gives another state than was recorded"};
    }
    if (checkpoint.after_gap && !restore_checkpoint(world, checkpoint)) {
      return Error{"cannot continue after the ticks that were lost before tick " + tick +
                   ": the checkpoint there has no valid state"};
    }
  }
  return world.tick() == last ? ok_status() : Error{"changed while it was read"};
}

// Returns why a log with this tail cannot be resumed, or nothing if it can.
std::optional<Error> refusal(const LogTail& tail) {
  if (tail.unreadable) return tail.unreadable;
  if (tail.closed)
    return Error{"was closed, so it cannot be resumed; `orrery fork` continues it in a new log"};
  if (!tail.damaged) {
    if (tail.tick.value <= kTickMax) return {};
    return Error{"is at a tick that no session can reach"};
  }
  const std::string how = tail.reason.empty() ? ", and valid records follow" : ": " + tail.reason;
  return Error{
      "is damaged after tick " + std::to_string(tail.tick.value) + how +
      "; orrery log repair copies the ticks before the damage into a log that can be resumed"};
}

}  // namespace

Result<Recovered> recover(OpenedLog& opened, Executor& executor, std::size_t image_bytes_max) {
  ORRERY_ASSERT(image_bytes_max > 0);
  LogReader& log = *opened.reader;
  codec::LogHeader& next = opened.header;
  // The tail is checked before the rules, so that a closed log of other rules is reported as
  // closed.
  Bans bans;
  std::vector<CheckpointLocation> places = read_to_end(log, bans);
  const LogTail tail = log.tail();
  if (const std::optional<Error> why = refusal(tail)) return *why;
  Result<World> initial = initial_world(next);
  if (!initial) return initial.error();
  std::optional<World> world(std::move(initial.value()));
  if (world->hash() != next.initial_hash) return Error{"diverges at tick 0: the initial state"};
  next.segment = tail.segment + 1;
  next.after_tick = tail.tick;
  next.after_checksum = log.place().checksum;
  std::vector<Tick> unusable;
  Status found = go_to_last_state(log, next, std::move(places), world, unusable);
  if (found) found = step_to(log, *world, tail.tick, executor);
  if (!found) return found.error();
  std::vector<std::uint8_t> image;
  save_image(*world, image);
  if (image.size() > image_bytes_max) {
    return Error{"is at a state of " + std::to_string(image.size()) +
                 " bytes, and the checkpoint to continue from may have at most " +
                 std::to_string(image_bytes_max)};
  }
  next.scene.clear();
  return Recovered{std::move(*world), std::move(next), tail.segment, std::move(unusable),
                   bans.take()};
}

}  // namespace orrery::session
