// Compares two logs record by record.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/session/log_reader.h"

namespace orrery::session {

// A copy of a checkpoint, which stays valid when the log is read further.
struct KeptCheckpoint {
  std::uint64_t hash = 0;
  std::vector<std::uint8_t> image;  // empty: no checkpoint

  bool operator==(const KeptCheckpoint&) const = default;
};

// The first tick in which two logs differ: in commands, state hash or checkpoint, or because one
// log ends. Checkpoints are compared only if both logs have one of the tick. After lost ticks, the
// next state in a log is known only from a checkpoint, without a tick record. The commands of its
// tick are then unknown.
struct LogDifference {
  Tick tick;
  std::optional<TickRecord> a;  // nothing: the log ends earlier
  std::optional<TickRecord> b;
  // One checkpoint of `tick` from each log. The two differ if any checkpoint of log a differs from
  // any checkpoint of log b.
  KeptCheckpoint checkpoint_a;
  KeptCheckpoint checkpoint_b;
  // Set if log a has lost `tick`: the first lost tick of the gap that reaches up to `tick`.
  std::optional<Tick> lost_in_a;
  std::optional<Tick> lost_in_b;
};

// Reads both logs until they differ. Returns nothing if they end without a difference. Compares
// records only and steps nothing. Calls `progress` after each equal tick of which both logs have
// the record. REQUIRES: both headers were read, and both have this `initial_hash`.
std::optional<LogDifference> first_difference(LogReader& a, LogReader& b,
                                              std::uint64_t initial_hash,
                                              const std::function<void()>& progress);

}  // namespace orrery::session
