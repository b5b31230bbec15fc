// Owns the command line of `orrery`: verbs, options and their ranges.
#include <cstdio>
#include <exception>

#include "client/cli/arguments.h"
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

constexpr const char* kExamples = R"(
SCENE is a built-in name, with a count where it takes one (springs:1000), or a path to a scene file.

Examples:
  orrery scenes                              # what there is to simulate
  orrery run playground --log a.orrery       # ten seconds, as fast as it goes, recorded
  orrery verify a.orrery                     # replay it and compare every state
  orrery replay a.orrery --at 300 --bodies   # where everything was after 300 ticks
  orrery fork a.orrery --at 300 --set gravity=0,0,0 -o c.orrery  # as if gravity ended there
  orrery diff a.orrery c.orrery              # where two sessions part, and why
  orrery watch 127.0.0.1:4770                # the bodies of a running server
  orrery bot 127.0.0.1:4770 --count 8        # test clients that play
Each verb has more: orrery run --help

Exit codes: 0 as asked; 1 the check failed; 2 wrong usage or unusable input.)";

void add_scenes(CLI::App& app, ScenesOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "scenes", "List the built-in scenes, or write one as a scene file",
               "  orrery scenes\n"
               "  orrery scenes spheres:50 --json > spheres.json  # change it, then: orrery run "
               "spheres.json",
               chosen, [&options] { return list_scenes(options); });
  CLI::Option* const scene =
      verb->add_option("SCENE", options.scene, "Scene to write as JSON that --scene FILE reads")
          ->check(host::kGiven);
  scene->needs(verb->add_flag("--json", options.json, "Print one JSON object"));
}

std::string list_of(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

void add_threads(CLI::App* verb, std::uint32_t& threads) {
  verb->add_option("--threads", threads, "Threads; the result does not depend on them")
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

void add_run(CLI::App& app, RunOptions& options, Verb& chosen) {
  CLI::App* const verb = add_verb(
      app, "run", "Step a scene with no network",
      "  orrery run playground --log a.orrery\n"
      "  orrery run spheres:500 --ticks 100 --threads 2\n"
      "  orrery run tumble --ticks 36000 --rotation implicit-gyro --json\n"
      "  orrery run playground --break ulp@300:8.velocity.x --log b.orrery  # for orrery diff",
      chosen, [&options] { return run(options); });
  verb->add_option("SCENE", options.scene, "Built-in scene or scene file")->required();
  verb->add_option("--ticks", options.ticks, "Ticks to step")
      ->capture_default_str()
      ->check(host::number_in(std::uint64_t{0}, std::uint64_t{1} << 53))
      ->type_name("N");
  add_threads(verb, options.threads);
  verb->add_option("--rate", options.rate, "Ticks per second instead of the scene's")
      ->check(host::number_in(1u, limits::kTickRateMax))
      ->type_name("HZ");
  verb->add_option("--integrator", options.integrator,
                   "Integrator instead of the scene's: " + list_of(integrator_names()))
      ->check(host::kGiven)
      ->type_name("NAME");
  verb->add_option("--rotation", options.rotation,
                   "Rotation method instead of the scene's: " + list_of(rotation_names()))
      ->check(host::kGiven)
      ->type_name("NAME");
  CLI::Option* const log =
      verb->add_option("--log", options.log, "Write a session log to this new file")
          ->check(host::kGiven)
          ->type_name("FILE");
  add_seal_key(verb, options.seal_key,
               "Seal that with this key: `(umask 077; openssl rand -hex 32 > FILE)` writes one")
      ->needs(log);
  add_commands(verb, options.commands,
               "Give these commands: lines of JSON, as orrery log export writes them");
  verb->add_option("--break", options.fault,
                   "Break determinism on purpose, for others to find: ulp@TICK:BODY.FIELD (one ulp "
                   "more), swap@TICK:BODY,BODY or skip@TICK (without its commands)")
      ->check(host::kGiven)
      ->type_name("FAULT");
  verb->add_flag("--events", options.events,
                 "Print what touches, parts and hits, one JSON object a line, and nothing else");
  add_json(verb, options.json);
}

// A page takes the place of a file that is there, which must not be a log.
void add_report(CLI::App* verb, std::string& report) {
  const CLI::Validator page(
      [](const std::string& name) {
        return name.ends_with(".html") ? "" : name + " does not end in .html, and may be a log";
      },
      "");
  verb->add_option("--report", report, "Write what is found as a page, with pictures, to this file")
      ->check(host::kGiven)
      ->check(page)
      ->type_name("FILE.html");
}

void add_verify(CLI::App& app, VerifyOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "verify", "Replay logs and compare every state hash",
               "  orrery verify a.orrery\n"
               "  orrery verify a.orrery b.orrery --jobs 2 --json\n"
               "  orrery verify b.orrery --report b.html  # a page about what differs",
               chosen, [&options] { return verify(options); });
  verb->add_option("LOG", options.logs, "Session logs")->required();
  verb->add_option("-j,--jobs", options.jobs, "Logs to verify at a time")
      ->capture_default_str()
      ->check(host::number_in(1u, limits::kThreadsMax))
      ->type_name("N");
  add_report(verb, options.report);
  add_threads(verb, options.threads);
  add_json(verb, options.json);
}

void add_diff(CLI::App& app, DiffOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "diff", "Find the first tick, body and field where two differ",
               "  orrery diff a.orrery b.orrery\n"
               "  orrery diff a.orrery b.orrery --report diff.html",
               chosen, [&options] { return diff(options); });
  verb->add_option("A", options.a, "Session log")->required()->type_name("LOG");
  verb->add_option("B", options.b, "Session log to compare it with")->required()->type_name("LOG");
  add_report(verb, options.report);
  add_threads(verb, options.threads);
  add_json(verb, options.json);
}

