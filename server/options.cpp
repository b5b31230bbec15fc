// Owns the use of CLI11. What the command line says goes before what the file says.
#include "server/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "common/core/limits.h"
#include "common/host/process/command_line.h"
#include "server/config_file.h"

namespace orrery::server {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  orreryd                                  the playground, on 127.0.0.1:4770\n"
    "  orreryd --scene springs:1000 --ticks 600 ten seconds of a lattice of springs\n"
    "  orreryd --listen 127.0.0.1:0 --log a.orrery   any free port; where the log goes\n"
    "  orreryd --listen 10.0.0.1:4770 --key-file orrery.key   clients with tokens, from anywhere\n"
    "  orreryd --resume a.orrery                go on after a crash, in a.orrery.0001\n"
    "  orreryd --session a.orrery               for a service: begin it, or go on after a crash\n"
    "  orreryd --config orreryd.toml            the options as keys: scene = \"solar\"\n"
    "Then: orrery watch 127.0.0.1:4770; SIGUSR1 writes counters to stderr; SIGTERM ends the "
    "session\n"
    "and closes the log; orrery verify LOG replays it.\n";

// Those that say where the log goes, or which session continues; `resume` excludes the others.
void add_log_options(CLI::App& app, Options& options, CLI::Option* scene, CLI::Option* rate) {
  const auto log = app.add_option("--log", options.log,
                                  "the session log, a new file; without it\n"
                                  "a name of start time and scene, in this folder")
                       ->check(host::kGiven)
                       ->type_name("FILE");
  app.add_option("--seal-key", options.seal_key,
                 "seal the log with this key, at start and end and every 10 s: orrery\n"
                 "log check --seal-key FILE shows then that nothing was changed")
      ->check(host::kGiven)
      ->type_name("FILE");
  const auto session =
      app.add_option("--session", options.session,
                     "begin the session in this log, or continue it if its server\n"
                     "ended without closing it; if it was closed, the same with\n"
                     "FILE-2, FILE-3, ...; --scene and --rate apply where one begins")
          ->check(host::kGiven)
          ->type_name("FILE")
          ->excludes(log);
  app.add_option("--resume", options.resume,
                 "go on with the session of this log, whose server ended\n"
                 "without closing it, from its last whole tick; LOG.0001, ...\n"
                 "takes what comes")
      ->check(host::kGiven)
      ->type_name("LOG")
      ->excludes(scene)
      ->excludes(log)
      ->excludes(session)
      ->excludes(rate);
}

// One list of the options, for both places.
void add_options(CLI::App& app, Options& options, std::string& config) {
  const auto scene =
      app.add_option("--scene", options.scene, "a built-in name, or a scene file (.json or binary)")
          ->check(host::kGiven)
          ->type_name("SCENE")
          ->default_str("playground");
  app.add_option("--listen", options.listen, "where clients connect by UDP")
      ->type_name("ADDR:PORT")
      ->capture_default_str();
  const auto rate =
      app.add_option("--rate", options.rate, "ticks per second, instead of the scene's")
          ->type_name("HZ")
          ->check(host::number_in(1u, limits::kTickRateMax));
  app.add_option("--snapshot-rate", options.snapshot_rate,
                 "snapshots per second at most; without it one a tick, but\n"
                 "fewer of large worlds")
      ->type_name("HZ")
      ->check(host::number_in(1u, limits::kTickRateMax));
  app.add_option("--client-kbit", options.client_kbit,
                 "send no client more than N kbit/s, from 256 to 1000000, headers of\n"
                 "UDP and IP included (default: as much as its path bears)")
      ->type_name("N")
      ->check(host::number_in(256u, 1'000'000u));
  add_log_options(app, options, scene, rate);
  app.add_option("--ticks", options.ticks, "end after so many ticks")
      ->type_name("N")
      ->check(host::number_in(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()));
  app.add_option("--threads", options.threads, "threads that a tick may use")
      ->type_name("N")
      ->capture_default_str()
      ->check(host::number_in(1u, limits::kThreadsMax));
  app.add_option("--key-file", options.key_file,
                 "the key that connect tokens are sealed with; without it\n"
                 "one for this run, and clients on this machine alone")
      ->type_name("FILE");
  app.add_option("--public", options.public_address,
                 "what tokens call this server, if not --listen")
      ->type_name("ADDR:PORT");
  app.add_option("--protocol-id", options.protocol_id, "what tokens and packets name")
      ->check(host::kAnyNumber)
      ->type_name("N");
  app.add_option("--token-life", options.token_life, "the longest that a token may be good for")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(host::number_in(1, 86400));
  app.add_flag("--shadow", options.shadow,
               "replay the session while it runs, in a thread of its own;\n"
               "at the first difference say so, and write LOG.flight-TICK");
  app.add_option("--status", options.status,
                 "write the counters to this file as JSON, every second and at SIGUSR1;\n"
                 "it is replaced whole")
      ->check(host::kGiven)
      ->type_name("FILE");
  app.add_option("--config", config, "these options as TOML: scene = \"solar\"")->type_name("FILE");
}

// Once command line and file are read: the one may have the key, and the other what goes with it.
Status check_key(const Options& options) {
  if (!options.key_file.empty()) return ok_status();
  const Error error{" is for tokens; give the --key-file that they are sealed with too"};
  if (!options.public_address.empty()) return Error{"--public" + error.message};
  if (options.protocol_id) return Error{"--protocol-id" + error.message};
  if (options.token_life != net::kTokenLifeSeconds) return Error{"--token-life" + error.message};
  return ok_status();
}

// The same: the one may name a log, and the other a session.
Status check_session(const Options& options) {
  if (options.session.empty() || (options.log.empty() && options.resume.empty())) {
    return ok_status();
  }
  return Error{std::string("--session excludes ") + (options.log.empty() ? "--resume" : "--log") +
               "; give one of them, on the command line or in the file"};
}

// `arguments` in the order of a command line; an error comes back as one line.
Status parse(CLI::App& app, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    throw;
  } catch (const CLI::CallForVersion&) {
    throw;
  } catch (const CLI::ParseError& error) {
    return Error{host::complaint(app, error)};
  }
  return ok_status();
}

