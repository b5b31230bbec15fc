// Owns the clocks of the machine.
#pragma once

#include <string>

#include "common/net/environment.h"

namespace orrery {

// Monotonic time: it never goes back and nobody sets it.
Nanoseconds monotonic_now();

// Seconds since 1970, by the clock on the wall: it may be set.
std::uint64_t unix_seconds();

// CPU time that this process has used, in seconds, over all threads.
double process_cpu_seconds();

// Coordinated universal time for people and file names: "2025-11-21-093000".
std::string utc_timestamp();

}  // namespace orrery
