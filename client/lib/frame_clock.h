// Owns the playback clock of a client: which tick to show at which moment of local time.
#pragma once

#include "common/core/ids.h"

namespace orrery::client {

// Estimates the server's time from when snapshots arrive, and shows the world `delay` ticks behind
// it, so that snapshots may be late or lost without being missed. The tick to show goes forward
// smoothly, at a rate within kSlew of the server's; if it is off by more than kJumpSeconds (at the
// start, after a pause) it jumps.
class FrameClock {
 public:
  // Three ticks outlast two losses in a row; two more are for jitter.
  static constexpr double kDelayTicks = 5;
  static constexpr double kSlew = 0.1;
  static constexpr double kJumpSeconds = 0.5;

  // `tick_rate`: the server's ticks per second of real time.
  explicit FrameClock(double tick_rate, double delay_ticks = kDelayTicks);

  // A snapshot came at local time `now`, in seconds from any start.
  void snapshot_arrived(Tick tick, double now);

  // The tick to show at local time `now`: 0 before the first snapshot; never less than before,
  // except where it jumps.
  double at(double now);

 private:
  double tick_rate_;
  double delay_ticks_;
  bool started_ = false;
  double start_ = 0;   // local time of the first snapshot
  double newest_ = 0;  // tick
  double offset_ = 0;  // mean of tick - tick_rate (now - start)
  bool shown_ = false;
  double last_now_ = 0;
  double position_ = 0;  // the tick shown at last_now_
};

}  // namespace orrery::client
