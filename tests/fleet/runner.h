// Runs simulations in separate processes, so that a failed assertion ends only its own run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "tests/fleet/simulation.h"

namespace orrery::fleet {

// Minimum virtual time with faults in a run, in seconds.
inline constexpr std::uint32_t kSecondsMin = 10;

// The result of a run, sent as bytes through a pipe.
struct Outcome {
  std::uint64_t seed = 0;
  bool sealed = false;  // encrypted
  bool large = false;
  bool failed = false;
  char invariant[64] = {};
  char what[400] = {};
  std::uint64_t tick = 0;
  std::uint64_t trace = 0;
  double simulated_seconds = 0;  // virtual time of the first run
  double cpu_seconds = 0;        // of the first run
  EventCounts counts{};
};
static_assert(std::is_trivially_copyable_v<Outcome> && sizeof(Outcome) <= 4096);

// A process that runs one seed.
struct Child {
  std::uint64_t seed = 0;
  pid_t process = 0;
  int pipe = -1;
};

// Starts the run of a seed in a new process. `seconds` is the virtual time with faults. A run with
// a large world takes an eighth of it, but at least kSecondsMin.
Child start(std::uint64_t seed, std::uint32_t seconds, bool all_faults = false);

// Waits for one of the children and removes it from the list.
Outcome wait_for_one(std::vector<Child>& children);

}  // namespace orrery::fleet
