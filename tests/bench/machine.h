// Measures limits of this machine that bound the speed of a step.
#pragma once

namespace orrery::bench {

// Returns the name of the widest instruction set that Highway chooses on this machine.
const char* widest_target();

// Returns the CPU seconds that six divisions and a square root take for one double, computed in the
// widest vectors. A step of one body needs these seven operations.
double divider_seconds_per_body();

// Returns the bytes read and written per CPU second in one pass over memory much larger than the
// caches.
double memory_bytes_per_second();

}  // namespace orrery::bench
