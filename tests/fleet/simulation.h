// Runs one simulation of a server with honest and hostile clients, determined by a seed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tests/fleet/checks/invariants.h"

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

// Counted events of a run. They show that the faults really occurred.
enum class Event : std::uint8_t {
  tick,
  join,
  command,
  snapshot,
  state_followed,
  prediction,
  datagram,  // sent into a client's path
  loss,
  duplicate,
  reorder,
  corruption,
  no_room,
  clog,
  partition,
  move,
  leave,
  pause,
  lull,
  body_asleep,  // counted once a tick
  stall,
  crash,
  undone_tick,
  clock_jump,
  shared_work,
  strange_datagram,
  hostile_client,
  request_of_impostor,
};
inline constexpr std::array<std::string_view, 27> kEventNames = {"ticks",
                                                                 "joins",
                                                                 "commands",
                                                                 "snapshots",
                                                                 "states followed",
                                                                 "poses predicted",
                                                                 "datagrams",
                                                                 "lost",
                                                                 "duplicated",
                                                                 "reordered",
                                                                 "corrupted",
                                                                 "no room",
                                                                 "clogs",
                                                                 "partitions",
                                                                 "moves",
                                                                 "leaves",
                                                                 "pauses",
                                                                 "lulls",
                                                                 "ticks of bodies asleep",
                                                                 "stalls",
                                                                 "crashes",
                                                                 "ticks undone",
                                                                 "jumps of the clock",
                                                                 "pieces of work shared by threads",
                                                                 "datagrams of strangers",
                                                                 "hostile clients",
                                                                 "requests of impostors"};
using EventCounts = std::array<std::uint64_t, kEventNames.size()>;

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
