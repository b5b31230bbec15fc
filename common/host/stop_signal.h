// Owns what signals ask of a program: to stop, or to report.
#pragma once

#include <cstdint>

namespace orrery {

// Returns whether this process ignores the signal, as `nohup` arranges for SIGHUP.
bool is_ignored(int signal);

// Returns whether this process has a terminal that sends it SIGHUP when it closes. A daemon has
// none.
bool has_controlling_terminal();

// The effect of a second SIGINT or SIGTERM.
enum class SecondStop : std::uint8_t {
  nothing,
  exits  // ends the process at once with code 1
};

// Turns SIGINT, SIGTERM and, unless it is ignored, SIGHUP into requests to stop while it lives. One
// at a time in a process.
class StopSignal {
 public:
  explicit StopSignal(SecondStop second = SecondStop::nothing);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool asked() const;
};

// Turns SIGUSR1 into requests for a report while it lives; the process ignores it afterwards. One
// at a time in a process.
class ReportSignal {
 public:
  ReportSignal();
  ~ReportSignal();
  ReportSignal(const ReportSignal&) = delete;
  ReportSignal& operator=(const ReportSignal&) = delete;

  // Returns whether a report was asked for since the last call.
  bool take();
};

}  // namespace orrery
