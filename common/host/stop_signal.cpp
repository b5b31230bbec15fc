// Owns the flag that a signal handler can set.
#include "common/host/stop_signal.h"

#include <csignal>

namespace orrery {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

void on_signal(int) { asked_to_stop = 1; }

constexpr int kStops[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

StopSignal::StopSignal() {
  asked_to_stop = 0;
  for (const int signal : kStops) {
    if (signal != SIGHUP || !is_ignored(signal)) std::signal(signal, on_signal);
  }
}

StopSignal::~StopSignal() {
  for (const int signal : kStops) {
    if (!is_ignored(signal)) std::signal(signal, SIG_DFL);
  }
}

bool StopSignal::asked() const { return asked_to_stop != 0; }

}  // namespace orrery
