// Runs one simulation of a server with honest and hostile clients, determined by a seed.
#pragma once

#include <cstdint>
#include <optional>

#include "tests/fleet/checks/violation.h"
#include "tests/fleet/event_counts.h"

namespace orrery::fleet {

// The options of a run.
struct RunOptions {
  std::uint64_t seed = 1;
  std::uint32_t seconds = 120;  // virtual time with faults; a calm follows
  bool sealed = true;           // true: encryption; false: a checksum of the same length instead
  bool strangers = true;        // strangers send datagrams to the server
  bool all_faults = false;      // false: about half of the kinds of faults, chosen by the seed
  bool large = false;           // large world
  std::uint32_t threads = 1;    // threads of each tick
  bool replays = false;         // replay the log at the end
};

struct RunResult {
  std::optional<Violation> violation;
  std::uint64_t tick = 0;   // last tick of the run
  double seconds = 0;       // virtual time
  std::uint64_t trace = 0;  // hash of all datagrams, states and the log
  std::uint64_t world_trace =
      0;  // hash of all states, of the memory that the server held after each tick, and of the log
  EventCounts counts{};
};

// Runs a simulation. Equal options give equal results.
RunResult run(const RunOptions& options);

}  // namespace orrery::fleet
