// Starts orreryd: turns options into a session, and the end of the session into an exit code.
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>

#include "common/codec/scene_codec.h"
#include "common/core/float_environment.h"
#include "common/core/printable.h"
#include "common/host/disk/flight_file.h"
#include "common/host/disk/log_seal.h"
#include "common/host/disk/log_segments.h"
#include "common/host/net/key_file.h"
#include "common/host/process/build.h"
#include "common/host/process/clock.h"
#include "common/host/process/failure.h"
#include "common/host/process/sound_thread.h"
#include "common/host/process/stop_signal.h"
#include "common/host/process/tick_threads.h"
#include "common/host/text/scene_file.h"
#include "common/net/packet/address_text.h"
#include "server/access.h"
#include "server/background.h"
#include "server/loop.h"
#include "server/operator/log_line.h"
#include "server/operator/operator_stream.h"
#include "server/operator/report.h"
#include "server/operator/status_file.h"
#include "server/options.h"
#include "server/session_file.h"
#include "server/shadow.h"
#include "server/web/web_side.h"

namespace orrery::server {
namespace {

constexpr int kUnusable = 2;
constexpr int kFailed = 1;
// Limit on waiting for stderr at the end: a write to it may block forever.
constexpr std::chrono::seconds kDrainLimit{1};
constexpr double kBytesPerKbit = 125;

int fail(const std::string& message, int code) {
  constexpr std::size_t kLengthMax = 1000;  // maximum bytes; the text may come from outside
  last_words(printable(message, kLengthMax));
  return code;
}

// Returns the default name of a log, made of the start time and the scene.
std::string log_name(const std::string& scene) {
  std::string name = host::utc_timestamp() + "-" + (scene.empty() ? "scene" : scene);
  for (char& c : name) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!kept) c = '-';
  }
  return name;
}

// The state that a session starts from.
struct Start {
  World world;
  codec::LogHeader header;  // header of the first segment that is written
  std::string log;          // path of the log; empty: made of the start time and the scene
  std::unique_ptr<host::LogLock> lock =
      {};                          // lock of the log that is continued; null for a new one
  std::uint32_t last_segment = 0;  // last segment of the log that is continued
};

Result<std::unique_ptr<host::LogFile>> open_log(const Options& options, Start& start) {
  if (start.lock)
    return host::LogFile::resume(start.log, std::move(start.lock), host::OnFailure::go_on);
  if (!start.log.empty()) {
    auto file = host::LogFile::open(start.log, host::OnFailure::go_on);
    if (file) return file;
    if (options.log.empty()) return file.error().of_option("--session", " ");
    const std::string why = why_taken(options.log);
    return Error::at("--log", " " + (why.empty() ? file.error().text() : why));
  }
  return host::LogFile::open_unused(log_name(start.world.scene().name), host::OnFailure::go_on);
}

Result<Scene> scene_of(const Options& options, Problem* warning = nullptr) {
  auto scene = host::load_scene(options.scene.empty() ? "playground" : options.scene, warning);
  if (!scene || options.rate == 0) return scene;
  scene.value().tick_rate = options.rate;
  const Status sound = validate(scene.value());
  if (!sound) return sound.error().of_option("--rate");
  return scene;
}

Result<std::unique_ptr<host::UdpNetwork>> listen(const Options& options) {
  const auto address = net::parse_address(options.listen);
  if (!address) return address.error().of_option("--listen", " ");
  const Status allowed = check_access(options, address.value());
  if (!allowed) return allowed.error();
  auto network = host::UdpNetwork::bind(address.value());
  if (!network) return network.error().of_option("--listen", " ");
  return network;
}

