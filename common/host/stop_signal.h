// Owns how a command ends before its time: Ctrl-C, or a terminal that closes.
#pragma once

namespace orrery {

// Whether the signal does nothing to this process, as nohup sees to for SIGHUP.
bool is_ignored(int signal);

// From its construction on, SIGINT, SIGTERM and, unless it is ignored, SIGHUP only ask to stop. One
// at a time in a process.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool asked() const;
};

}  // namespace orrery