void add_replay(CLI::App& app, ReplayOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "replay", "Show what a log is of, or its states",
               "  orrery replay a.orrery\n"
               "  orrery replay a.orrery --at 300 --bodies\n"
               "  orrery replay a.orrery --from 600 --to 0 --every 60  # backwards",
               chosen, [&options] { return replay(options); });
  verb->add_option("LOG", options.log, "Session log")->required();
  const CLI::Validator ticks = host::number_in(std::uint64_t{0}, std::uint64_t{1} << 53);
  CLI::Option* const at = verb->add_option("--at", options.at, "Show the state after this tick")
                              ->check(ticks)
                              ->type_name("TICK");
  CLI::Option* const from = verb->add_option("--from", options.from, "Show states from this tick")
                                ->check(ticks)
                                ->excludes(at)
                                ->type_name("TICK");
  CLI::Option* const to = verb->add_option("--to", options.to, "to this one, which may be before")
                              ->check(ticks)
                              ->needs(from)
                              ->type_name("TICK");
  from->needs(to);
  verb->add_option("--every", options.every, "but only each N-th")
      ->check(host::number_in(std::uint64_t{1}, std::uint64_t{1} << 53))
      ->needs(from)
      ->type_name("N");
  verb->add_flag("--bodies", options.bodies, "Show every body; without --at, at the end");
  add_json(verb, options.json);
}

void add_log_export(CLI::App& log, LogExportOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(log, "export", "Print its records, one JSON object a line, or its states",
               "  orrery log export a.orrery > a.jsonl\n"
               "  orrery log export a.orrery --csv --every 60 > a.csv\n"
               "  orrery log export a.orrery --single -o single.orrery",
               chosen, [&options] { return log_export(options); });
  verb->add_option("LOG", options.log, "Session log")->required();
  CLI::Option* const csv =
      verb->add_flag("--csv", options.csv, "Replay it, and print the states of the bodies as CSV");
  verb->add_option("--every", options.every, "but only of each N-th tick")
      ->check(host::number_in(std::uint64_t{1}, std::uint64_t{1} << 53))
      ->needs(csv)
      ->type_name("N");
  CLI::Option* const single =
      verb->add_flag("--single", options.single, "Join its segments into one file")->excludes(csv);
  CLI::Option* const out = verb->add_option("-o", options.out, "That file, a new one")
                               ->needs(single)
                               ->check(host::kGiven)
                               ->type_name("FILE");
  single->needs(out);
}

