// Defines the command line of `orrery`: verbs, options and their ranges.
#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <string_view>

#include "client/cli/arguments.h"
#include "client/cli/help.h"
#include "client/cli/verbs/lab.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/float_environment.h"
#include "common/core/limits.h"
#include "common/host/process/command_line.h"
#include "common/host/process/failure.h"
#include "common/host/process/sound_thread.h"
#include "common/world/scenes/methods.h"

namespace orrery::cli {

int unusable(const std::string& message, int exit_code) {
  std::fprintf(stderr, "orrery: %s\n", message.c_str());
  return exit_code;
}

namespace {

constexpr const char* kExamples =
    R"(A SCENE is the name of a built-in scene, or the path of a scene file. Some
built-in scenes take a number of bodies: springs:1000.

Examples:
  orrery scenes                              # list the built-in scenes
  orrery run playground --log a.orrery       # simulate ten seconds, record them
  orrery verify a.orrery                     # replay it, compare every state
  orrery replay a.orrery --at 300 --bodies   # show every body after tick 300
  orrery fork a.orrery --at 300 --set gravity=0,0,0 -o c.orrery  # no gravity
  orrery diff a.orrery c.orrery              # find where two sessions differ
  orrery watch 127.0.0.1:4770                # show the bodies of a server
  orrery bot 127.0.0.1:4770 --count 8        # connect eight test clients

Help for one verb: orrery help run, or orrery run --help.

Exit codes: 0 success, 1 a check failed, 2 wrong usage or unusable input.)";

// Checks for a tick or a number of ticks. Their limit of 2^53 is too high to be worth a place in
// the help.
const CLI::Validator kAnyTick =
    host::number_in(std::uint64_t{0}, std::uint64_t{1} << 53).description("");
const CLI::Validator kAnyTickFrom1 =
    host::number_in(std::uint64_t{1}, std::uint64_t{1} << 53).description("");

void add_scenes(CLI::App& app, ScenesOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "scenes", "List the built-in scenes, or write one as a scene file",
               "  orrery scenes\n"
               "  orrery scenes spheres:50 --json > spheres.json\n"
               "\n"
               "Edit spheres.json, then: orrery run spheres.json",
               chosen, [&options] { return list_scenes(options); });
  CLI::Option* const scene =
      verb->add_option("SCENE", options.scene, "Scene to write to the output as a scene file")
          ->check(host::kGiven);
  scene->needs(verb->add_flag("--json", options.json, "Print one JSON object"));
}

