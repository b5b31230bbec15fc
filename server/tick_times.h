// Notes when ticks close, and counts the intervals of the tick rate that pass without a tick.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/net/environment.h"

namespace orrery::server {

// The times of the ticks of a server. A server that is slow or pauses skips intervals.
class TickTimes {
 public:
  // `rate`: ticks per second. `start`: when the server starts.
  TickTimes(std::uint32_t rate, net::Nanoseconds start)
      : rate_(rate), start_(start), closed_(start) {}

  // Notes that a tick closes. Returns how many intervals have passed without a tick since the last
  // one closed. A tick that is caught up counts as an interval, although none passes.
  std::uint64_t close(net::Nanoseconds now) {
    closed_ = now;
    const net::Nanoseconds passed = std::max(now, start_) - start_;
    const std::uint64_t reached =
        passed / net::kSecond * rate_ + passed % net::kSecond * rate_ / net::kSecond;
    const std::uint64_t next = std::max(intervals_ + 1, reached);
    return next - std::exchange(intervals_, next) - 1;
  }

  // Returns when the last tick closed. Before the first one, returns the start.
  net::Nanoseconds closed() const { return closed_; }

 private:
  std::uint64_t rate_;
  net::Nanoseconds start_;
  net::Nanoseconds closed_;
  std::uint64_t intervals_ = 0;  // since the start: ticks, and skipped ones
};

}  // namespace orrery::server
