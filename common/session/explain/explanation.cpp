// Compares two logs, or a log with its replay, and explains the first difference.
#include "common/session/explain/explanation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/core/fill_in.h"
#include "common/session/explain/first_difference.h"
#include "common/session/versions.h"
#include "common/world/image/image.h"

namespace orrery::session {
namespace {

std::string text_of(Tick tick) { return std::to_string(tick.value); }

// Returns a playback of the log at the state after `tick`, replayed from the nearest checkpoint.
// The caller prepends the name of the log to an Error.
Result<std::unique_ptr<Playback>> play_to(const OpenSegment& open_segment, Tick tick,
                                          Executor& executor) {
  Result<std::unique_ptr<Playback>> log = Playback::open(open_log(open_segment));
  if (!log) return log;
  if (Status status = log.value()->go_to(tick, executor); !status) return status.error();
  if (log.value()->world().tick() != tick) {
    return Error{fill_in("has no tick {}", {text_of(tick)})};
  }
  return log;
}

// Returns one side of a comparison. Its views are valid as long as the arguments.
TickSide side_of(const OpenedLog& log, const TickRecord& record, const KeptCheckpoint& checkpoint) {
  return {record.commands,  record.hash,      build_of(log.reader->builds(), record.tick),
          log.header.fault, checkpoint.image, checkpoint.hash};
}

// --- Two logs: the headers ---

Explanation make_explanation(Tick tick, Cause cause, std::string why) {
  ORRERY_ASSERT(!why.empty());
  Explanation out;
  out.divergence.tick = tick;
  out.divergence.cause = cause;
  out.divergence.why = std::move(why);
  return out;
}

std::string about_scene(const char* log, const codec::LogHeader& header) {
  const Result<Scene> scene = recorded_scene(header);
  if (!scene) return fill_in("{} {}", {log, scene.error().text()});
  return fill_in("{} is of {}, {} bodies at {} Hz",
                 {log, scene.value().name, std::to_string(scene.value().bodies.size()),
                  std::to_string(scene.value().tick_rate)});
}

std::string about_rules(const char* log, const codec::LogHeader& header) {
  if (header.rules == kRulesVersion)
    return log + std::string(" was recorded under the rules of this build");
  return fill_in("{} was recorded under {}", {log, other_rules(header.rules)});
}

// Compares the headers. Returns nothing if the ticks must be compared too.
std::optional<Explanation> compare_headers(const codec::LogHeader& a, const codec::LogHeader& b,
                                           Executor& executor) {
  if (a.scene != b.scene) {
    return make_explanation({}, Cause::scene,
                            fill_in("two scenes cannot be compared tick by tick: {}; {}",
                                    {about_scene("a", a), about_scene("b", b)}));
  }
  if (a.initial_hash == b.initial_hash) return {};
  if (a.rules != b.rules) {
    return make_explanation({}, Cause::rules,
                            fill_in("{}; {}", {about_rules("a", a), about_rules("b", b)}));
  }
  const TickSide side_a{{}, a.initial_hash, a.build, ""};
  const TickSide side_b{{}, b.initial_hash, b.build, ""};
  return Explanation{{}, explain(nullptr, {}, side_a, side_b, executor)};
}

// --- Two logs: the ends ---

LogTail read_to_end(LogReader& log) {
  for (TickRecord record; log.next(record);) {
  }
  return log.tail();
}

std::string describe_end(const char* name, const ComparedLog& log, const LogTail& tail) {
  const bool may_grow = !tail.closed && !tail.damaged;
  const std::string fault = describe(tail, may_grow && log.is_being_written());
  if (fault.empty()) return fill_in("{} ends after tick {}", {name, text_of(tail.tick)});
  return fill_in("{} ends after tick {} ({})", {name, text_of(tail.tick), fault});
}

// Compares how the logs end, after all ticks that both have were equal. Returns nothing if both are
// undamaged and equally long.
std::optional<Explanation> compare_ends(const std::optional<LogDifference>& difference,
                                        const ComparedLog& a, const ComparedLog& b) {
  const LogTail& tail_a = a.log.reader->tail();
  const LogTail& tail_b = b.log.reader->tail();
  if (!difference && !tail_a.damaged && !tail_b.damaged) return {};
  const Tick after_both{std::min(tail_a.tick, tail_b.tick).value + 1};
  return make_explanation(difference ? difference->tick : after_both, Cause::length,
                          fill_in("the ticks that both have are equal; {}, {}",
                                  {describe_end("a", a, tail_a), describe_end("b", b, tail_b)}));
}

// --- Two logs: a tick ---

// Replays log a to the state before the tick of the difference, or log b if a has lost that tick.
Result<std::unique_ptr<Playback>> play_to_before(const LogDifference& difference,
                                                 const ComparedLog& a, const ComparedLog& b,
                                                 Executor& executor) {
  if (difference.tick.value == 0) return Error{"there is no state before state 0"};
  const bool plays_b = difference.lost_in_a.has_value();
  const Tick before{difference.tick.value - 1};
  auto played = play_to((plays_b ? b : a).log.open_segment, before, executor);
  if (played) return played;
  return Error{fill_in("log {} {}", {plays_b ? "b" : "a", played.error().text()})};
}

// If a log has lost ticks up to the difference, adds to the report that the sessions may have
// diverged at any of these ticks. The phase is then unknown.
void add_lost(const char* log, const std::optional<Tick>& first, Divergence& found) {
  if (!first) return;
  found.phase.reset();
  found.why =
      fill_in("{}; {} has lost ticks {} to {}, and the sessions may differ from any of these on",
              {found.why, log, text_of(*first), text_of(found.tick)});
}

Explanation explain_difference(const ComparedLog& a, const ComparedLog& b,
                               const LogDifference& difference, Executor& executor) {
  ORRERY_ASSERT(difference.a && difference.b);
  TickSide side_a = side_of(a.log, *difference.a, difference.checkpoint_a);
  TickSide side_b = side_of(b.log, *difference.b, difference.checkpoint_b);
  // If a log has lost the commands of this tick, assume that both logs had equal commands.
  if (difference.lost_in_a) side_a.commands = side_b.commands;
  if (difference.lost_in_b) side_b.commands = side_a.commands;
  auto played = play_to_before(difference, a, b, executor);
  const World* const before = played ? &played.value()->world() : nullptr;
  Explanation out{nullptr, explain(before, difference.tick, side_a, side_b, executor)};
  if (played) {
    out.played = std::move(played.value());
  } else {
    out.divergence.unknown = played.error().text();
  }
  add_lost("a", difference.lost_in_a, out.divergence);
  add_lost("b", difference.lost_in_b, out.divergence);
  const Result<Scene> scene = recorded_scene(a.log.header);
  if (!out.divergence.unknown.empty() && a.log.header.rules == kRulesVersion && scene) {
    out.later = difference_at_checkpoint(*a.log.reader, *b.log.reader, scene.value());
  }
  return out;
}

// --- A log and its replay ---

// Reads up to a tick, and stores its record. Returns false if the log has no record of this tick.
bool read_to(LogReader& log, Tick tick, TickRecord& record) {
  while (log.next(record)) {
    if (record.tick >= tick) return record.tick == tick;
  }
  return false;
}

// Stores in `record` the record of the tick where a replay failed. If a checkpoint of that tick is
// the first one that the replay did not match, stores this checkpoint in `bad`. Returns false if
// the log has no record of this tick.
bool read_to_failure(LogReader& log, const Verification& failed, TickRecord& record,
                     KeptCheckpoint& bad) {
  ORRERY_ASSERT(failed.first_divergent_tick);
  const Tick tick{*failed.first_divergent_tick};
  std::uint64_t sound = failed.checkpoints;  // number of matching checkpoints that are not read yet
  TickRecord next;
  Checkpoint checkpoint;
  while (const std::optional<RecordType> type = log.next(next, checkpoint)) {
    if (is_tick(*type)) {
      if (next.tick > tick) break;
      std::swap(record, next);
    } else if (sound-- == 0) {
      const Bytes image = checkpoint.image;
      if (checkpoint.tick == tick) bad = {checkpoint.hash, {image.begin(), image.end()}};
      break;
    }
  }
  return record.tick == tick;
}

// Replays the log from the state `before`, which precedes the divergence. Returns how the recorded
// state and the replayed state differ at the next checkpoint.
std::optional<LaterDifference> later_in_replay(const OpenSegment& open_segment, const World& before,
                                               Executor& executor) {
  Result<OpenedLog> log = open_log(open_segment);
  World replay(before.scene());
  std::vector<std::uint8_t> image;
  save_image(before, image);
  TickRecord record;
  if (!log || !restore_image(replay, image)) return {};
  LogReader& reader = *log.value().reader;
  if (replay.tick().value > 0 && !read_to(reader, replay.tick(), record)) return {};
  return difference_at_checkpoint(reader, Tick{replay.tick().value + 1}, replay, executor);
}

// Explains a replay that differs in the initial state.
Result<Explanation> explain_start(const OpenedLog& log, std::string_view build,
                                  Executor& executor) {
  const Result<World> world = initial_world(log.header);
  if (!world) return world.error();
  const TickRecord record{{}, log.header.initial_hash, {}};
  const TickSide recorded = side_of(log, record, {});
  const TickSide ours{{}, world.value().hash(), build, ""};
  return Explanation{nullptr, explain(nullptr, {}, recorded, ours, executor)};
}

}  // namespace

LogComparison compare_logs(const ComparedLog& a, const ComparedLog& b, Executor& executor,
                           const std::function<void()>& progress) {
  ORRERY_ASSERT(&a.log != &b.log && a.is_being_written && b.is_being_written);
  LogComparison out;
  if (std::optional<Explanation> headers = compare_headers(a.log.header, b.log.header, executor)) {
    out.found.emplace(std::move(*headers));
    return out;
  }
  const auto count = [&] {
    ++out.ticks;
    progress();
  };
  const std::optional<LogDifference> difference =
      first_difference(*a.log.reader, *b.log.reader, a.log.header.initial_hash, count);
  if (difference && difference->a && difference->b) {
    out.found.emplace(explain_difference(a, b, *difference, executor));
    return out;
  }
  out.tail_a = read_to_end(*a.log.reader);
  out.tail_b = read_to_end(*b.log.reader);
  if (std::optional<Explanation> ends = compare_ends(difference, a, b)) {
    out.found.emplace(std::move(*ends));
  }
  return out;
}

Result<Explanation> explain_replay(const OpenSegment& open_segment, const Verification& failed,
                                   std::string_view build, Executor& executor) {
  ORRERY_ASSERT(failed.first_divergent_tick);
  const Tick tick{*failed.first_divergent_tick};
  Result<OpenedLog> opened = open_log(open_segment);
  if (!opened) return opened.error();
  const OpenedLog& log = opened.value();
  if (tick.value == 0) return explain_start(log, build, executor);
  auto played = play_to(open_segment, Tick{tick.value - 1}, executor);
  if (!played) return played.error();
  const World& before = played.value()->world();
  TickRecord record;
  KeptCheckpoint checkpoint;
  if (!read_to_failure(*log.reader, failed, record, checkpoint)) {
    return Error{fill_in("has no tick {}", {text_of(tick)})};
  }
  const TickSide recorded = side_of(log, record, checkpoint);
  const TickSide ours{record.commands, {}, build, ""};
  Explanation out{nullptr, explain(&before, tick, recorded, ours, executor)};
  if (!out.divergence.unknown.empty()) out.later = later_in_replay(open_segment, before, executor);
  out.played = std::move(played.value());
  return out;
}

}  // namespace orrery::session