std::string list_of(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

void add_log_argument(CLI::App* verb, std::string& log) {
  verb->add_option("LOG", log, "Session log: its first file")->required();
}

void add_threads(CLI::App* verb, std::uint32_t& threads) {
  verb->add_option("--threads", threads,
                   "Worker threads. The result does not depend on their number")
      ->capture_default_str()
      ->check(host::number_in(1u, limits::kThreadsMax))
      ->type_name("N");
}

void add_commands(CLI::App* verb, std::string& commands, const std::string& about) {
  verb->add_option("--commands", commands, about)->check(host::kGiven)->type_name("FILE");
}

CLI::Option* add_seal_key(CLI::App* verb, std::string& path, const std::string& about) {
  return verb->add_option("--seal-key", path, about)->check(host::kGiven)->type_name("FILE");
}

// Adds an option for a file that the verb creates.
CLI::Option* add_new_file(CLI::App* verb, const char* name, std::string& path,
                          const std::string& about) {
  return verb->add_option(name, path, about + ". The file must not exist")
      ->check(host::kGiven)
      ->type_name("FILE");
}

// Adds the options of `orrery run` that override settings of the scene.
void add_scene_settings(CLI::App* verb, RunOptions& options) {
  constexpr const char* kOfScene = "that of the scene";
  verb->add_option("--rate", options.rate, "Ticks per second")
      ->default_str(kOfScene)
      ->check(host::number_in(1u, limits::kTickRateMax))
      ->type_name("HZ");
  verb->add_option("--integrator", options.integrator,
                   "Integration method: " + list_of(integrator_names()))
      ->default_str(kOfScene)
      ->check(host::kGiven)
      ->type_name("NAME");
  verb->add_option("--rotation", options.rotation, "Rotation method: " + list_of(rotation_names()))
      ->default_str(kOfScene)
      ->check(host::kGiven)
      ->type_name("NAME");
}

void add_run(CLI::App& app, RunOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "run", "Simulate a scene as fast as possible, without a network",
               "  orrery run playground --log a.orrery\n"
               "  orrery run spheres:500 --ticks 100 --threads 2\n"
               "  orrery run tumble --ticks 36000 --rotation implicit-gyro --json\n"
               "  orrery run playground --break ulp@300:8.velocity.x --log b.orrery",
               chosen, [&options] { return run(options); });
  verb->add_option("SCENE", options.scene, "Name of a built-in scene, or path of a scene file")
      ->required();
  verb->add_option("--ticks", options.ticks, "Number of ticks to simulate")
      ->capture_default_str()
      ->check(kAnyTick)
      ->type_name("N");
  add_threads(verb, options.threads);
  add_scene_settings(verb, options);
  CLI::Option* const log =
      add_new_file(verb, "--log", options.log, "Record a session log in this file");
  add_seal_key(verb, options.seal_key,
               "Seal the log with the key in this file: `orrery log check --seal-key` can then "
               "prove that nobody changed the log. To make a key:\n"
               "(umask 077; openssl rand -hex 32 > FILE)\n")
      ->needs(log);
  add_commands(verb, options.commands,
               "Apply the commands in this file: JSON lines, as `orrery log export` prints them");
  verb->add_option("--break", options.fault,
                   "Break determinism on purpose, to try `orrery verify` and `orrery diff`. "
                   "FAULT is one of:\n"
                   "ulp@TICK:BODY.FIELD  add one ulp to a number\n"
                   "swap@TICK:BODY,BODY  exchange two bodies' states\n"
                   "skip@TICK            ignore the tick's commands")
      ->check(host::kGiven)
      ->type_name("FAULT");
  verb->add_flag("--events", options.events,
                 "Print when bodies touch, part and hit instead of the result, one JSON object "
                 "per line");
  add_json(verb, options.json);
}

// An existing page is replaced, so the name must end in .html: a log that is named by mistake
// survives.
void add_report(CLI::App* verb, std::string& report) {
  const CLI::Validator page(
      [](const std::string& name) {
        return name.ends_with(".html") ? "" : name + " must end in .html";
      },
      "");
  verb->add_option("--report", report,
                   "Write a page with tables and pictures of the first difference to this file. "
                   "An existing file is replaced")
      ->check(host::kGiven)
      ->check(page)
      ->type_name("FILE.html");
}

void add_verify(CLI::App& app, VerifyOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "verify", "Replay session logs and compare the hash of every state",
               "  orrery verify a.orrery\n"
               "  orrery verify a.orrery b.orrery --jobs 2 --json\n"
               "  orrery verify b.orrery --report b.html",
               chosen, [&options] { return verify(options); });
  verb->add_option("LOG", options.logs, "Session logs: the first file of each")->required();
  verb->add_option("-j,--jobs", options.jobs, "Number of logs to verify at the same time")
      ->capture_default_str()
      ->check(host::number_in(1u, limits::kThreadsMax))
      ->type_name("N");
  add_report(verb, options.report);
  add_threads(verb, options.threads);
  add_json(verb, options.json);
}

void add_diff(CLI::App& app, DiffOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "diff", "Find the first tick, body and field in which two session logs differ",
               "  orrery diff a.orrery b.orrery\n"
               "  orrery diff a.orrery b.orrery --report diff.html",
               chosen, [&options] { return diff(options); });
  verb->add_option("A", options.a, "Session log, called a in the result")
      ->required()
      ->type_name("LOG");
  verb->add_option("B", options.b, "Session log to compare with, called b in the result")
      ->required()
      ->type_name("LOG");
  add_report(verb, options.report);
  add_threads(verb, options.threads);
  add_json(verb, options.json);
}

