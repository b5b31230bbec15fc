// Owns the comparison of two logs, record by record.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/session/log_reader.h"

namespace orrery {

// The first tick whose commands, states, by their hashes, or checkpoints, where both logs have one,
// differ, or that only one log has.
struct LogDifference {
  Tick tick;
  std::optional<TickRecord> a;  // nothing: the log ends before
  std::optional<TickRecord> b;
  std::vector<std::uint8_t> image_a;  // of the checkpoint of this tick, if the log has one
  std::vector<std::uint8_t> image_b;
};

// The image of the checkpoint that follows in a log, if it is of `tick`.
std::vector<std::uint8_t> image_of(LogReader& log, Tick tick);

// Reads on in both logs, of whose headers the initial hashes are equal; nothing if they end as
// equals. Only records are read, nothing is stepped. `progress` is called after each tick.
std::optional<LogDifference> first_difference(LogReader& a, LogReader& b,
                                              const std::function<void()>& progress);

}  // namespace orrery
