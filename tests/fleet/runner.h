// Owns runs in processes of their own, so that one that ends in an assertion ends no other.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "tests/fleet/simulation.h"

namespace orrery::fleet {

// Of trouble, in a run.
inline constexpr std::uint32_t kSecondsMin = 10;

// What a process says of its run: as bytes, through a pipe.
struct Outcome {
  std::uint64_t seed = 0;
  bool sealed = false;  // encrypted
  bool large = false;
  bool failed = false;
  char invariant[64] = {};
  char what[400] = {};
  std::uint64_t tick = 0;
  std::uint64_t trace = 0;
  double simulated_seconds = 0;  // of the first run
  double cpu_seconds = 0;
  EventCounts counts{};
};
static_assert(std::is_trivially_copyable_v<Outcome> && sizeof(Outcome) <= 4096);

struct Child {
  std::uint64_t seed = 0;
  pid_t process = 0;
  int pipe = -1;
};

Child start(std::uint64_t seed, std::uint32_t seconds, bool all_faults = false);

// Waits for one of the children, and takes it out of the list.
Outcome wait_for_one(std::vector<Child>& children);

}  // namespace orrery::fleet