void add_replay(CLI::App& app, ReplayOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "replay", "Show what a session log contains, or its state after any tick",
               "  orrery replay a.orrery\n"
               "  orrery replay a.orrery --at 300 --bodies\n"
               "  orrery replay a.orrery --from 600 --to 0 --every 60  # backwards",
               chosen, [&options] { return replay(options); });
  add_log_argument(verb, options.log);
  CLI::Option* const at = verb->add_option("--at", options.at, "Show the state after this tick")
                              ->check(kAnyTick)
                              ->type_name("TICK");
  CLI::Option* const from =
      verb->add_option("--from", options.from, "Show a range of states, starting at this tick")
          ->check(kAnyTick)
          ->excludes(at)
          ->type_name("TICK");
  CLI::Option* const to =
      verb->add_option("--to", options.to,
                       "End the range at this tick. If it is before --from, the states are shown "
                       "backwards")
          ->check(kAnyTick)
          ->needs(from)
          ->type_name("TICK");
  from->needs(to);
  verb->add_option("--every", options.every, "Show only every N-th tick of the range")
      ->capture_default_str()
      ->check(kAnyTickFrom1)
      ->needs(from)
      ->type_name("N");
  verb->add_flag("--bodies", options.bodies,
                 "Show every body of a state. Without --at or --from: of the last state");
  add_json(verb, options.json);
}

void add_log_export(CLI::App& log, LogExportOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(log, "export", "Print the records as JSON lines, or the states as CSV",
               "  orrery log export a.orrery > a.jsonl\n"
               "  orrery log export a.orrery --csv --every 60 > a.csv\n"
               "  orrery log export a.orrery --single -o single.orrery",
               chosen, [&options] { return log_export(options); });
  add_log_argument(verb, options.log);
  CLI::Option* const csv = verb->add_flag(
      "--csv", options.csv, "Replay the log and print the states of all bodies as CSV");
  verb->add_option("--every", options.every, "Print only the states of every N-th tick")
      ->capture_default_str()
      ->check(kAnyTickFrom1)
      ->needs(csv)
      ->type_name("N");
  CLI::Option* const single =
      verb->add_flag("--single", options.single,
                     "Join all files of the log into one, and print no records")
          ->excludes(csv);
  CLI::Option* const out =
      add_new_file(verb, "-o", options.out, "Write the joined log to this file")->needs(single);
  single->needs(out);
}

void add_log_repair(CLI::App& log, LogCopyOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(log, "repair", "Copy the readable records of a damaged log into a new log",
               "  orrery log repair a.orrery -o repaired.orrery", chosen,
               [&options] { return log_repair(options); });
  add_log_argument(verb, options.log);
  add_new_file(verb, "-o", options.out, "Write the new log to this file")->required();
  add_json(verb, options.json);
}

void add_log(CLI::App& app, LogOptions& options, LogExportOptions& export_options,
             LogCopyOptions& copy_options, Verb& chosen) {
  CLI::App* const verb = add_group(app, "log", "Inspect, check, export or repair a session log",
                                   "  orrery log info a.orrery\n"
                                   "  orrery log check a.orrery");
  CLI::App* const info =
      add_verb(*verb, "info", "Show what a log contains, and its drift of energy and momentum",
               "  orrery log info a.orrery", chosen, [&options] { return log_info(options); });
  CLI::App* const check =
      add_verb(*verb, "check", "Check that every record of a log is intact and in place",
               "  orrery log check a.orrery\n"
               "  orrery log check sealed.orrery --seal-key seal.key",
               chosen, [&options] { return log_check(options); });
  for (CLI::App* const each : {info, check}) {
    add_log_argument(each, options.log);
    add_json(each, options.json);
  }
  add_seal_key(check, options.seal_key,
               "Check too that the log was sealed with the key in this file, which proves that "
               "nobody changed the log");
  add_log_export(*verb, export_options, chosen);
  add_log_repair(*verb, copy_options, chosen);
}

