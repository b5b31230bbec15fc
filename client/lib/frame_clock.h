// The playback clock of a client: which tick to show at which local time.
#pragma once

#include "common/core/ids.h"

namespace orrery::client {

// Estimates the server's current tick from the arrival of snapshots, and shows the world as it was
// some ticks earlier. Snapshots may then be late or lost without visible effect. The shown tick
// advances smoothly: its rate differs from the server's by at most the share kSlew. If the shown
// tick is off by more than kJumpSeconds, for example after a pause, it jumps.
class FrameClock {
 public:
  // Default delay of the shown tick. Three ticks cover two lost snapshots in a row, if the server
  // sends one per tick. Two more ticks absorb jitter.
  static constexpr double kDelayTicks = 5;
  static constexpr double kSlew = 0.1;
  static constexpr double kJumpSeconds = 0.5;

  // `tick_rate`: the server's ticks per second of real time. REQUIRES: tick_rate > 0 and
  // delay_ticks >= 0.
  explicit FrameClock(double tick_rate, double delay_ticks = kDelayTicks);

  // Takes the arrival of a snapshot at local time `now`, in seconds from any origin. Ignores a
  // snapshot that is not newer than all before, and a time that is not finite.
  void snapshot_arrived(Tick tick, double now);

  // Returns the tick to show at local time `now`; 0 before the first snapshot. It never decreases,
  // except in a jump.
  double at(double now);

 private:
  double tick_rate_;
  double delay_ticks_;
  bool started_ = false;
  double start_ = 0;   // local time of the first snapshot, in seconds
  double newest_ = 0;  // newest tick that arrived
  double offset_ = 0;  // moving average of tick - tick_rate * (now - start)
  bool shown_ = false;
  double last_now_ = 0;
  double position_ = 0;  // tick that was shown at last_now_
};

}  // namespace orrery::client
