// Owns what the machine itself can do, measured: no step can be faster.
#pragma once

namespace orrery::bench {

// The name of the widest instruction set that the dispatch picks here.
const char* widest_target();

// CPU seconds that six divisions and a square root take for each double of the widest vector, when
// nothing else is done: what one body's step needs of the divider.
double divider_seconds_per_body();

// Bytes per CPU second, read and written, of passing once over memory far beyond the caches in
// place.
double memory_bytes_per_second();

}  // namespace orrery::bench