void add_fork(CLI::App& app, ForkOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "fork", "Continue a session from one of its ticks, with changes",
               "  orrery fork a.orrery --at 300 --set gravity=0,0,0 -o floating.orrery\n"
               "  orrery fork a.orrery --at 300 --commands a.jsonl -o changed.orrery\n"
               "  orrery fork a.orrery --at 600 --ticks 900 -o longer.orrery",
               chosen, [&options] { return fork_log(options); });
  add_log_argument(verb, options.log);
  verb->add_option("--at", options.at, "Last tick that the two sessions share")
      ->required()
      ->check(kAnyTick)
      ->type_name("TICK");
  verb->add_option("--ticks", options.ticks, "Stop after tick N")
      ->default_str("the end of the log or of --commands, whichever is later")
      ->check(kAnyTickFrom1)
      ->type_name("N");
  verb->add_option("--set", options.settings,
                   "Change a parameter after --at: gravity=X,Y,Z or "
                   "gravitational_constant=NUMBER")
      ->type_name("NAME=VALUE");
  add_commands(verb, options.commands,
               "Replace the commands of the log after --at by those in this file: JSON lines, as "
               "`orrery log export` prints them");
  add_new_file(verb, "-o", options.out, "Write the log of the new session to this file")
      ->required();
  add_json(verb, options.json);
}

void add_plot(CLI::App& app, PlotOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "plot", "Plot the drift of energy and momentum, with gnuplot",
               "  orrery plot a.orrery -o a.svg", chosen, [&options] { return plot(options); });
  add_log_argument(verb, options.log);
  verb->add_option("-o", options.out,
                   "Picture to write, .svg or .png. An existing file is replaced")
      ->required()
      ->type_name("FILE");
  add_json(verb, options.json);
}

int run_command_line(int argc, char** argv) {
  if (!float_environment_is_sound()) throw host::FloatEnvironmentError();  // before any computation
  CLI::App app(
      "Simulates physics deterministically: the same scene and commands give the same\n"
      "bits on every machine. Records, replays, verifies and compares sessions.",
      "orrery");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version", std::string("orrery ") + ORRERY_VERSION, "Print the version");
  app.require_subcommand(1);
  ScenesOptions scenes_options;
  RunOptions run_options;
  VerifyOptions verify_options;
  DiffOptions diff_options;
  ReplayOptions replay_options;
  LogOptions log_options;
  LogExportOptions log_export_options;
  LogCopyOptions log_copy_options;
  ForkOptions fork_options;
  PlotOptions plot_options;
  NetworkOptions network_options;
  LabOptions lab_options;
  Verb chosen;
  add_scenes(app, scenes_options, chosen);
  add_run(app, run_options, chosen);
  add_verify(app, verify_options, chosen);
  add_diff(app, diff_options, chosen);
  add_replay(app, replay_options, chosen);
  add_log(app, log_options, log_export_options, log_copy_options, chosen);
  add_fork(app, fork_options, chosen);
  add_plot(app, plot_options, chosen);
  add_network_verbs(app, network_options, chosen);
  add_lab(app, lab_options, chosen);
  app.footer(kExamples);  // last: verbs that are added later would inherit it
  if (argc > 1 && argv[1] == std::string_view("help")) {
    return print_help(app, std::span<const char* const>(argv + 2, argv + argc));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_text) {
    return app.exit(asked_for_text);
  } catch (const CLI::ParseError& error) {
    return unusable(host::complaint(app, error));
  }
  return chosen();
}

// Returns the exit code, or 2 if the output could not be written completely.
int judge_output(int exit_code) {
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return exit_code;
  return unusable("standard output cannot be written");
}

}  // namespace
}  // namespace orrery::cli

int main(int argc, char** argv) {
  orrery::host::report_uncaught_failures("orrery");
  try {
    return orrery::cli::judge_output(orrery::cli::run_command_line(argc, argv));
  } catch (const std::exception& error) {
    return orrery::host::report_failure("orrery", error);
  }
}
