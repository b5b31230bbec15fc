// Implements `orrery log export`: the records of a log as JSON lines, or its states as CSV.
#include <cstdio>
#include <optional>
#include <utility>

#include "client/cli/command_json.h"
#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/log_input.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/log/log.h"
#include "common/core/printable.h"
#include "common/session/replay/replay.h"
#include "common/session/versions.h"

namespace orrery::cli {
namespace {

struct LogExportOptions {
  std::string log;
  bool csv = false;     // states instead of records
  bool single = false;  // join all segments into one file
  std::string out;      // file for the joined segments
  std::uint64_t every = 1;
};

void print_header_line(const codec::LogHeader& header, const Scene& scene) {
  json::print(json::object({{"session", json::hex(header.session)},
                            {"scene", scene.name},
                            {"tick_rate", scene.tick_rate},
                            {"rules", header.rules},
                            {"build", header.build},
                            {"hash", json::hash(header.initial_hash)}}));
}

void print_tick_line(const session::TickRecord& record) {
  json::print(json::object({{"tick", record.tick.value},
                            {"hash", json::hash(record.hash)},
                            {"commands", json::of(std::span<const Command>(record.commands))}}));
}

void print_vector(const Vec3& v) {
  std::printf(",%s,%s,%s", decimal(v.x).c_str(), decimal(v.y).c_str(), decimal(v.z).c_str());
}

// Prints one CSV line per body.
void print_rows(const World& world) {
  const Bodies& bodies = world.bodies();
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (!bodies.alive(slot)) continue;
    std::printf("%llu,%u", static_cast<unsigned long long>(world.tick().value),
                body_id(world, slot).value);
    const Quat q = bodies.orientation(slot);
    print_vector(bodies.position(slot));
    print_vector(bodies.velocity(slot));
    print_vector({q.x, q.y, q.z});
    std::printf(",%s", decimal(q.w).c_str());
    print_vector(bodies.angular_velocity(slot));
    std::printf("\n");
  }
}

int export_records(LogInput& log) {
  const Result<Scene> scene = session::recorded_scene(log.header);
  if (!scene) return unusable(printable(log.path) + ": " + scene.error().text());
  print_header_line(log.header, scene.value());
  for (session::TickRecord record; log.reader->next(record);) print_tick_line(record);
  return 0;
}

void print_columns() {
  std::printf(
      "tick,body,position.x,position.y,position.z,velocity.x,velocity.y,velocity.z,orientation.x,"
      "orientation.y,orientation.z,orientation.w,angular_velocity.x,angular_velocity.y,"
      "angular_velocity.z\n");
}

// Prints the initial state, if the scene still gives it, and the states of the checkpoints whose
// tick is divisible by `every`, for a log that this build cannot step.
int export_checkpoints(LogInput& log, std::uint64_t every) {
  const std::string name = printable(log.path) + ": ";
  Result<Scene> scene = session::recorded_scene(log.header);
  if (!scene) return unusable(name + scene.error().text());
  World world(std::move(scene.value()));
  print_columns();
  std::optional<Tick> last;
  if (world.hash() == log.header.initial_hash) {
    print_rows(world);
    last = world.tick();
  }
  session::TickRecord record;
  session::Checkpoint checkpoint;
  while (const std::optional<session::RecordType> type = log.reader->next(record, checkpoint)) {
    if (type != session::RecordType::checkpoint || checkpoint.tick == last) continue;
    const Status restored = session::restore_of_other_rules(world, checkpoint);
    if (!restored) return unusable(name + restored.error().text());
    last = checkpoint.tick;
    if (last->value % every == 0) print_rows(world);
  }
  return unusable(name + "was recorded under " + session::other_rules(log.header.rules) +
                      "; only the states of its checkpoints are printed",
                  0);
}

int export_states(LogInput& log, std::uint64_t every) {
  if (log.header.rules != kRulesVersion) return export_checkpoints(log, every);
  const std::string name = printable(log.path) + ": ";
  Result<World> world = session::initial_world(log.header);
  if (!world) return unusable(name + world.error().text());
  print_columns();
  print_rows(world.value());
  SerialExecutor executor;
  const Status replayed = session::replay_to(*log.reader, log.header, world.value(), executor,
                                             Tick{~std::uint64_t{0}}, [&] {
                                               if (world.value().tick().value % every == 0)
                                                 print_rows(world.value());
                                             });
  return replayed ? 0 : unusable(name + replayed.error().text(), 1);
}

int log_export(const LogExportOptions& options) {
  if (options.single) return log_join({options.log, options.out});
  Result<LogInput> log = open_log(options.log);
  if (!log) return refuse(log.error());
  const int exit_code =
      options.csv ? export_states(log.value(), options.every) : export_records(log.value());
  return exit_code != 0 ? exit_code : judge_end(options.log, log.value().reader->tail());
}

}  // namespace

void add_log_export(Verb& log) {
  auto [verb, options] =
      log.add_verb("export", "Print the records as JSON lines, or the states as CSV",
                   "  orrery log export a.orrery > a.jsonl\n"
                   "  orrery log export a.orrery --csv --every 60 > a.csv\n"
                   "  orrery log export a.orrery --single -o single.orrery",
                   log_export);
  add_log_argument(verb, options.log);
  const Option csv =
      verb.flag("--csv", options.csv, "Replay the log and print the states of all bodies as CSV");
  verb.option("--every", options.every, "Print only the states of every N-th tick")
      .shows_default()
      .ticks(1)
      .needs(csv)
      .type("N");
  Option single = verb.flag("--single", options.single,
                            "Join all files of the log into one, and print no records")
                      .excludes(csv);
  const Option out =
      add_new_file(verb, "-o", options.out, "Write the joined log to this file").needs(single);
  single.needs(out);
}

}  // namespace orrery::cli
