// Turns signals into requests to stop or to report.
#pragma once

#include <cstdint>

namespace orrery::host {

// Returns whether this process ignores the signal, as `nohup` arranges for SIGHUP.
bool is_ignored(int signal);

// Returns whether this process has a terminal that sends it SIGHUP when it closes. A daemon has
// none.
bool has_controlling_terminal();

// The effect of a SIGINT or SIGTERM more than 200 ms after the first signal.
enum class SecondStop : std::uint8_t {
  nothing,
  exits  // ends the process at once with code 1
};

// A handler for SIGINT, SIGTERM and, unless it is ignored, SIGHUP. While it exists, these signals
// are requests to stop. REQUIRES: the process has no other StopSignal.
class StopSignal {
 public:
  explicit StopSignal(SecondStop second = SecondStop::nothing);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Returns whether a stop was requested.
  bool asked() const;
};

// A handler for SIGUSR1. While it exists, the signal is a request for a report; afterwards the
// process ignores it. REQUIRES: the process has no other ReportSignal.
class ReportSignal {
 public:
  ReportSignal();
  ~ReportSignal();
  ReportSignal(const ReportSignal&) = delete;
  ReportSignal& operator=(const ReportSignal&) = delete;

  // Returns whether a report was requested since the last call.
  bool take();
};

}  // namespace orrery::host
