// Owns how logs are opened for comparison, and how the state before a difference is found.
#include "client/cli/log_input.h"

#include <utility>

#include "common/core/printable.h"
#include "common/host/build.h"
#include "common/host/log_segments.h"
#include "common/host/terminal.h"
#include "common/session/replay.h"
#include "common/session/versions.h"

namespace orrery {
namespace {

// The state after `tick`, by replay of the log from its start; an Error says why there is none.
Result<World> state_at(const LogInput& log, Tick tick, Executor& executor) {
  Result<LogInput> again = open_log(log.path);
  if (!again) return again.error();
  LogInput& input = again.value();
  Result<World> world = initial_world(input.header);
  if (!world) return world;
  ProgressBar progress("replay " + printable(log.path, 40), tick.value);
  const Status status = replay_to(*input.reader, input.header, world.value(), executor, tick,
                                  [&] { progress.show(world.value().tick.value); });
  if (!status) return status.error();
  if (world.value().tick != tick) return Error{"ends before tick " + std::to_string(tick.value)};
  return world;
}

Account account_of(const LogInput& log, const TickRecord& record, Bytes image) {
  return {record.commands, record.hash, log.header.build, log.header.fault, image};
}

// How a log and its replay differ at the next checkpoint.
std::optional<LaterDifference> later_in_replay(const std::string& path, Tick tick,
                                               Executor& executor) {
  Result<LogInput> opened = open_log(path);
  if (!opened) return {};
  LogInput& log = opened.value();
  Result<World> world = initial_world(log.header);
  if (!world) return {};
  const Tick last{tick.value - 1};
  const Status status = replay_to(*log.reader, log.header, world.value(), executor, last, [] {});
  if (!status) return {};
  return difference_at_checkpoint(*log.reader, tick, world.value(), executor);
}

}  // namespace

Result<LogInput> open_log(const std::string& path) {
  LogInput log{path, nullptr, nullptr, {}};
  Result<std::unique_ptr<SegmentSource>> file = SegmentSource::open(path);
  if (!file) return file.error();
  log.file = std::move(file.value());
  log.reader = std::make_unique<LogReader>(*log.file, segments_of(path));
  Result<LogHeader> header = log.reader->read_header();
  if (Status status = log.file->status(); !status) return status.error();
  if (!header) return Error{printable(path) + ": " + header.error().message};
  log.header = std::move(header.value());
  return log;
}

Explained explain_logs(const LogInput& a, const LogInput& b, const LogDifference& difference,
                       Executor& executor) {
  ORRERY_ASSERT(difference.a && difference.b && difference.tick.value > 0);
  const Account account_a = account_of(a, *difference.a, difference.image_a);
  const Account account_b = account_of(b, *difference.b, difference.image_b);
  Result<World> before = state_at(a, Tick{difference.tick.value - 1}, executor);
  const World* const known = before ? &before.value() : nullptr;
  Explained out{{}, explain(known, difference.tick, account_a, account_b, executor)};
  if (before) {
    out.before = std::move(before.value());
  } else {
    out.divergence.unknown = "log a " + before.error().message;
  }
  const Result<Scene> scene = recorded_scene(a.header);
  if (!out.divergence.unknown.empty() && a.header.rules == kRulesVersion && scene) {
    out.later = difference_at_checkpoint(*a.reader, *b.reader, scene.value(), executor);
  }
  return out;
}

Result<Explained> explain_replay(const std::string& path, Tick tick, Executor& executor) {
  Result<LogInput> opened = open_log(path);
  if (!opened) return opened.error();
  LogInput& log = opened.value();
  Result<World> world = initial_world(log.header);
  if (!world) return world.error();
  World& before = world.value();
  TickRecord record;
  record.hash = log.header.initial_hash;
  if (tick.value == 0) {
    const std::string build = build_name();
    const Account ours{{}, before.hash, build, ""};
    return Explained{{}, explain(nullptr, tick, account_of(log, record, {}), ours, executor)};
  }
  const Tick last{tick.value - 1};
  const Status status = replay_to(*log.reader, log.header, before, executor, last, [] {});
  if (!status) return status.error();
  if (!log.reader->next(record)) return Error{"ends before tick " + std::to_string(tick.value)};
  const std::vector<std::uint8_t> image = image_of(*log.reader, tick);
  const std::string build = build_name();
  const Account ours{record.commands, {}, build, ""};
  Explained out{{}, explain(&before, tick, account_of(log, record, image), ours, executor)};
  if (!out.divergence.unknown.empty()) out.later = later_in_replay(path, tick, executor);
  out.before = std::move(before);
  return out;
}

}  // namespace orrery
