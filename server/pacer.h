// Computes how many ticks are due and when the next one is.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "common/net/environment.h"

namespace orrery::server {

// A clock for ticks: one is due every 1 / rate seconds after the start. The clock never skips a
// tick. If the server cannot catch up, all later ticks are due later.
class Pacer {
 public:
  Pacer(std::uint32_t rate, net::Nanoseconds start) : rate_(rate), start_(start) {
    ORRERY_ASSERT(rate >= 1);
  }

  // Returns the ticks to run now, at most limits::kCatchUpTicksMax, and counts them as done.
  std::uint32_t due(net::Nanoseconds now) {
    const std::uint64_t passed = now < start_ ? 0 : ticks_in(now - start_);
    const std::uint64_t behind = passed - std::min(passed, passed_);
    const std::uint64_t ticks = std::min<std::uint64_t>(behind, limits::kCatchUpTicksMax);
    passed_ += behind;
    slowed_ += behind - ticks;
    return static_cast<std::uint32_t>(ticks);
  }

  net::Nanoseconds next() const { return start_ + time_of(passed_ + 1); }

  // Returns by how many ticks the session is later than the clock.
  std::uint64_t slowed() const { return slowed_; }

 private:
  // Computes whole seconds and the rest separately. After years, time * rate_ would overflow 64
  // bits.
  std::uint64_t ticks_in(net::Nanoseconds time) const {
    return time / net::kSecond * rate_ + time % net::kSecond * rate_ / net::kSecond;
  }
  net::Nanoseconds time_of(std::uint64_t ticks) const {
    const std::uint64_t part = ticks % rate_ * net::kSecond;
    return ticks / rate_ * net::kSecond + (part + rate_ - 1) / rate_;
  }

  const std::uint64_t rate_;
  const net::Nanoseconds start_;
  std::uint64_t passed_ = 0;  // intervals from the start to the latest due()
  std::uint64_t slowed_ = 0;  // intervals that passed without a tick
};

}  // namespace orrery::server
