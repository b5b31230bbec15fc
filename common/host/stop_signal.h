// Owns how a command ends before its time: Ctrl-C.
#pragma once

namespace orrery {

// From its construction on, SIGINT and SIGTERM only ask to stop. One at a time in a process.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool asked() const;
};

}  // namespace orrery
