// Starts orreryd: turns options into a session, and the end of the session into an exit code.
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>

#include "common/core/float_environment.h"
#include "common/core/printable.h"
#include "common/host/process/failure.h"
#include "common/host/process/sound_thread.h"
#include "common/host/process/stop_signal.h"
#include "common/net/packet/address_text.h"
#include "server/operator/operator_stream.h"
#include "server/options.h"
#include "server/run/session.h"

namespace orrery::server {
namespace {

constexpr int kUnusable = 2;
constexpr int kFailed = 1;
// Limit on waiting for stderr at the end: a write to it may block forever.
constexpr std::chrono::seconds kDrainLimit{1};

int fail(const std::string& message, int code) {
  constexpr std::size_t kLengthMax = 1000;  // maximum bytes; the text may come from outside
  last_words(printable(message, kLengthMax));
  return code;
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

// Makes ticks until the session ends. Returns an Error if stdout cannot be written.
Status serve(Session& session) {
  Status told = announce(session.address(), session.web(), session.log_path());
  while (told) {
    const Due due = session.wait();
    if (due == Due::end) break;
    if (due == Due::tick) session.step();
    if (due == Due::ready) told = announce_ready();
  }
  sd_notify(0, "STOPPING=1");
  return told;
}

// Runs one session. Sets `stop`, which must live until the program ends: otherwise a repeated
// signal could kill the server while it closes the log, removes the key file or drains stderr.
int run_session(const Options& options, const OperatorStream& operator_stream,
                std::optional<host::StopSignal>& stop) {
  host::forbid_core_dumps();  // the memory has keys of connections, with --key-file or without
  const auto session = Session::open(options, operator_stream, stop);
  if (!session) return fail(session.error().text(), kUnusable);
  if (const Status served = serve(*session.value()); !served) {
    session.value()->discard();
    return fail(served.error().text(), kUnusable);
  }
  const Session::End end = session.value()->close();
  return end.why.empty() ? 0 : fail(end.why, kFailed);
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
  return run_session(command_line.value().options, operator_stream, stop);
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
