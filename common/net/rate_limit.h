// Owns the two limits on how many packets a client sends.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/core/assert.h"
#include "common/net/timing.h"

namespace orrery {

// A token bucket: `rate` a second, and `burst` at once.
class TokenBucket {
 public:
  TokenBucket(std::uint32_t rate, std::uint32_t burst, Nanoseconds now)
      : interval_(kSecond / rate), room_(interval_ * burst), full_at_(now) {
    ORRERY_ASSERT(rate >= 1 && burst >= 1);
  }

  // Takes a token; false if there is none.
  bool take(Nanoseconds now) {
    const Nanoseconds full_at = std::max(full_at_, now) + interval_;
    if (full_at > now + room_) return false;
    full_at_ = full_at;
    return true;
  }

 private:
  Nanoseconds interval_;  // between tokens
  Nanoseconds room_;      // time in which an empty bucket fills
  Nanoseconds full_at_;   // when the bucket will be full
};

// Counts over windows of kFloodWindow.
class FloodMeter {
 public:
  FloodMeter(std::uint32_t rate, Nanoseconds now)
      : most_(rate * (kFloodWindow / kSecond)), window_started_(now) {
    ORRERY_ASSERT(rate >= 1);
  }

  // False as soon as a window has seen more than `rate` a second.
  bool count(Nanoseconds now) {
    if (now - window_started_ >= kFloodWindow) {
      window_started_ = now;
      counted_ = 0;
    }
    return ++counted_ <= most_;
  }

 private:
  std::uint64_t most_;
  std::uint64_t counted_ = 0;
  Nanoseconds window_started_;
};

}  // namespace orrery
