// The clock of a client's commands: which tick a command must name to arrive in time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "client/lib/server_clock.h"
#include "common/core/ids.h"
#include "common/core/limits.h"

namespace orrery::client {

// Limits for the time that a command waits at the server, in ticks: from its arrival over the
// fastest path until the tick that it names.
struct CommandDelay {
  double min = 0;
  double max = 120;  // limits::kCommandTicksAhead
};

// Chooses the ticks that commands name, so that they arrive just in time. A lead is the time from
// the tick that the client sees (ServerClock) to the named tick, at the server's real rate. The
// server reports by which margin commands were early. Each report gives the least lead that would
// have been enough: the lead of the command minus its margin.
//
// The clock aims just above the largest of these leads in the last seconds. It ignores the top
// percent of them, and at least the largest if there are several. It also ignores those that were
// measured while the server ticked at another rate. It changes its lead by at most kSlew seconds
// per second, but jumps if the lead is wrong by more than kJumpTicks.
//
// While the server is silent, it may have paused. The named tick then stands still: a command that
// is too late goes into the next tick, but one that is too early waits.
//
// Times are in seconds from any origin.
class CommandClock {
 public:
  static constexpr double kSlew = 0.2;
  static constexpr double kJumpTicks = 10;

  // REQUIRES: tick_rate > 0.
  explicit CommandClock(double tick_rate);

  // REQUIRES: 0 <= delay.min <= delay.max.
  void limit(const CommandDelay& delay);

  // Guesses the lead before the first report. Call it when a state arrives. The path has this round
  // trip and jitter, in seconds. A pause of the server also counts as a round trip. The guess is
  // therefore at most the time since server.since(), and after a pause it only falls in the first
  // seconds. No effect after a report.
  void guess(double round_trip, double jitter, const ServerClock& server, double now);

  // Returns the tick to name in the command with this sequence, which the client sends now. The
  // tick never decreases. Before the first guess() and server.measured() it is 0, which means the
  // server's next tick: a tick that a slow server reaches late would hold up all later commands.
  Tick give(Sequence sequence, const ServerClock& server, double now);

  // Takes a report of the server. Since its last report it has acknowledged commands up to
  // `newest`, and the least early of them was early by `margin` ticks. They arrived at nearly equal
  // distances, so the one with the least lead was the least early. The clock ignores the report if
  // one of them was given before server.since() or shortly after, or while the server was silent.
  void reported(Sequence newest, double margin, const ServerClock& server, double now);

  // Returns by how many ticks the present lead exceeds the lead that is enough on the fastest path.
  double slack() const { return rate_ * (lead_ - fastest_); }

 private:
  static constexpr std::size_t kReports = 256;

  struct Given {
    double lead = 0;  // in ticks
    double rate = 0;  // of the server; 0: it was silent
    double at = 0;    // when the command was given
  };
  struct Report {
    double needed = 0;  // the least lead that would have been enough, in seconds
    double rate = 0;    // of the server when the command was given
    double at = 0;      // when the report arrived
  };

  void move(double now);
  void aim(double now);

  double tick_rate_;
  double rate_;  // newest known rate of the server
  CommandDelay delay_;
  bool started_ = false;
  double since_ = 0;                                           // server.since() at the first guess
  std::array<Given, 2 * limits::kCommandsQueuedMax> given_{};  // the newest commands
  std::array<Report, kReports> reports_{};
  std::size_t count_ = 0;
  std::uint32_t reported_ = 0;  // sequence of the newest command in the last report
  double fastest_ = 0;          // least lead that was enough for a command, in seconds
  double target_ = 0;
  double lead_ = 0;
  double moved_at_ = 0;  // when lead_ was last moved
  Tick last_;            // newest tick returned
};

}  // namespace orrery::client