void add_log_repair(CLI::App& log, LogCopyOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(log, "repair", "Write what can be read of it as a log of one file",
               "  orrery log repair a.orrery -o repaired.orrery", chosen,
               [&options] { return log_repair(options); });
  verb->add_option("LOG", options.log, "Session log")->required();
  verb->add_option("-o", options.out, "Write to this new file")
      ->required()
      ->check(host::kGiven)
      ->type_name("FILE");
  add_json(verb, options.json);
}

void add_log(CLI::App& app, LogOptions& options, LogExportOptions& export_options,
             LogCopyOptions& copy_options, Verb& chosen) {
  CLI::App* const verb = app.add_subcommand("log", "Look into a session log");
  verb->require_subcommand(1);
  CLI::App* const info =
      add_verb(*verb, "info", "Show what it holds, and what energy became of",
               "  orrery log info a.orrery", chosen, [&options] { return log_info(options); });
  CLI::App* const check = add_verb(*verb, "check", "Check that every record is whole and in place",
                                   "  orrery log check a.orrery\n"
                                   "  orrery log check sealed.orrery --seal-key seal.key",
                                   chosen, [&options] { return log_check(options); });
  for (CLI::App* const each : {info, check}) {
    each->add_option("LOG", options.log, "Session log")->required();
    add_json(each, options.json);
  }
  add_seal_key(check, options.seal_key,
               "Check too that it is sealed with this key: then nothing was changed");
  add_log_export(*verb, export_options, chosen);
  add_log_repair(*verb, copy_options, chosen);
  verb->footer(
      "Examples:\n"
      "  orrery log info a.orrery\n"
      "  orrery log check a.orrery");
}

void add_fork(CLI::App& app, ForkOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "fork", "Go on from a tick of a session with other parameters or commands",
               "  orrery fork a.orrery --at 300 --set gravity=0,0,0 -o floating.orrery\n"
               "  orrery fork a.orrery --at 300 --commands a.jsonl -o changed.orrery\n"
               "  orrery fork a.orrery --at 600 --ticks 900 -o longer.orrery",
               chosen, [&options] { return fork_log(options); });
  verb->add_option("LOG", options.log, "Session log")->required();
  verb->add_option("--at", options.at, "The last tick that both sessions share")
      ->required()
      ->check(host::number_in(std::uint64_t{0}, std::uint64_t{1} << 53))
      ->type_name("TICK");
  verb->add_option("--ticks", options.ticks,
                   "End in this tick, before or behind the end of the log; without it with the\n"
                   "log, or with the commands if they go on")
      ->check(host::number_in(std::uint64_t{1}, std::uint64_t{1} << 53))
      ->type_name("N");
  verb->add_option("--set", options.settings,
                   "gravity=X,Y,Z or gravitational_constant=NUMBER from the next tick on")
      ->type_name("NAME=VALUE");
  add_commands(verb, options.commands,
               "Lines of JSON, as orrery log export writes them: from the next tick on these\n"
               "commands in place of those of the log");
  verb->add_option("-o", options.out, "Write the log of the other session to this new file")
      ->required()
      ->check(host::kGiven)
      ->type_name("FILE");
  add_json(verb, options.json);
}

void add_plot(CLI::App& app, PlotOptions& options, Verb& chosen) {
  CLI::App* const verb =
      add_verb(app, "plot", "Draw what became of energy and momenta, by gnuplot",
               "  orrery plot a.orrery -o a.svg", chosen, [&options] { return plot(options); });
  verb->add_option("LOG", options.log, "Session log")->required();
  verb->add_option("-o", options.out, "The picture: .svg or .png")->required()->type_name("FILE");
  add_json(verb, options.json);
}

int run_command_line(int argc, char** argv) {
  if (!float_environment_is_sound())
    throw host::FloatEnvironmentError();  // before anything computes
  CLI::App app("Steps, records, replays and verifies simulations, every bit the same.", "orrery");
  app.set_version_flag("--version", std::string("orrery ") + ORRERY_VERSION);
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
  app.footer(kExamples);  // after the verbs, which would inherit it
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_text) {
    return app.exit(asked_for_text);
  } catch (const CLI::ParseError& error) {
    return unusable(host::complaint(app, error));
  }
  return chosen();
}

// The exit code of what was printed, which says nothing if not all of it could be written.
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
