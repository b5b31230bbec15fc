// The clock of a client's commands: which tick a command must name to arrive in time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/core/ids.h"
#include "common/core/limits.h"

namespace orrery::client {

// Limits for the time that a command waits at the server, in ticks: from its arrival over the
// fastest path until the tick that it names.
struct CommandDelay {
  double min = 0;
  double max = 120;  // limits::kCommandTicksAhead
};

// Chooses the ticks that commands name, so that they arrive just in time. A lead is the named tick
// minus the local time in ticks. The server reports by which margin commands were early. Each
// report gives the least lead that would have been enough: the lead of the command minus its
// margin.
//
// The clock aims just above the largest of these leads in the last seconds. It ignores the top
// percent of them, and at least the largest if there are several. It changes its lead by at most
// kSlew ticks per tick, but jumps if the lead is wrong by more than kJumpTicks.
//
// Times are in seconds from any origin.
class CommandClock {
 public:
  static constexpr double kSlew = 0.05;
  static constexpr double kJumpTicks = 10;

  // REQUIRES: tick_rate > 0.
  explicit CommandClock(double tick_rate);

  // REQUIRES: 0 <= delay.min <= delay.max.
  void limit(const CommandDelay& delay);

  // Guesses the lead before the first report. Call it when a state of `tick` arrives. The path has
  // this round trip and jitter, in seconds. No effect after a report.
  void guess(Tick tick, double now, double round_trip, double jitter);

  // Returns the tick to name in the command with this sequence, which the client sends now. The
  // tick never decreases. Before the first guess() it is 0, which means the server's next tick.
  Tick give(Sequence sequence, double now);

  // Takes a report of the server. Since its last report it has acknowledged commands up to
  // `newest`, and the least early of them was early by `margin` ticks. All of them were sent with
  // nearly equal leads, so the clock uses the lead of the newest.
  void reported(Sequence newest, double margin, double now);

  // Returns by how many ticks the present lead exceeds the lead that is enough on the fastest path.
  double slack() const { return lead_ - fastest_; }

 private:
  static constexpr std::size_t kReports = 256;

  struct Report {
    double needed = 0;  // the least lead that would have been enough
    double at = 0;      // when it arrived
  };

  double local(double now) const { return tick_rate_ * (now - start_); }
  double lead_of(Tick tick, double now) const {
    return static_cast<double>(tick.value) - local(now);
  }
  void move(double now);
  void aim(double now);

  double tick_rate_;
  CommandDelay delay_;
  bool started_ = false;
  double start_ = 0;
  std::array<double, 2 * limits::kCommandsQueuedMax> leads_{};  // of the newest commands
  std::array<Report, kReports> reports_{};
  std::size_t count_ = 0;
  double fastest_ = 0;  // least lead that was enough for a command
  double target_ = 0;
  double lead_ = 0;
  double moved_at_ = 0;  // when lead_ was last moved
  Tick last_;            // newest tick returned
};

}  // namespace orrery::client
