// Sets and reads the flags of the signal handlers.
#include "common/host/process/stop_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

#include "common/host/process/clock.h"

namespace orrery::host {
namespace {

// Within this time a second signal counts as the first one repeated. `timeout` signals its child
// and then the process group of the child, and a shell does the same.
constexpr net::Nanoseconds kSameRequest = 200 * net::kMillisecond;

std::atomic<net::Nanoseconds> stop_asked_at{0};  // 0: no stop was requested yet
std::atomic<bool> second_stop_exits{false};
std::atomic<bool> asked_to_report{false};
static_assert(std::atomic<net::Nanoseconds>::is_always_lock_free);

// SIGHUP never counts as the second signal, because both a closing terminal and its shell send it.
void on_stop(int signal) {
  const net::Nanoseconds now = monotonic_now();
  net::Nanoseconds first = 0;
  if (stop_asked_at.compare_exchange_strong(first, now)) return;
  if (second_stop_exits && signal != SIGHUP && now - first > kSameRequest) std::_Exit(1);
}

void on_report(int) { asked_to_report = true; }

constexpr int kStops[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

bool has_controlling_terminal() {
  const int terminal = ::open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (terminal < 0) return false;
  ::close(terminal);
  return true;
}

StopSignal::StopSignal(SecondStop second) {
  stop_asked_at = 0;
  second_stop_exits = second == SecondStop::exits;
  for (const int signal : kStops) {
    if (signal != SIGHUP || !is_ignored(signal)) std::signal(signal, on_stop);
  }
}

StopSignal::~StopSignal() {
  for (const int signal : kStops) {
    if (!is_ignored(signal)) std::signal(signal, SIG_DFL);
  }
}

bool StopSignal::asked() const { return stop_asked_at != 0; }

ReportSignal::ReportSignal() {
  asked_to_report = false;
  std::signal(SIGUSR1, on_report);
}

ReportSignal::~ReportSignal() { std::signal(SIGUSR1, SIG_IGN); }

bool ReportSignal::take() { return asked_to_report.exchange(false); }

}  // namespace orrery::host
