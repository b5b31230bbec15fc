// The pace of the simulated server: it may be too slow for its tick rate, stop, or be away.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/net/environment.h"

namespace orrery::fleet {

// Says when the server may work, and since when it has worked undisturbed. Times are on the
// network's clock.
class ServerPace {
 public:
  // Stops the server until `end`.
  void stall(net::Nanoseconds end) { busy_until_ = changed_ = std::max(busy_until_, end); }
  // From now on, the server reaches this share of its tick rate. Without an overload it is 1. No
  // effect if it does already.
  void set_speed(double share, net::Nanoseconds now) {
    if (std::exchange(share_, share) == share) return;
    changed_ = std::max(changed_, now);
  }
  // Ends a stall and an overload.
  void recover(net::Nanoseconds now) {
    busy_until_ = 0;
    share_ = 1;
    changed_ = now;
  }
  // Notes that the server is down, or refuses tokens because its clock is wrong.
  void refuse(net::Nanoseconds now) { refused_ = now; }

  // Returns true while the server is stalled or still steps a tick.
  bool is_busy(net::Nanoseconds now) const { return now < busy_until_; }
  // Notes that the server has begun a tick, which takes its time.
  void ticked(net::Nanoseconds now, std::uint32_t tick_rate) {
    if (share_ >= 1) return;
    const auto step = static_cast<net::Nanoseconds>(net::kSecond / (tick_rate * share_));
    busy_until_ = (now - busy_until_ < step ? busy_until_ : now) + step;
  }

  // Returns when the last change of the pace ended. It may be in the future.
  net::Nanoseconds changed() const { return changed_; }
  // Returns when the server was last down, or had a wrong clock.
  net::Nanoseconds refused() const { return refused_; }
  // Returns since when the server has worked undisturbed.
  net::Nanoseconds settled() const { return std::max(changed_, refused_); }

 private:
  double share_ = 1;
  net::Nanoseconds busy_until_ = 0;
  net::Nanoseconds changed_ = 0;
  net::Nanoseconds refused_ = 0;
};

}  // namespace orrery::fleet