// Returns the sealer of --seal-key, or nothing without it. Returns an Error if the key cannot be
// read, or if the log is continued and its seals are not correct.
Result<std::optional<host::LogSealer>> open_sealer(const Options& options, const Start& start) {
  if (options.seal_key.empty()) return std::optional<host::LogSealer>();
  const auto key = host::read_key_file(options.seal_key);
  if (!key) return key.error().of_option("--seal-key", " ");
  if (!start.lock) return std::optional(host::LogSealer(key.value().key));
  auto resumed = host::resume_sealer(start.log, key.value().key);
  if (!resumed)
    return resumed.error().of_option(options.resume.empty() ? "--session" : "--resume", " ");
  log_event(LogEvent::seals_verified, {{"tick", resumed.value().proved.value}});
  return std::optional(std::move(resumed.value().sealer));
}

// Writes to stdout and flushes it.
Status tell(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return ok_status();
  return Error{std::string("stdout cannot be written: ") + std::strerror(errno) +
               "; redirect it to a file, a pipe or /dev/null"};
}

// Writes the lines that programs wait for when they start a server.
Status announce(const net::Address& address, const std::optional<net::Address>& web,
                const std::string& log_path) {
  const std::string page = web ? "web http://" + net::format_address(*web) + '\n' : std::string();
  return tell("udp " + net::format_address(address) + '\n' + page + "log " + log_path + '\n');
}

Status announce_ready() {
  Status told = tell("ready\n");
  if (told) sd_notify(0, "READY=1");
  return told;
}

Result<Start> start_anew(const Options& options, std::string log) {
  Problem warning;
  auto scene = scene_of(options, &warning);
  if (warning) log_event(LogEvent::scene_doubtful, {{"problem", warning->text()}});
  if (!scene) return scene.error();
  World world(std::move(scene.value()));
  codec::SessionId session;
  host::fill_random(session);
  codec::LogHeader header = session::make_log_header(world, host::build_name(), session);
  return Start{std::move(world), std::move(header), std::move(log)};
}

// Returns true if --scene names another scene than the recorded one, whatever their rates.
bool is_other_scene(Options options, const Scene& recorded) {
  if (options.scene.empty()) return false;
  options.rate = recorded.tick_rate;
  std::vector<std::uint8_t> asked;
  std::vector<std::uint8_t> known;
  if (const auto given = scene_of(options)) codec::encode_scene(given.value(), asked);
  codec::encode_scene(recorded, known);
  return asked != known;
}

// Logs that --scene or --rate is ignored, if the continued session has another scene or rate.
void compare_with_options(const Options& options, const Scene& scene) {
  const auto ignore = [](const char* option) {
    log_event(LogEvent::option_ignored,
              {{"option", option}, {"reason", "the session continues with its own"}});
  };
  if (is_other_scene(options, scene)) ignore("--scene");
  if (options.rate != 0 && options.rate != scene.tick_rate) ignore("--rate");
}

Result<Start> start_from_log(const Options& options, std::string path, host::ResumableLog log) {
  World& world = log.recovered.world;
  codec::LogHeader& header = log.recovered.header;
  header.build = host::build_name();
  for (const Tick tick : log.recovered.unusable) {
    log_event(LogEvent::checkpoint_skipped, {{"tick", tick.value}});
  }
  if (options.ticks != 0 && options.ticks <= world.tick().value) {
    return Error::at("--ticks", ": the session is at tick " + std::to_string(world.tick().value) +
                                    " already; give a later tick, or omit the option");
  }
  compare_with_options(options, world.scene());
  return Start{std::move(world), std::move(header), std::move(path), std::move(log.lock),
               log.recovered.last_segment};
}

Result<Start> start_session(const Options& options, Executor& executor) {
  if (!options.resume.empty()) {
    auto log = host::recover_log(options.resume, executor);
    if (!log) return log.error().of_option("--resume", " ");
    return start_from_log(options, options.resume, std::move(log.value()));
  }
  if (options.session.empty()) return start_anew(options, options.log);
  auto session = find_session(options.session, executor);
  if (!session) return session.error().of_option("--session", " ");
  SessionFile& found = session.value();
  if (!found.log) return start_anew(options, found.path);
  return start_from_log(options, found.path, std::move(*found.log));
}

