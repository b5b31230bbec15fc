// One session of a server, from its options to the end of its log.
#include "server/run/session.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <utility>

#include "common/host/disk/flight_file.h"
#include "common/host/process/build.h"
#include "common/host/process/clock.h"
#include "common/host/process/failure.h"
#include "common/host/process/tick_threads.h"
#include "server/access.h"
#include "server/background.h"
#include "server/operator/log_line.h"
#include "server/operator/operator_log.h"
#include "server/operator/report.h"
#include "server/run/start.h"
#include "server/shadow.h"
#include "server/web/web_side.h"

namespace orrery::server {
namespace {

constexpr double kBytesPerKbit = 125;

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

}  // namespace

// The parts of a session, in the order in which they are made. Each uses only those above it.
struct Session::Parts {
  Parts(const Options& options_in, std::optional<host::StopSignal>& stop_in)
      : options(options_in), stop(stop_in), executor(options_in.threads) {}

  // Opens everything that can fail before the log begins. Returns the sealer of the log.
  Result<std::optional<host::LogSealer>> open();
  // Begins the log.
  Status begin(std::optional<host::LogSealer> sealer);
  // Makes the server and everything around it.
  void serve(const OperatorStream& operator_stream, std::size_t decisions_max);
  // Takes a step of the start after the log began. Removes the log if the system lacks a resource.
  void or_no_log(auto step) {
    try {
      step();
    } catch (...) {
      log->discard();
      throw;
    }
  }

