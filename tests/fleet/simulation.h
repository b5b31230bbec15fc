// Owns one run of a fleet: a server, its clients and its enemies, on a network and on days that are
// drawn from a seed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tests/fleet/checks/invariants.h"

namespace orrery::fleet {

struct RunOptions {
  std::uint64_t seed = 1;
  std::uint32_t seconds = 120;  // of virtual time, most of them with faults
  bool sealed = true;           // encrypted; or else by a stand-in of the same length
  bool strangers = true;        // that the server has to do with strangers
  bool all_faults = false;      // or else half of the kinds, as the seed has it
  bool large = false;           // the world
  std::uint32_t threads = 1;    // of a tick
  bool replays = false;         // its log, at the end
};

// What happened in a run, so that nobody believes in faults that never come.
enum class Event : std::uint8_t {
  tick,
  join,
  command,
  snapshot,
  state_followed,
  prediction,
  datagram,  // into the path of a client
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
  body_asleep,  // for a tick
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
  std::uint64_t tick = 0;   // when the run ended
  double seconds = 0;       // of virtual time
  std::uint64_t trace = 0;  // of all that went over the wires, of all states and of the log
  std::uint64_t world_trace =
      0;  // of all states, of the memory that the server held and of the log
  EventCounts counts{};
};

// The same options give the same result.
RunResult run(const RunOptions& options);

}  // namespace orrery::fleet