// The shadow of --shadow, if enabled. Logs the first divergence and saves the flight recorder then.
class SessionShadow {
 public:
  SessionShadow(bool asked, Server& server, const std::string& log_path,
                const codec::SessionId& session) {
    if (!asked) return;
    shadow_.emplace(
        server.world(), host::build_name(), [&, session](const auto& found, const auto& ticks) {
          differs_ = true;
          log_divergence(found);
          const std::string path = log_path + ".flight-" + std::to_string(found.tick.value);
          const Scene& scene = server.world().scene();
          const auto written = host::write_flight(path, scene, host::build_name(), session, ticks);
          if (written) {
            log_event(LogEvent::flight_saved, {{"file", written.value()}});
          } else {
            log_event(LogEvent::flight_failed, {{"reason", written.error().text()}});
          }
        });
    server.follow_with(*shadow_);
  }

  // Ends the shadow and returns whether it agreed with every state that it compared. After a stop
  // signal it waits only briefly, so the last ticks may not be compared. REQUIRES: called once,
  // after the session.
  bool agreed(const host::StopSignal& stop) {
    constexpr std::chrono::milliseconds kLimit{100};
    if (shadow_ && stop.asked()) {
      const std::uint64_t unseen = shadow_->end_within(kLimit);
      if (unseen > 0) log_event(LogEvent::shadow_ended_early, {{"ticks_unseen", unseen}});
    }
    shadow_.reset();
    return !differs_;
  }

 private:
  std::atomic<bool> differs_{false};
  std::optional<Shadow> shadow_;
};

// Ignores signals that would kill the server:
// - SIGXFSZ and SIGPIPE: a write past the file size limit, or to a closed pipe, then returns an
//   error.
// - SIGUSR1: there are no counters to log before the session runs.
// - SIGHUP, if the process has no terminal: a daemon cannot lose its terminal.
void ignore_signals() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGUSR1, SIG_IGN);
  if (!host::has_controlling_terminal()) std::signal(SIGHUP, SIG_IGN);
}

Status check_status(const Options& options, const std::string& log) {
  if (options.status.empty()) return ok_status();
  const Status usable = check_status_file(options.status, log);
  return usable ? usable : usable.error().of_option("--status", " ");
}

// Closes the log after the session. Returns the exit code.
int close_session(host::LogFile& file, const host::StopSignal& stop, bool agreed, Tick last) {
  if (stop.asked()) file.packer().cancel();
  if (const Status closed = file.close(); !closed) {
    return fail(closed.error().text() + "; the disk has the log up to tick " +
                    std::to_string(file.state().durable.value) + " of " +
                    std::to_string(last.value),
                kFailed);
  }
  if (agreed) return 0;
  return fail("the shadow diverged from the session; the log line `shadow diverged` says where",
              kFailed);
}

