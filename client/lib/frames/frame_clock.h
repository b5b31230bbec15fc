// The playback clock of a client: which tick to show at which local time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/core/ids.h"

namespace orrery::client {

// Estimates the server's current tick from the arrival of new states, and shows the world as it was
// some ticks earlier. States may then be late or lost without visible effect.
//
// The delay adapts to the path. The age of a state is the number of ticks that the server has made
// since that state, as a client on the fastest path would count them. When a state arrives, the
// clock notes the age that the state before it has reached. The delay is a high quantile of these
// ages, so jitter, loss and the rate of snapshots all count. It grows at once and shrinks slowly.
//
// The shown tick advances smoothly, at a rate within kSlew of the server's. It jumps to the right
// tick in two cases: if it is off by more than kJumpSeconds, and after a hitch, a pause of the
// caller of more than kHitchSeconds. Nothing is ever played back fast.
class FrameClock {
 public:
  static constexpr double kFirstDelay = 3;  // ticks, before anything was measured
  static constexpr double kShrink = 0.05;   // share of the delay per second
  static constexpr double kSlew = 0.1;
  static constexpr double kJumpSeconds = 0.5;
  static constexpr double kHitchSeconds = 0.25;

  // `tick_rate`: the server's ticks per second of real time. REQUIRES: tick_rate > 0.
  explicit FrameClock(double tick_rate);

  // Takes the arrival of a state at local time `now`, in seconds from any origin. Ignores a state
  // that is not newer than all before, and a time that is not finite.
  void arrived(Tick tick, double now);

  // Returns the tick to show at local time `now`; 0 before the first state. It never decreases,
  // except in a jump.
  double at(double now);

  // Returns the present delay in ticks.
  double delay() const { return delay_; }
  // Return the number of hitches of the caller, and of other jumps of the shown tick.
  std::uint64_t hitches() const { return hitches_; }
  std::uint64_t jumps() const { return jumps_; }

 private:
  // Number of arrivals that are remembered: four seconds at 60 a second.
  static constexpr std::size_t kArrivals = 240;

  // An arrival. Local times are in ticks since the first arrival.
  struct Arrival {
    double offset = 0;  // tick that arrived, minus local time
    double age = 0;     // of the state before it, at the moment of this arrival, in ticks
  };

  double local(double now) const { return tick_rate_ * (now - start_); }
  void restart(double offset);
  void adapt(double now);

  double tick_rate_;
  bool started_ = false;
  double start_ = 0;    // local time of the first state, in seconds
  double newest_ = 0;   // newest tick that arrived
  double fastest_ = 0;  // largest offset of the remembered arrivals
  std::array<Arrival, kArrivals> arrivals_{};
  std::size_t count_ = 0;  // arrivals since the last restart
  double delay_ = kFirstDelay;
  double adapted_at_ = 0;  // local time of the last adapt(), in seconds
  bool shown_ = false;
  double last_now_ = 0;
  double position_ = 0;  // tick that was shown at last_now_
  std::uint64_t hitches_ = 0;
  std::uint64_t jumps_ = 0;
};

}  // namespace orrery::client
