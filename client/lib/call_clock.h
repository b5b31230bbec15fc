// The times that a caller passes, made to never go back.
#pragma once

#include <algorithm>

#include "common/net/environment.h"

namespace orrery::client {

// Maps the times of calls to a time that never goes back. A time that is a little early, for
// instance of a datagram that was stamped before the frame began, counts as the latest one. If the
// clock of the caller was set back, time continues from the latest one.
class CallClock {
 public:
  // Larger steps back mean that the clock was set back.
  static constexpr net::Nanoseconds kEarlyMax = net::kSecond;

  // Returns the time of a call, and remembers it.
  net::Nanoseconds advance(net::Nanoseconds time) {
    const net::Nanoseconds mapped = map(time);
    if (mapped < latest_ && latest_ - mapped > kEarlyMax) offset_ += latest_ - mapped;
    latest_ = std::max(latest_, map(time));
    return latest_;
  }

  // Returns the same time without remembering it. It may be before the latest one.
  net::Nanoseconds map(net::Nanoseconds time) const { return time + offset_; }

 private:
  net::Nanoseconds offset_ = 0;  // modulo 2^64, as times are
  net::Nanoseconds latest_ = 0;
};

}  // namespace orrery::client