// Runs one session. Sets `stop`, which must live until the program ends: otherwise a repeated
// signal could kill the server while it closes the log, removes the key file or drains stderr. A
// SIGINT or SIGTERM more than 0.2 s after the first stop signal ends the process at once.
int run_session(const Options& options, const OperatorStream& operator_stream,
                std::optional<host::StopSignal>& stop) {
  ignore_signals();
  host::TickThreads executor(options.threads);
  auto start = start_session(options, executor);
  if (!start) return fail(start.error().text(), kUnusable);
  World& world = start.value().world;
  const codec::LogHeader& header = start.value().header;
  auto network = listen(options);
  if (!network) return fail(network.error().text(), kUnusable);
  const auto access = open_access(options, network.value()->local(), start.value().log);
  if (!access) return fail(access.error().text(), kUnusable);
  const auto web = web::WebSide::open(options);
  if (!web) return fail(web.error().text(), kUnusable);
  if (const Status usable = check_status(options, start.value().log); !usable) {
    return fail(usable.error().text(), kUnusable);
  }
  auto sealer = open_sealer(options, start.value());
  if (!sealer) return fail(sealer.error().text(), kUnusable);
  auto log = open_log(options, start.value());
  if (!log) return fail(log.error().text(), kUnusable);

  host::LogFile& file = *log.value();
  if (sealer.value()) file.seal_with(std::move(*sealer.value()));
  session::SessionLog records = header.segment == 0 ? session::SessionLog(file, header)
                                                    : session::SessionLog(file, header, world);
  if (Status begun = file.sync(); !begun) {
    file.discard();
    return fail(begun.error().text(), kUnusable);
  }
  if (header.segment > 0) {
    log_event(LogEvent::session_resumed,
              {{"tick", header.after_tick.value}, {"segment", header.segment}});
    file.packer().pack(start.value().last_segment);
  }
  file.packer().keep(options.keep);
  OperatorLog operator_log;
  host::UdpBatch batch(*network.value());
  web::WebSide& side = *web.value();
  side.join(batch);
  Server server(world, records, {side.network(), side.datagrams(), executor, operator_log},
                access.value().access, host::monotonic_now());
  if (options.snapshot_rate != 0) server.snapshots().limit(options.snapshot_rate);
  server.snapshots().set_delta_level(options.delta_level);
  server.limit_clients({kBytesPerKbit * options.client_kbit, options.mtu});
  stop.emplace(host::SecondStop::exits);
  SessionShadow shadow(options.shadow, server, file.path(), header.session);
  Background background({options.status, access.value().newest_token_file}, file.path());
  Reporter reporter(server, *network.value(), file, operator_stream, background);
  side.serve(
      server, file, access.value().access, header.session,
      [&] { return reporter.metrics(host::monotonic_now()); }, operator_log);
  Status served = announce(network.value()->local(), side.local(), file.path());
  if (served) {
    report(access.value(), *network.value());
    if (host::is_ignored(SIGHUP)) log_event(LogEvent::signal_ignored, {{"signal", "SIGHUP"}});
    served =
        serve(server, operator_log, reporter, file, side, *stop, options.ticks, announce_ready);
  }
  sd_notify(0, "STOPPING=1");
  if (!served) {
    file.discard();
    return fail(served.error().text(), kUnusable);
  }
  records.close();
  return close_session(file, *stop, shadow.agreed(*stop), world.tick());
}

int run_command_line(int argc, char** argv, const OperatorStream& operator_stream,
                     std::optional<host::StopSignal>& stop) {
  if (!float_environment_is_sound())
    throw host::FloatEnvironmentError();  // before anything computes
  const auto command_line = parse_command_line(argc, argv);
  if (!command_line) return fail(command_line.error().text(), kUnusable);
  if (const auto& text = command_line.value().text) {
    const Status told = tell(*text);
    return told ? 0 : fail(told.error().text(), kUnusable);
  }
  const Options& options = command_line.value().options;
  configure_log(options.log_level, options.log_format);
  if (!options.key_file.empty() || !options.seal_key.empty()) host::forbid_core_dumps();
  return run_session(options, operator_stream, stop);
}

// Returns the exit code. Exceptions mean that the system lacks a resource, or that the
// floating-point environment is wrong.
int run_program(int argc, char** argv, OperatorStream& operator_stream,
                std::optional<host::StopSignal>& stop) {
  try {
    return run_command_line(argc, argv, operator_stream, stop);
  } catch (const std::exception& error) {
    if (!operator_stream.drain(kDrainLimit)) ::_exit(kUnusable);
    return host::report_failure("orreryd", error);
  }
}

}  // namespace
}  // namespace orrery::server

int main(int argc, char** argv) {
  orrery::host::reserve_standard_streams();
  orrery::host::report_uncaught_failures("orreryd");
  std::optional<orrery::host::StopSignal> stop;
  try {
    orrery::server::OperatorStream operator_stream(STDERR_FILENO);
    const int code = orrery::server::run_program(argc, argv, operator_stream, stop);
    if (!operator_stream.drain(orrery::server::kDrainLimit)) ::_exit(code);
    return code;
  } catch (const std::exception& error) {
    return orrery::host::report_failure("orreryd", error);
  }
}