  const Options options;
  std::optional<host::StopSignal>& stop;
  host::TickThreads executor;
  std::optional<Start> start;
  std::unique_ptr<host::UdpNetwork> network;
  std::optional<ServerAccess> access;
  std::unique_ptr<web::WebSide> web;
  std::unique_ptr<host::LogFile> log;
  std::optional<session::SessionLog> records;
  OperatorLog operator_log;
  std::optional<host::UdpBatch> batch;
  std::optional<Server> server;
  std::optional<SessionShadow> shadow;
  std::optional<Background> background;
  std::optional<Reporter> reporter;
  std::optional<TickCommands> commands;
  std::optional<Loop> loop;
};

Result<std::optional<host::LogSealer>> Session::Parts::open() {
  auto begun = start_session(options, executor);
  if (!begun) return begun.error();
  start.emplace(std::move(begun.value()));
  auto listening = listen(options);
  if (!listening) return listening.error();
  network = std::move(listening.value());
  auto rules = open_access(options, network->local(), start->log);
  if (!rules) return rules.error();
  access.emplace(std::move(rules.value()));
  auto side = web::WebSide::open(options);
  if (!side) return side.error();
  web = std::move(side.value());
  if (const Status usable = check_status(options, start->log); !usable) return usable.error();
  auto sealer = open_sealer(options, *start);
  if (!sealer) return sealer;
  auto file = open_log(options, *start);
  if (!file) return file.error();
  log = std::move(file.value());
  return sealer;
}

Status Session::Parts::begin(std::optional<host::LogSealer> sealer) {
  const codec::LogHeader& header = start->header;
  if (sealer) log->seal_with(std::move(*sealer));
  if (header.segment == 0) {
    records.emplace(*log, header);
  } else {
    records.emplace(*log, header, start->world);
  }
  if (Status begun = log->sync(); !begun) {
    log->discard();
    return begun;
  }
  if (header.segment > 0) {
    log_event(LogEvent::session_resumed,
              {{"tick", header.after_tick.value}, {"segment", header.segment}});
    log->packer().pack(start->last_segment);
  }
  log->packer().keep(options.keep);
  return ok_status();
}

void Session::Parts::serve(const OperatorStream& operator_stream, std::size_t decisions_max) {
  const codec::SessionId& session = start->header.session;
  batch.emplace(*network);
  web->join(*batch);
  server.emplace(start->world, *records,
                 ServerEnvironment{web->network(), web->datagrams(), executor, operator_log},
                 access->access, host::monotonic_now());
  if (options.snapshot_rate != 0) server->snapshots().limit(options.snapshot_rate);
  server->snapshots().set_delta_level(options.delta_level);
  for (const std::uint64_t account : start->banned) access->access.bans->add(account);
  server->limit_clients({kBytesPerKbit * options.client_kbit, options.mtu});
  stop.emplace(host::SecondStop::exits);
  shadow.emplace(options.shadow, *server, log->path(), session);
  background.emplace(BackgroundFiles{options.status, access->newest_token_file}, log->path());
  reporter.emplace(*server, *network, *log, operator_stream, *background);
  web->serve(
      *server, *log, access->access, session,
      [this] { return reporter->metrics(host::monotonic_now()); }, operator_log);
  commands.emplace(start->world, decisions_max);
}

Session::Session(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::open(const Options& options,
                                               const OperatorStream& operator_stream,
                                               std::optional<host::StopSignal>& stop,
                                               std::size_t decisions_max) {
  configure_log(options.log_level, options.log_format);
  if (!options.key_file.empty() || !options.seal_key.empty()) host::forbid_core_dumps();
  ignore_signals();
  auto parts = std::make_unique<Parts>(options, stop);
  auto sealer = parts->open();
  if (!sealer) return sealer.error();
  if (const Status begun = parts->begin(std::move(sealer.value())); !begun) return begun.error();
  parts->or_no_log([&] { parts->serve(operator_stream, decisions_max); });
  return std::unique_ptr<Session>(new Session(std::move(parts)));
}

const net::Address& Session::address() const { return parts_->network->local(); }
std::optional<net::Address> Session::web() const { return parts_->web->local(); }
const std::string& Session::log_path() const { return parts_->log->path(); }
std::string Session::key_path() const {
  return parts_->access->run_key ? parts_->access->run_key->path() : std::string();
}
const World& Session::world() const { return parts_->start->world; }
const Server& Session::server() const { return *parts_->server; }
std::uint64_t Session::slowed() const { return parts_->loop ? parts_->loop->slowed() : 0; }

// The first call starts the clock of the ticks.
Due Session::wait() {
  ORRERY_ASSERT(!is_due_);
  Parts& p = *parts_;
  if (!p.loop) {
    report(*p.access, *p.network);
    if (host::is_ignored(SIGHUP)) log_event(LogEvent::signal_ignored, {{"signal", "SIGHUP"}});
    const Running running{*p.server, *p.commands, p.operator_log, *p.reporter,
                          *p.log,    *p.web,      *p.stop};
    p.or_no_log([&] { p.loop.emplace(running, p.options.ticks); });
  }
  const Due due = p.loop->wait();
  is_due_ = due == Due::tick;
  return due;
}

TickCommands& Session::commands() {
  ORRERY_ASSERT(is_due_);
  return *parts_->commands;
}

void Session::step() {
  ORRERY_ASSERT(is_due_);
  is_due_ = false;
  parts_->loop->step();
}

std::optional<std::uint64_t> Session::decision(Sequence sequence) const {
  return parts_->commands->decision(sequence);
}

Session::End Session::close() {
  Parts& p = *parts_;
  is_due_ = false;
  if (p.loop) p.loop->stop();
  p.records->close();
  const std::string last = std::to_string(p.start->world.tick().value);
  End end;
  end.agreed = p.shadow->agreed(*p.stop);
  if (p.stop->asked()) p.log->packer().cancel();
  if (const Status closed = p.log->close(); !closed) {
    end.is_durable = false;
    end.why = closed.error().text() + "; the disk has the log up to tick " +
              std::to_string(p.log->state().durable.value) + " of " + last;
  } else if (!end.agreed) {
    end.why = "the shadow diverged from the session; the log line `shadow diverged` says where";
  }
  return end;
}

void Session::discard() { parts_->log->discard(); }

}  // namespace orrery::server
