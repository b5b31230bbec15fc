// Owns the comparison of two logs, record by record.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/session/log_reader.h"

namespace orrery {

// What a checkpoint holds, kept when the log is read on.
struct KeptCheckpoint {
  std::uint64_t hash = 0;
  std::vector<std::uint8_t> image;  // empty: there is no checkpoint

  bool operator==(const KeptCheckpoint&) const = default;
};

// The first tick whose commands, states, by their hashes, or checkpoints, where both logs have any,
// are not all the same, or that only one log has. A log that has lost the tick may have a
// checkpoint of it all the same, and so has one of state 0: then that tells of the state, and no
// commands are known.
struct LogDifference {
  Tick tick;
  std::optional<TickRecord> a;  // nothing: the log ends before
  std::optional<TickRecord> b;
  KeptCheckpoint checkpoint_a;  // of this tick; where several are not the same, two of those
  KeptCheckpoint checkpoint_b;
  std::optional<Tick> lost_in_a;  // the first of those up to this tick, if this one is lost
  std::optional<Tick> lost_in_b;
};

// Reads on in both logs, whose headers have this initial hash; nothing if they end as equals. Only
// records are read, nothing is stepped. `progress` is called after each tick that both have.
std::optional<LogDifference> first_difference(LogReader& a, LogReader& b,
                                              std::uint64_t initial_hash,
                                              const std::function<void()>& progress);

}  // namespace orrery
