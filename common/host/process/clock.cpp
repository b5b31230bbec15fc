// Reads the clocks of the machine.
#include "common/host/process/clock.h"

#include <chrono>
#include <ctime>

namespace orrery::host {

net::Nanoseconds monotonic_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<net::Nanoseconds>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::uint64_t unix_seconds() { return static_cast<std::uint64_t>(std::time(nullptr)); }

net::Nanoseconds thread_cpu_now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<net::Nanoseconds>(time.tv_sec) * net::kSecond +
         static_cast<net::Nanoseconds>(time.tv_nsec);
}

double process_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string utc_timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%d-%H%M%S", &parts);
  return std::string(text, size);
}

}  // namespace orrery::host
