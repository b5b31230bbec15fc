// Implements `orrery run`: steps a scene as fast as possible, without a network.
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/cli/command_file.h"
#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/render/event_line.h"
#include "client/cli/render/unit.h"
#include "client/cli/stopwatch.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/counted.h"
#include "common/core/limits.h"
#include "common/core/printable.h"
#include "common/host/disk/log_file.h"
#include "common/host/net/key_file.h"
#include "common/host/process/build.h"
#include "common/host/process/failure.h"
#include "common/host/process/random.h"
#include "common/host/process/stop_signal.h"
#include "common/host/process/terminal.h"
#include "common/host/process/tick_threads.h"
#include "common/host/text/scene_file.h"
#include "common/session/explain/fault.h"
#include "common/session/writer/log_writer.h"
#include "common/world/image/image.h"
#include "common/world/report/contact_report.h"
#include "common/world/scenes/methods.h"
#include "common/world/step.h"

namespace orrery::cli {
namespace {

struct RunOptions {
  std::string scene;
  std::uint64_t ticks = 600;
  std::uint32_t threads = 1;
  std::optional<std::uint32_t> rate;
  std::string integrator;  // empty: as in the scene
  std::string rotation;    // empty: as in the scene
  std::string log;         // file to create; empty: none
  std::string seal_key;    // key file (common/host/net/key_file.h); empty: do not seal the log
  std::string commands;    // command file; empty: none
  std::string fault;       // text for parse_fault() (common/session/explain/fault.h); empty: none
  bool events = false;     // print events instead of the result
  bool json = false;
};

// A session log and its file.
struct RunLog {
  std::unique_ptr<host::LogFile> file;
  session::SessionLog session;
};

// Times and counts of a run.
struct RunOutcome {
  double seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t commands = 0;  // commands from the file
  std::uint64_t applied = 0;   // commands that changed something
};

Result<std::unique_ptr<RunLog>> open_run_log(const RunOptions& options, const World& world) {
  const std::string& path = options.log;
  if (path.empty()) return std::unique_ptr<RunLog>();
  std::optional<host::LogSealer> sealer;
  if (!options.seal_key.empty()) {
    host::forbid_core_dumps();
    const Result<host::KeyFile> key = host::read_key_file(options.seal_key);
    if (!key) return key.error().of_option("--seal-key");
    sealer.emplace(key.value().key);
  }
  Result<std::unique_ptr<host::LogFile>> file = host::LogFile::open(path, host::OnFailure::stop);
  if (!file) return file.error().of_option("--log");
  if (sealer) file.value()->seal_with(std::move(*sealer));
  codec::SessionId session{};
  host::fill_random(session);
  codec::LogHeader header = session::make_log_header(world, host::build_name(), session);
  header.fault = options.fault;
  host::LogFile& sink = *file.value();
  return std::make_unique<RunLog>(
      RunLog{std::move(file.value()), session::SessionLog(sink, header)});
}

// Steps ten ticks that are not measured, to touch the memory and wake the threads. Then restores
// the state before these ticks.
void warm_up(World& world, Executor& executor) {
  constexpr int kWarmUpTicks = 10;
  std::vector<std::uint8_t> image;
  save_image(world, image);
  const std::uint64_t hash = world.hash();
  for (int i = 0; i < kWarmUpTicks; ++i) step(world, {}, executor);
  const bool restored = restore_image(world, image).ok();
  ORRERY_ASSERT(restored && world.hash() == hash);
}

void print_events(const World& world) {
  for (const WorldEvent& event : world.events().list) print_event(world.tick(), event);
}

// Steps until the last tick, until Ctrl-C, or until writing the log fails. An Error means that
// `fault` cannot be applied in this world.
Result<RunOutcome> step_to(World& world, const RunOptions& options, const CommandFile& commands,
                           const std::optional<session::Fault>& fault, Executor& executor,
                           RunLog* log) {
  const std::uint64_t ticks = options.ticks;
  RunOutcome outcome;
  const host::StopSignal stop;
  host::ProgressBar progress("run", ticks);
  const Stopwatch watch;
  while (world.tick().value < ticks && !stop.asked()) {
    const std::span<const Command> given = commands.at(Tick{world.tick().value + 1});
    if (Status status = session::step_with_fault(world, given, fault, executor); !status) {
      return status.error().of_option("--break");
    }
    outcome.commands += given.size();
    outcome.applied += world.applied().size();
    progress.show(world.tick().value);
    if (options.events) print_events(world);
    if (log && !log->session.append_tick(world)) break;
  }
  outcome.seconds = watch.seconds();
  outcome.cpu_seconds = watch.cpu_seconds();
  return outcome;
}

void add_contacts(const ContactReport& contacts, bool joints, json::Object& result) {
  result.add({{"contacts", contacts.contacts},
              {"points", contacts.points},
              {"islands", contacts.islands},
              {"awake", contacts.awake},
              {"overlapping", contacts.overlapping},
              {"mean_overlap", contacts.mean_overlap},
              {"deepest_overlap", contacts.deepest_overlap},
              {"top", contacts.top},
              {"kinetic_energy", contacts.kinetic_energy},
              {"complete", contacts.complete}});
  if (!joints) return;
  result.add({{"joints", contacts.joints}, {"joint_error", contacts.deepest_joint}});
}

void print_contacts(const Scene& scene, const ContactReport& contacts) {
  const std::string m = unit_in(scene, "m");
  std::printf("%s, %s; ", counted(contacts.contacts, "contact").c_str(),
              counted(contacts.points, "point").c_str());
  if (std::isfinite(contacts.top)) {
    std::printf("highest centre %.3f%s, kinetic energy %.3g%s\n", contacts.top, m.c_str(),
                contacts.kinetic_energy, unit_in(scene, "J").c_str());
  } else {
    std::printf("no dynamic bodies\n");
  }
  std::printf("%s, %s awake\n", counted(contacts.islands, "island").c_str(),
              counted(contacts.awake, "body", "bodies").c_str());
  std::printf("%s: %.3g%s on average, %.3g%s at most\n",
              counted(contacts.overlapping, "overlap").c_str(), contacts.mean_overlap, m.c_str(),
              contacts.deepest_overlap, m.c_str());
  if (!contacts.complete) {
    std::printf("incomplete: some contact pairs were left out, because a limit was reached\n");
  }
  if (!scene.joints.empty()) {
    std::printf("%s, largest error %.3g%s\n", counted(contacts.joints, "joint").c_str(),
                contacts.deepest_joint, m.c_str());
  }
}

void report_run(const RunOptions& options, const World& world, const RunOutcome& outcome,
                const ContactReport* contacts) {
  const auto ticks = static_cast<double>(world.tick().value);
  if (options.json) {
    json::Object result;
    result.add({{"scene", options.scene},
                {"bodies", world.bodies().count()},
                {"ticks", world.tick().value},
                {"hash", json::hash(world.hash())},
                {"seconds", outcome.seconds},
                {"cpu_seconds", outcome.cpu_seconds},
                {"ticks_per_second", ticks / outcome.seconds},
                {"ticks_per_cpu_second", ticks / outcome.cpu_seconds}});
    if (!options.commands.empty()) {
      result.add({{"commands", outcome.commands}, {"applied", outcome.applied}});
    }
    if (contacts) add_contacts(*contacts, !world.scene().joints.empty(), result);
    json::print(result.text());
    return;
  }
  std::printf("%s: %s, %s at %u Hz\n", printable(options.scene).c_str(),
              counted(world.bodies().count(), "body", "bodies").c_str(),
              counted(world.tick().value, "tick").c_str(), world.scene().tick_rate);
  std::printf("hash %s\n", json::hash(world.hash()).c_str());
  std::printf("%.3f s, %.3f s of CPU: %.0f ticks per CPU second, %.0f times real time\n",
              outcome.seconds, outcome.cpu_seconds, ticks / outcome.cpu_seconds,
              ticks / world.scene().tick_rate / outcome.seconds);
  if (!options.commands.empty()) {
    std::printf("%s, of which %llu changed something\n",
                counted(outcome.commands, "command").c_str(),
                static_cast<unsigned long long>(outcome.applied));
  }
  if (contacts) print_contacts(world.scene(), *contacts);
  if (!options.log.empty()) std::printf("log %s\n", printable(options.log).c_str());
}

Result<std::optional<session::Fault>> requested_fault(const RunOptions& options) {
  if (options.fault.empty()) return std::optional<session::Fault>();
  const Result<session::Fault> fault = session::parse_fault(options.fault);
  if (!fault) return fault.error().of_option("--break");
  if (fault.value().tick.value > options.ticks) {
    return Error::at("--break", ": the run ends at tick " + std::to_string(options.ticks) +
                                    ", before tick " + std::to_string(fault.value().tick.value) +
                                    "; raise --ticks");
  }
  return std::optional(fault.value());
}

// Prints on stderr how determinism was broken.
void print_fault(const session::Fault& fault) {
  const auto tick = static_cast<unsigned long long>(fault.tick.value);
  switch (fault.kind) {
    case session::Fault::Kind::ulp:
      std::fprintf(stderr, "orrery: --break added one ulp to %s of body %u in tick %llu\n",
                   std::string(field_name(fault.field)).c_str(), fault.a.value, tick);
      break;
    case session::Fault::Kind::swap:
      std::fprintf(stderr, "orrery: --break exchanged bodies %u and %u in tick %llu\n",
                   fault.a.value, fault.b.value, tick);
      break;
    case session::Fault::Kind::skip:
      std::fprintf(stderr, "orrery: --break ignored the commands of tick %llu\n", tick);
      break;
  }
}

Result<CommandFile> requested_commands(const RunOptions& options) {
  if (options.commands.empty()) return CommandFile();
  Result<CommandFile> file = CommandFile::read(options.commands);
  if (!file) return file.error().of_option("--commands");
  if (file.value().last().value <= options.ticks) return file;
  return Error::at("--commands", ": " + printable(options.commands) + " has commands up to tick " +
                                     std::to_string(file.value().last().value) +
                                     ", but the run ends at tick " + std::to_string(options.ticks) +
                                     "; raise --ticks");
}

// Applies the options to the scene. The log stores the changed scene.
Status change_scene(const RunOptions& options, Scene& scene) {
  if (options.rate) scene.tick_rate = *options.rate;
  if (!options.integrator.empty()) {
    const Result<Integrator> integrator = find_integrator(options.integrator);
    if (!integrator) return integrator.error().of_option("--integrator");
    scene.integrator = integrator.value();
  }
  if (!options.rotation.empty()) {
    const Result<Rotation> rotation = find_rotation(options.rotation);
    if (!rotation) return rotation.error().of_option("--rotation");
    scene.rotation = rotation.value();
  }
  if (const Status status = validate(scene); !status) {
    return status.error().in(options.scene);
  }
  return ok_status();
}

int run(const RunOptions& options) {
  if (options.events && options.json) {
    return unusable("--events and --json cannot be used together; --events prints JSON");
  }
  Problem warning;
  Result<Scene> scene = host::load_scene(options.scene, &warning);
  if (!scene) return unusable(scene.error().text());
  if (warning) unusable("warning: " + warning->text(), 0);
  if (const Status status = change_scene(options, scene.value()); !status) {
    return unusable(status.error().text());
  }
  const Result<std::optional<session::Fault>> fault = requested_fault(options);
  if (!fault) return unusable(fault.error().text());
  const Result<CommandFile> commands = requested_commands(options);
  if (!commands) return unusable(commands.error().text());
  World world(std::move(scene.value()));
  Result<std::unique_ptr<RunLog>> log = open_run_log(options, world);
  if (!log) return unusable(log.error().text());
  host::TickThreads pool(options.threads);
  warm_up(world, pool);
  const Result<RunOutcome> outcome =
      step_to(world, options, commands.value(), fault.value(), pool, log.value().get());
  if (!outcome) {
    if (log.value()) log.value()->file->discard();
    return unusable(outcome.error().text());
  }
  if (RunLog* const open = log.value().get()) {
    open->session.close();
    if (Status status = open->file->close(); !status) {
      return unusable("--log: " + status.error().text());
    }
  }
  if (world.tick().value < options.ticks) {
    std::fprintf(stderr, "orrery: run: interrupted after %llu of %llu ticks\n",
                 static_cast<unsigned long long>(world.tick().value),
                 static_cast<unsigned long long>(options.ticks));
  }
  if (fault.value() && world.tick() >= fault.value()->tick) print_fault(*fault.value());
  if (options.events) return 0;
  if (!world.collision()) {
    report_run(options, world, outcome.value(), nullptr);
    return 0;
  }
  const ContactReport contacts = report_contacts(world, pool);
  report_run(options, world, outcome.value(), &contacts);
  return 0;
}

std::string list_of(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

// Adds the options that override settings of the scene.
void add_scene_settings(Verb& verb, RunOptions& options) {
  constexpr const char* kOfScene = "as in the scene";
  verb.option("--rate", options.rate, "Ticks per second")
      .shows_default(kOfScene)
      .whole_number(1, limits::kTickRateMax)
      .type("HZ");
  verb.option("--integrator", options.integrator,
              "Integration method: " + list_of(integrator_names()))
      .shows_default(kOfScene)
      .given()
      .type("NAME");
  verb.option("--rotation", options.rotation, "Rotation method: " + list_of(rotation_names()))
      .shows_default(kOfScene)
      .given()
      .type("NAME");
}

}  // namespace

void add_run(Verb& program) {
  auto [verb, options] =
      program.add_verb("run", "Simulate a scene as fast as possible, without a network",
                       "  orrery run playground --log a.orrery\n"
                       "  orrery run spheres:500 --ticks 100 --threads 2\n"
                       "  orrery run tumble --ticks 36000 --rotation implicit-gyro --json\n"
                       "  orrery run playground --break ulp@300:8.velocity.x --log b.orrery",
                       run);
  verb.option("SCENE", options.scene, "Name of a built-in scene, or path of a scene file")
      .required();
  verb.option("--ticks", options.ticks, "Number of ticks to simulate")
      .shows_default()
      .ticks()
      .type("N");
  add_threads(verb, options.threads);
  add_scene_settings(verb, options);
  const Option log = add_new_file(verb, "--log", options.log, "Record a session log in this file");
  add_seal_key(verb, options.seal_key,
               "Seal the log with the key in this file: `orrery log check --seal-key` can then "
               "prove that nobody changed the log. To make a key:\n"
               "(umask 077; openssl rand -hex 32 > FILE)\n")
      .needs(log);
  add_commands(verb, options.commands,
               "Apply the commands in this file: JSON lines, as `orrery log export` prints them");
  verb.option("--break", options.fault,
              "Break determinism on purpose, to try `orrery verify` and `orrery diff`. "
              "FAULT is one of:\n"
              "ulp@TICK:BODY.FIELD  add one ulp to a number\n"
              "swap@TICK:BODY,BODY  exchange two bodies' states\n"
              "skip@TICK            ignore the tick's commands")
      .given()
      .type("FAULT");
  verb.flag("--events", options.events,
            "Print when bodies touch, part and hit instead of the result, one JSON object "
            "per line");
  add_json(verb, options.json);
}

}  // namespace orrery::cli
