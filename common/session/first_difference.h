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
// are not all the same, or that only one log has.
struct LogDifference {
  Tick tick;
  std::optional<TickRecord> a;  // nothing: the log ends before
  std::optional<TickRecord> b;
  KeptCheckpoint checkpoint_a;  // of this tick; where several are not the same, two of those
  KeptCheckpoint checkpoint_b;
};

// Reads on in both logs, of whose headers the initial hashes are equal; nothing if they end as
// equals. Only records are read, nothing is stepped. `progress` is called after each tick.
std::optional<LogDifference> first_difference(LogReader& a, LogReader& b,
                                              const std::function<void()>& progress);

}  // namespace orrery
