// Owns the comparison of two logs, record by record.
#pragma once

#include <functional>
#include <optional>

#include "common/session/log_reader.h"

namespace orrery {

// The first tick whose states differ, by their hashes, or that only one log has.
struct LogDifference {
  Tick tick;
  std::optional<TickRecord> a;  // nothing: the log ends before
  std::optional<TickRecord> b;
};

// Reads on in both logs, of whose headers the initial hashes are equal; nothing if they end as
// equals. Only records are read, nothing is stepped. `progress` is called after each tick.
std::optional<LogDifference> first_difference(LogReader& a, LogReader& b,
                                              const std::function<void()>& progress);

}  // namespace orrery
