// Maps the times that a caller passes to times that never go back.
#pragma once

#include <algorithm>

#include "common/net/environment.h"

namespace orrery::client {

// Maps the times of calls to a time that never goes back:
// - A time that is earlier by at most kEarlyMax is mapped to the latest time. An example is a
//   datagram that was stamped before the frame began.
// - A larger step back means that the clock of the caller was set back. Time then continues from
//   the latest time.
class CallClock {
 public:
  // Largest step back that does not mean that the clock was set back.
  static constexpr net::Nanoseconds kEarlyMax = net::kSecond;

  // Maps the time of a call, and remembers it as the latest time.
  net::Nanoseconds advance(net::Nanoseconds time) {
    const net::Nanoseconds mapped = map(time);
    if (mapped < latest_ && latest_ - mapped > kEarlyMax) offset_ += latest_ - mapped;
    latest_ = std::max(latest_, map(time));
    return latest_;
  }

  // Maps a time without remembering it. The result may be before the latest time.
  net::Nanoseconds map(net::Nanoseconds time) const { return time + offset_; }

 private:
  net::Nanoseconds offset_ = 0;  // modulo 2^64, as times are
  net::Nanoseconds latest_ = 0;
};

}  // namespace orrery::client
