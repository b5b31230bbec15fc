// Counts the events of a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/net/faulty_path.h"
#include "common/world/world.h"

namespace orrery::fleet {

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
  overload,
  frame,
  roam,
  outage,
  disown,
  late_start,  // a server whose clock is late
  rush,
};
inline constexpr std::array<std::string_view, 34> kEventNames = {"ticks",
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
                                                                 "requests of impostors",
                                                                 "overloads",
                                                                 "frames shown",
                                                                 "moves to another network",
                                                                 "outages",
                                                                 "owners away for too long",
                                                                 "starts with a late clock",
                                                                 "rushes of commands"};
using EventCounts = std::array<std::uint64_t, kEventNames.size()>;

inline void count(EventCounts& counts, Event event, std::uint64_t times = 1) {
  counts[static_cast<std::size_t>(event)] += times;
}
// Adds the datagrams of a path, and what happened to them.
void count_datagrams(EventCounts& counts, const net::PathCounters& path);
// Adds a tick: its commands, and the bodies that sleep after it.
void count_tick(EventCounts& counts, const World& world);

}  // namespace orrery::fleet
