// Owns the timing of what a verb does.
#pragma once

#include "common/host/process/clock.h"

namespace orrery {

class Stopwatch {
 public:
  double seconds() const { return static_cast<double>(monotonic_now() - started_) * 1e-9; }
  // Of the process, all threads.
  double cpu_seconds() const { return process_cpu_seconds() - cpu_started_; }

 private:
  Nanoseconds started_ = monotonic_now();
  double cpu_started_ = process_cpu_seconds();
};

}  // namespace orrery
