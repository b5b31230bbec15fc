// Owns what counts as the first difference of two logs.
#include "common/session/first_difference.h"

#include <utility>

namespace orrery {

std::optional<LogDifference> first_difference(LogReader& a, LogReader& b,
                                              const std::function<void()>& progress) {
  TickRecord record_a;
  TickRecord record_b;
  for (Tick tick{1};; ++tick.value) {
    const bool more_a = a.next(record_a);
    const bool more_b = b.next(record_b);
    if (!more_a && !more_b) return {};
    if (!more_a || !more_b || record_a.hash != record_b.hash) {
      LogDifference found{tick, {}, {}};
      if (more_a) found.a = std::move(record_a);
      if (more_b) found.b = std::move(record_b);
      return found;
    }
    ORRERY_ASSERT(record_a.tick == tick && record_b.tick == tick);
    progress();
  }
}

}  // namespace orrery
