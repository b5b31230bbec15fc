// Measures elapsed time and CPU time.
#pragma once

#include "common/host/process/clock.h"

namespace orrery::cli {

class Stopwatch {
 public:
  double seconds() const { return static_cast<double>(host::monotonic_now() - started_) * 1e-9; }
  // Returns the CPU time of all threads of the process since this object was made, in seconds.
  double cpu_seconds() const { return host::process_cpu_seconds() - cpu_started_; }

 private:
  net::Nanoseconds started_ = host::monotonic_now();
  double cpu_started_ = host::process_cpu_seconds();
};

}  // namespace orrery::cli
