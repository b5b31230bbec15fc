// The playback clock of a client: which tick to show at which local time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "client/lib/server_clock.h"
#include "common/core/ids.h"

namespace orrery::client {

// Estimates the server's present tick from the arrivals of states, and shows the world as it was
// some ticks earlier. States may then be late or lost without visible effect.
//
// The delay adapts to the path. The age of a state is the number of ticks that the server has made
// since that state, as a client on the fastest path would count them. When a state arrives, the
// clock notes the age that the state before it has reached. The delay is a high quantile of these
// ages, so jitter, loss and the rate of snapshots all count. It grows at once and shrinks slowly.
//
// The shown tick never goes back. It advances smoothly, at a rate within kSlew of the server's real
// rate, with these exceptions:
// - It stands still while it is ahead by more than kAheadSeconds, or while the newest state is
//   older than kExtrapolatedSeconds. The server may have paused.
// - It jumps to the right tick if it is late by more than kJumpSeconds, and after a hitch, a
// pause
//   of the caller of more than kHitchSeconds. Nothing is ever played back fast.
class FrameClock {
 public:
  static constexpr double kFirstDelay = 3;  // ticks, before anything was measured
  static constexpr double kShrink = 0.05;   // share of the delay per second
  static constexpr double kSlew = 0.1;
  static constexpr double kAheadSeconds = 0.1;
  static constexpr double kJumpSeconds = 0.5;
  static constexpr double kHitchSeconds = 0.25;
  static constexpr double kExtrapolatedSeconds = 0.25;

  // `tick_rate`: the server's ticks per second of real time. REQUIRES: tick_rate > 0.
  explicit FrameClock(double tick_rate);

  // Takes the arrival of a state at local time `now`, in seconds from any origin. Ignores a state
  // that is not newer than all before, and a time that is not finite.
  void arrived(Tick tick, double now);

  // Returns the tick to show at local time `now`; 0 before the first state. It never decreases.
  double at(double now);

  // Returns the clock of the server.
  const ServerClock& server() const { return server_; }

  // Returns for how many ticks a body moves after its newest state: kExtrapolatedSeconds at the
  // server's real rate. The shown tick is at most this much later than the newest state.
  double extrapolated() const;
  // Returns the present delay in ticks.
  double delay() const { return delay_; }
  // Return the number of hitches of the caller, and of other jumps of the shown tick.
  std::uint64_t hitches() const { return hitches_; }
  std::uint64_t jumps() const { return jumps_; }

 private:
  // Number of arrivals that are remembered: four seconds at 60 a second.
  static constexpr std::size_t kArrivals = 240;

  void adapt(double now);

  double tick_rate_;
  ServerClock server_;
  std::array<double, kArrivals> ages_{};  // of the state before each arrival, in ticks
  std::size_t count_ = 0;                 // of ages
  double delay_ = kFirstDelay;
  double adapted_at_ = 0;  // local time of the last adapt(), in seconds
  bool shown_ = false;
  double last_now_ = 0;
  double position_ = 0;  // tick that was shown at last_now_
  std::uint64_t hitches_ = 0;
  std::uint64_t jumps_ = 0;
};

}  // namespace orrery::client