// The options of a file, one by one, so that an error has its line, and then together, as one may
// exclude another.
Status parse_config(CLI::App& app, const std::string& path) {
  const auto entries = read_config(path, app);
  if (!entries) return entries.error();
  std::vector<std::string> arguments;
  for (const ConfigEntry& entry : entries.value()) {
    const Status status = parse(app, {entry.argument});
    if (!status) {
      const std::string& why = status.error().message;
      return Error{entry.place + (why.starts_with("--") ? why.substr(2) : why)};
    }
    arguments.push_back(entry.argument);
  }
  const Status status = parse(app, arguments);
  return status ? ok_status() : Status(Error{printable(path) + ": " + status.error().message});
}

}  // namespace

Result<CommandLine> parse_command_line(int argc, char** argv) {
  CommandLine result;
  std::string config;
  CLI::App app(
      "orreryd serves one session of a scene: it steps the bodies, takes commands from\n"
      "clients, sends them snapshots, and logs every tick.",
      "orreryd");
  app.set_version_flag("--version", "orreryd " ORRERY_VERSION);
  app.footer(kExamples);
  add_options(app, result.options, config);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    Status status = parse(app, arguments);
    if (!status) return status.error();
    if (!config.empty()) {
      result.options = Options{};
      status = parse_config(app, config);
      if (!status) return status.error();
      status = parse(app, arguments);
      if (!status) return status.error();
    }
    for (const auto& check : {check_key, check_session}) {
      status = check(result.options);
      if (!status) return status.error();
    }
  } catch (const CLI::CallForVersion&) {
    result.text = "orreryd " ORRERY_VERSION "\n";
  } catch (const CLI::CallForHelp&) {
    result.text = app.help();
  }
  return result;
}

}  // namespace orrery::server
