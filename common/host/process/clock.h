// The clocks of the machine.
#pragma once

#include <string>

#include "common/net/environment.h"

namespace orrery::host {

// Returns monotonic time. It never goes back, and nobody can set it.
net::Nanoseconds monotonic_now();

// Returns the seconds since 1970 of the system clock, which can be set.
std::uint64_t unix_seconds();

// Returns the CPU time that this thread has used.
net::Nanoseconds thread_cpu_now();

// Returns the CPU time that this process has used on all threads, in seconds.
double process_cpu_seconds();

// Returns Coordinated Universal Time for people and file names: "2025-11-21-093000".
std::string utc_timestamp();

}  // namespace orrery::host
