// Parses the options of orreryd with CLI11.
#include "server/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

#include "common/core/limits.h"
#include "common/host/process/build.h"
#include "common/host/process/command_line.h"
#include "common/net/packet/address_text.h"
#include "server/config_file.h"

namespace orrery::server {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  orreryd                                        serve the playground on 127.0.0.1:4770\n"
    "  orreryd --scene springs:1000 --ticks 600       serve a lattice of springs for 10 seconds\n"
    "  orreryd --listen 127.0.0.1:0 --log a.orrery    use any free port; name the log\n"
    "  orreryd --web off                              serve no page and no WebSocket\n"
    "  orreryd --listen 10.0.0.1:4770 --key-file orrery.key   accept clients with tokens\n"
    "  orreryd --resume a.orrery                      continue a session after a crash\n"
    "  orreryd --session a.orrery                     as a service: begin or continue a session\n"
    "  orreryd --config orreryd.toml                  read options from a file\n"
    "To watch the session: orrery watch 127.0.0.1:4770. To write the counters to stderr: SIGUSR1.\n"
    "To end the session and close the log: SIGTERM. To check the log: orrery verify LOG.\n";

// Reads the value of --keep: 500MB, 20GB, 12h or 14d. Returns nothing for other texts.
std::optional<host::KeepLimit> parse_keep(const std::string& text) {
  struct Unit {
    std::string_view name;
    std::uint64_t host::KeepLimit::*limit;
    std::uint64_t size;
  };
  constexpr auto kUnits = std::to_array<Unit>({{"MB", &host::KeepLimit::bytes, 1'000'000},
                                               {"GB", &host::KeepLimit::bytes, 1'000'000'000},
                                               {"h", &host::KeepLimit::seconds, 3600},
                                               {"d", &host::KeepLimit::seconds, 86'400}});
  constexpr std::uint64_t kMost = 1'000'000;
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || number == 0 || number > kMost || text[0] == '0') return {};
  for (const Unit& unit : kUnits) {
    if (std::string_view(read_to, end) != unit.name) continue;
    host::KeepLimit limit;
    limit.*unit.limit = number * unit.size;
    return limit;
  }
  return {};
}

// Adds the option that limits the size of the session log.
void add_keep(CLI::App& app, Options& options) {
  app.add_option_function<std::string>(
         "--keep", [&options](const std::string& text) { options.keep = parse_keep(text).value(); },
         "Remove the records of the oldest closed segments of the log beyond\n"
         "this size or age: 500MB, 20GB, 12h, 14d. Their ticks can then not be\n"
         "replayed (default: keep everything)")
      ->check([](const std::string& text) {
        return parse_keep(text)
                   ? std::string()
                   : text + " is not a size or an age, such as 500MB, 20GB, 12h or 14d";
      })
      ->type_name("LIMIT");
}

// Adds the options that name the session log or the session to continue, and --keep.
void add_log_options(CLI::App& app, Options& options, CLI::Option* scene, CLI::Option* rate) {
  const auto log = app.add_option("--log", options.log,
                                  "Write the session log to this new file (default: a name made\n"
                                  "of the start time and the scene, in the working folder)")
                       ->check(host::kGivenInOneLine)
                       ->type_name("FILE");
  app.add_option("--seal-key", options.seal_key,
                 "Seal the log with the key in this file at the start, every 10 s\n"
                 "and at the end. `orrery log check LOG --seal-key FILE` then proves\n"
                 "that nobody changed the log (default: no seals)")
      ->check(host::kGiven)
      ->type_name("FILE");
  const auto session =
      app.add_option("--session", options.session,
                     "Begin a session with this log. If the log exists and its server\n"
                     "crashed, continue it; if it was closed, begin the next session in\n"
                     "FILE-2, then FILE-3. --scene and --rate apply to new sessions")
          ->check(host::kGivenInOneLine)
          ->type_name("FILE")
          ->excludes(log);
  app.add_option("--resume", options.resume,
                 "Continue the session of this log after a crash, from the last\n"
                 "complete tick. New ticks go to LOG.0001, then LOG.0002")
      ->check(host::kGivenInOneLine)
      ->type_name("LOG")
      ->excludes(scene)
      ->excludes(log)
      ->excludes(session)
      ->excludes(rate);
  add_keep(app, options);
}

// Adds the options that decide which connect tokens are accepted.
void add_token_options(CLI::App& app, Options& options) {
  app.add_option("--key-file", options.key_file,
                 "Accept connect tokens that were made with the key in this file\n"
                 "(default: a new random key, for clients on this machine only)")
      ->type_name("FILE");
  app.add_option("--public", options.public_address,
                 "Accept tokens that list this address, for servers behind NAT or a\n"
                 "relay; needs --key-file (default: the address of --listen)")
      ->type_name("ADDR:PORT");
  app.add_option("--protocol-id", options.protocol_id,
                 "Accept only tokens and packets with this protocol id; needs\n"
                 "--key-file (default: the id in the key file)")
      ->check(host::kAnyNumber)
      ->type_name("N");
  app.add_option("--token-life", options.token_life,
                 "Reject tokens that are valid for more than N seconds from now;\n"
                 "needs --key-file")
      ->type_name("N")
      ->capture_default_str()
      ->check(host::number_in(1, 86400));
}

constexpr auto kLevelNames = std::to_array<std::string_view>({"debug", "info", "warn", "error"});
constexpr auto kDeltaLevelNames = std::to_array<std::string_view>({"cheap", "fast"});
constexpr auto kFormatNames = std::to_array<std::string_view>({"text", "json"});

// Adds an option with one of `names` as its value. Name i means the enumerator with value i.
template <class Enum, std::size_t kNames>
void add_choice(CLI::App& app, const std::string& option, Enum& value, const std::string& type,
                const std::array<std::string_view, kNames>& names, const std::string& help) {
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  const auto index_of = [names](const std::string& word) {
    return static_cast<std::size_t>(std::ranges::find(names, word) - names.begin());
  };
  app.add_option_function<std::string>(
         option, [=, &value](const std::string& word) { value = Enum(index_of(word)); }, help)
      ->check([=](const std::string& word) {
        return index_of(word) < kNames ? "" : word + " is not one of " + list;
      })
      ->type_name(type)
      ->default_str(std::string(names[static_cast<std::size_t>(value)]));
}

// Adds the options for what a client is sent.
void add_client_options(CLI::App& app, Options& options) {
  app.add_option("--snapshot-rate", options.snapshot_rate,
                 "Send each client at most N snapshots per second (default: one per\n"
                 "tick, fewer in large worlds)")
      ->type_name("N")
      ->check(host::number_in(1u, limits::kTickRateMax));
  add_choice(app, "--delta-level", options.delta_level, "LEVEL", kDeltaLevelNames,
             "Code the snapshots of mode delta at this level: fast, or cheap for less\n"
             "CPU time and more bytes");
  app.add_option("--client-kbit", options.client_kbit,
                 "Send each client at most N kbit/s, including UDP and IP headers. The\n"
                 "default carries all bodies of any world at 60 ticks per second")
      ->type_name("N")
      ->capture_default_str()
      ->check(host::number_in(256u, 1'000'000u));
  app.add_option("--mtu", options.mtu,
                 "Send no datagram of more than N bytes, without UDP and IP headers. A\n"
                 "client gets small ones without this option if its path drops large ones.\n"
                 "To connect, its path must carry datagrams of 1,078 bytes to the server")
      ->type_name("N")
      ->capture_default_str()
      ->check(host::number_in(net::kDatagramBytesMin, net::kPacketBytesMax));
}

// Adds every option, for the command line and for the configuration file.
void add_options(CLI::App& app, Options& options, std::string& config) {
  const auto scene = app.add_option("--scene", options.scene,
                                    "Serve this scene: a built-in name (see `orrery scenes`) or a\n"
                                    "scene file, JSON or binary")
                         ->check(host::kGiven)
                         ->type_name("SCENE")
                         ->default_str("playground");
  app.add_option("--listen", options.listen,
                 "Receive clients at this UDP address. Port 0 is any free port")
      ->type_name("ADDR:PORT")
      ->capture_default_str();
  app.add_option("--web", options.web,
                 "Serve the page, HTTP and WebSocket clients at this TCP address, or\n"
                 "off. Beyond this machine it needs --key-file, and a proxy with TLS\n"
                 "(default: 127.0.0.1:4780, or off if --listen is given)")
      ->type_name("ADDR:PORT");
  app.add_option("--web-hosts", options.web_hosts,
                 "Answer web requests for these hosts and for loopback only, and accept\n"
                 "pages of these hosts behind a proxy: game.example,10.0.0.5:8443\n"
                 "(default: any host with --key-file, loopback without it)")
      ->check(host::kGiven)
      ->type_name("LIST");
  const auto rate =
      app.add_option("--rate", options.rate, "Run N ticks per second (default: the scene's rate)")
          ->type_name("N")
          ->check(host::number_in(1u, limits::kTickRateMax));
  add_client_options(app, options);
  add_log_options(app, options, scene, rate);
  app.add_option("--ticks", options.ticks,
                 "Stop after tick N (default: run until SIGTERM or SIGINT)")
      ->type_name("N")
      ->check(host::number_in(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()));
  app.add_option("--threads", options.threads, "Compute each tick with up to N threads")
      ->type_name("N")
      ->capture_default_str()
      ->check(host::number_in(1u, limits::kThreadsMax));
  add_token_options(app, options);
  app.add_flag("--shadow", options.shadow,
               "Replay the session in a second thread and compare every state. At\n"
               "the first difference log it, save the last 10 seconds to\n"
               "LOG.flight-TICK, and exit 1 at the end");
  app.add_option("--status", options.status,
                 "Write the counters to this file as JSON every second, at SIGUSR1\n"
                 "and at the end. The file is replaced atomically (default: no file)")
      ->check(host::kGiven)
      ->type_name("FILE");
  add_choice(app, "--log-level", options.log_level, "LEVEL", kLevelNames,
             "Write log lines of this level and above to stderr: debug, info,\n"
             "warn or error");
  add_choice(app, "--log-format", options.log_format, "FORMAT", kFormatNames,
             "Write log lines to stderr in this format: text, or json for one\n"
             "JSON object per line");
  app.add_option("--config", config,
                 "Read options from this TOML file: a line is NAME = VALUE, such as\n"
                 "scene = \"solar\". Options on the command line override the file")
      ->type_name("FILE");
}

// Checks options that need --key-file. REQUIRES: the command line and the configuration file are
// read, as --key-file and the other options may be in different places.
Status check_key(const Options& options) {
  if (!options.key_file.empty()) return ok_status();
  constexpr const char* kWhy = ": needs --key-file, the key that tokens are made with";
  if (!options.public_address.empty()) return Error::at("--public", kWhy);
  if (options.protocol_id) return Error::at("--protocol-id", kWhy);
  if (options.token_life != net::kTokenLifeSeconds) return Error::at("--token-life", kWhy);
  return ok_status();
}

// Refuses --session with --log or --resume. CLI11 accepts them if one is in the configuration file
// and the other on the command line.
Status check_session(const Options& options) {
  if (options.session.empty() || (options.log.empty() && options.resume.empty())) {
    return ok_status();
  }
  return Error::at("--session",
                   std::string(" excludes ") + (options.log.empty() ? "--resume" : "--log") +
                       "; give one of them, on the command line or in the configuration file");
}

// Refuses --keep with --seal-key: a seal is about all records before it.
Status check_keep(const Options& options) {
  const bool keeps = options.keep.bytes != 0 || options.keep.seconds != 0;
  if (!keeps || options.seal_key.empty()) return ok_status();
  return Error::at("--keep",
                   " excludes --seal-key, because seals need every record; give one of them");
}

// Parses arguments in the order of a command line. An Error is one line.
Status parse(CLI::App& app, const std::vector<std::string>& typed) {
  try {
    app.parse(std::vector<std::string>(typed.rbegin(), typed.rend()));  // read from the back
  } catch (const CLI::CallForHelp&) {
    throw;
  } catch (const CLI::CallForVersion&) {
    throw;
  } catch (const CLI::ParseError& error) {
    return host::complaint(app, error, typed.empty() ? "" : typed.back());
  }
  return ok_status();
}

// Parses the options of a configuration file.
Status parse_config(CLI::App& app, const std::string& path) {
  const auto arguments = read_config(path, app);
  if (!arguments) return arguments.error();
  const Status status = parse(app, arguments.value());
  return status ? ok_status() : Status(status.error().in(path));
}

}  // namespace

Result<std::optional<net::Address>> web_address(const Options& options) {
  const std::string fallback = options.listen == kDefaultListen ? kDefaultWeb : "off";
  const std::string text = options.web.value_or(fallback);
  if (text == "off") return std::optional<net::Address>();
  const auto address = net::parse_address(text);
  if (!address) return Error::at("--web", " " + address.error().text() + ", or off");
  if (options.key_file.empty() && !net::is_loopback(address.value())) {
    return Error::at(
        "--web", " " + net::format_address(address.value()) +
                     ": needs --key-file; without it, serve this machine only (127.0.0.1:PORT)");
  }
  return std::optional(address.value());
}

Result<CommandLine> parse_command_line(int argc, char** argv) {
  CommandLine result;
  std::string config;
  CLI::App app(
      "orreryd serves one session of a scene. It simulates the bodies, receives commands\n"
      "from clients over UDP and WebSocket, sends them snapshots, and logs every tick.",
      "orreryd");
  app.set_version_flag("--version", host::version_text("orreryd"));
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
    for (const auto& check : {check_key, check_session, check_keep}) {
      status = check(result.options);
      if (!status) return status.error();
    }
  } catch (const CLI::CallForVersion&) {
    result.text = host::version_text("orreryd") + '\n';
  } catch (const CLI::CallForHelp&) {
    result.text = app.help();
  }
  return result;
}

}  // namespace orrery::server
