// Opens session logs for the verbs, and explains where they diverge.
#include "client/cli/log_input.h"

#include <utility>

#include "client/cli/render/tail_text.h"
#include "client/cli/unusable.h"
#include "common/core/fill_in.h"
#include "common/core/printable.h"
#include "common/host/disk/log_lock.h"
#include "common/host/disk/log_segments.h"
#include "common/host/process/build.h"
#include "common/session/replay/replay.h"
#include "common/session/versions.h"
#include "common/world/image/image.h"

namespace orrery::cli {
namespace {

// Returns the log at the state after `tick`, replayed from the nearest checkpoint. The caller
// prepends the path to an Error.
Result<std::unique_ptr<session::Playback>> play_to(const std::string& path, Tick tick,
                                                   Executor& executor) {
  Result<std::unique_ptr<session::Playback>> log = session::Playback::open(host::segments_of(path));
  if (!log) return log;
  if (Status status = log.value()->go_to(tick, executor); !status) return status.error();
  if (log.value()->world().tick() != tick) {
    return Error{"has no tick " + std::to_string(tick.value)};
  }
  return log;
}

session::TickSide account_of(const LogInput& log, const session::TickRecord& record,
                             const session::KeptCheckpoint& checkpoint) {
  return {record.commands,  record.hash,      log.reader->build_of(record.tick),
          log.header.fault, checkpoint.image, checkpoint.hash};
}

// Reads up to a tick. Returns false if the log has lost it.
bool read_to(LogInput& log, Tick tick, session::TickRecord& record) {
  while (log.reader->next(record)) {
    if (record.tick >= tick) return record.tick == tick;
  }
  return false;
}

// Reads up to the tick where a replay failed, and to the first checkpoint after those that it
// matched.
bool read_to_failure(LogInput& log, const session::Verification& found, session::TickRecord& record,
                     session::KeptCheckpoint& failed) {
  ORRERY_ASSERT(found.first_divergent_tick);
  const Tick tick{*found.first_divergent_tick};
  std::uint64_t sound = found.checkpoints;  // number of checkpoints before the failure
  session::TickRecord next;
  session::Checkpoint checkpoint;
  while (const std::optional<session::RecordType> type = log.reader->next(next, checkpoint)) {
    if (session::is_tick(*type)) {
      if (next.tick > tick) break;
      std::swap(record, next);
    } else if (sound-- == 0) {
      const Bytes image = checkpoint.image;
      if (checkpoint.tick == tick) failed = {checkpoint.hash, {image.begin(), image.end()}};
      break;
    }
  }
  return record.tick == tick;
}

// Returns how the recorded session and its replay differ at the next checkpoint. `before` is the
// state before the divergence.
std::optional<session::LaterDifference> later_in_replay(const std::string& path,
                                                        const World& before, Executor& executor) {
  Result<LogInput> log = open_log(path);
  World replay(before.scene());
  std::vector<std::uint8_t> image;
  save_image(before, image);
  session::TickRecord record;
  if (!log || !restore_image(replay, image)) return {};
  if (replay.tick().value > 0 && !read_to(log.value(), replay.tick(), record)) return {};
  const Tick from{replay.tick().value + 1};
  return session::difference_at_checkpoint(*log.value().reader, from, replay, executor);
}

// Replays a log that has the tick of the difference to the state before that tick.
Result<std::unique_ptr<session::Playback>> play_to_before(const session::LogDifference& difference,
                                                          const LogInput& a, const LogInput& b,
                                                          Executor& executor) {
  if (difference.tick.value == 0) return Error{"there is no state before state 0"};
  const bool plays_b = difference.lost_in_a.has_value();
  auto played = play_to((plays_b ? b : a).path, Tick{difference.tick.value - 1}, executor);
  if (!played) return Error{(plays_b ? "log b " : "log a ") + played.error().message};
  return played;
}

// Adds that the sessions may have diverged at any of the ticks that a log has lost. The phase is
// then unknown.
void add_lost(const char* log, const std::optional<Tick>& first, session::Divergence& found) {
  if (!first) return;
  found.phase.reset();
  found.why +=
      fill_in("; {} has lost ticks {} to {}, and it may be any of these from which on they differ",
              {log, std::to_string(first->value), std::to_string(found.tick.value)});
}

// Returns true if a running program is writing the log.
bool is_growing(const std::string& path, const session::LogTail& tail) {
  return !tail.closed && !tail.damaged && host::is_being_written(path);
}

}  // namespace

Result<LogInput> open_log(const std::string& path, int* exit_code) {
  LogInput log{path, nullptr, nullptr, {}};
  if (exit_code) *exit_code = 2;
  Result<std::unique_ptr<host::SegmentSource>> file = host::SegmentSource::open(path);
  if (!file) return file.error();
  log.file = std::move(file.value());
  log.reader = std::make_unique<session::LogReader>(*log.file, host::segments_of(path));
  Result<codec::LogHeader> header = log.reader->read_header();
  if (log.reader->tail().unreadable) return *log.reader->tail().unreadable;
  if (exit_code && log.reader->tail().damaged) *exit_code = 1;
  if (!header) return Error{printable(path) + ": " + header.error().message};
  log.header = std::move(header.value());
  return log;
}

std::string describe_end(const std::string& path, const session::LogTail& tail) {
  return describe(tail) + (is_growing(path, tail) ? "; a running program is writing it" : "");
}

std::string describe_end_for_json(const std::string& path, const session::LogTail& tail) {
  return describe_for_json(tail) + (is_growing(path, tail) ? "; a program is writing it now" : "");
}

json::Object& add_end(const std::string& path, const session::LogTail& tail, json::Object& object) {
  return add_tail(tail, object).add("being_written", json::of(is_growing(path, tail)));
}

int judge_end(const std::string& path, const session::LogTail& tail) {
  if (tail.unreadable) return unusable(tail.unreadable->message);
  if (!tail.damaged && tail.lost_ticks == 0) return 0;
  return unusable(printable(path) + ": " + describe(tail) +
                      (tail.damaged ? "; the ticks before it are used" : ""),
                  tail.damaged ? 1 : 0);
}

Explained explain_logs(const LogInput& a, const LogInput& b,
                       const session::LogDifference& difference, Executor& executor) {
  ORRERY_ASSERT(difference.a && difference.b);
  session::TickSide account_a = account_of(a, *difference.a, difference.checkpoint_a);
  session::TickSide account_b = account_of(b, *difference.b, difference.checkpoint_b);
  // If a log has lost the commands, assume that they were equal.
  if (difference.lost_in_a) account_a.commands = account_b.commands;
  if (difference.lost_in_b) account_b.commands = account_a.commands;
  auto played = play_to_before(difference, a, b, executor);
  const World* const before = played ? &played.value()->world() : nullptr;
  Explained out{nullptr, session::explain(before, difference.tick, account_a, account_b, executor)};
  if (played) {
    out.played = std::move(played.value());
  } else {
    out.divergence.unknown = played.error().message;
  }
  add_lost("a", difference.lost_in_a, out.divergence);
  add_lost("b", difference.lost_in_b, out.divergence);
  const Result<Scene> scene = session::recorded_scene(a.header);
  if (!out.divergence.unknown.empty() && a.header.rules == kRulesVersion && scene) {
    out.later = session::difference_at_checkpoint(*a.reader, *b.reader, scene.value());
  }
  return out;
}

Result<Explained> explain_replay(const std::string& path, const session::Verification& failed,
                                 Executor& executor) {
  ORRERY_ASSERT(failed.first_divergent_tick);
  const Tick tick{*failed.first_divergent_tick};
  Result<LogInput> opened = open_log(path);
  if (!opened) return opened.error();
  LogInput& log = opened.value();
  session::TickRecord record;
  record.hash = log.header.initial_hash;
  const std::string build = host::build_name();
  if (tick.value == 0) {
    const Result<World> world = session::initial_world(log.header);
    if (!world) return world.error();
    const session::TickSide ours{{}, world.value().hash(), build, ""};
    return Explained{nullptr,
                     session::explain(nullptr, tick, account_of(log, record, {}), ours, executor)};
  }
  auto played = play_to(path, Tick{tick.value - 1}, executor);
  if (!played) return played.error();
  const World& before = played.value()->world();
  session::KeptCheckpoint checkpoint;
  if (!read_to_failure(log, failed, record, checkpoint)) {
    return Error{"has no tick " + std::to_string(tick.value)};
  }
  const session::TickSide ours{record.commands, {}, build, ""};
  const session::TickSide recorded = account_of(log, record, checkpoint);
  Explained out{nullptr, session::explain(&before, tick, recorded, ours, executor)};
  if (!out.divergence.unknown.empty()) out.later = later_in_replay(path, before, executor);
  out.played = std::move(played.value());
  return out;
}

}  // namespace orrery::cli
