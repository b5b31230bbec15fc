// Prints the table of the benchmarks and measures time.
#pragma once

#include <algorithm>
#include <string>

#include "common/host/process/clock.h"

namespace orrery::bench {

// Prints one row: the quantity, its aim, the measured value, and a value to compare with.
void print_row(const std::string& quantity, const std::string& aim, const std::string& measured,
               const std::string& beside);

// Returns the text that printf() would print.
std::string format(const char* format, ...) __attribute__((format(printf, 1, 2)));

inline constexpr int kRounds = 5;

// The smallest CPU time of several runs in seconds, summed over all threads.
class Best {
 public:
  template <class Work>
  void run(Work work) {
    const double start = host::process_cpu_seconds();
    work();
    seconds_ = std::min(seconds_, host::process_cpu_seconds() - start);
  }
  double seconds() const { return seconds_; }

 private:
  double seconds_ = 1e300;
};

// The smallest wall time of several runs, in seconds. For work on several threads.
class BestWall {
 public:
  template <class Work>
  void run(Work work) {
    const net::Nanoseconds start = host::monotonic_now();
    work();
    seconds_ = std::min(seconds_, 1e-9 * static_cast<double>(host::monotonic_now() - start));
  }
  double seconds() const { return seconds_; }

 private:
  double seconds_ = 1e300;
};

}  // namespace orrery::bench
