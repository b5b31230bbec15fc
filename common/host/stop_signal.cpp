// Owns the flag that a signal handler can set.
#include "common/host/stop_signal.h"

#include <csignal>

namespace orrery {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

void on_signal(int) { asked_to_stop = 1; }

}  // namespace

StopSignal::StopSignal() {
  asked_to_stop = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

StopSignal::~StopSignal() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool StopSignal::asked() const { return asked_to_stop != 0; }

}  // namespace orrery
