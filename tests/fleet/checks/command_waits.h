// Checks how long commands of a client wait at the server for the ticks that they name.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "server/server.h"
#include "tests/fleet/checks/session.h"
#include "tests/fleet/checks/violation.h"

namespace orrery::fleet {

// The waits of the commands of one session. A command that names the first tick which it can reach
// does not wait.
class CommandWaits {
 public:
  // Most ticks that a command may wait, once a second has passed since the client knows the pace of
  // the server: since its first command, and since the pace changed. On the worst paths of these
  // runs, news of a change arrive up to half a second later, because reports are lost.
  static constexpr std::uint64_t kWaitMax = 2;
  // Commands in a row that wait for longer. A single one may have been faster than the others, so
  // its wait says nothing about the lead of the client.
  static constexpr std::uint32_t kLongWaits = 4;
  static constexpr net::Nanoseconds kSettle = net::kSecond + net::kSecond / 2;
  // Most ticks that any command may wait, also one that was given while the server paused. A client
  // must notice a pause within 2.5 intervals of its states: at a fifth of the tick rate, within
  // 0.63 s. If the clock already believes the full rate again, these are 38 ticks, and a lead of
  // about ten is added. The most that correct code has shown is 49 ticks.
  static constexpr std::uint64_t kWaitInPauseMax = 60;

  // Forgets the commands of an earlier session.
  void restart() {
    reachable_.clear();
    long_waits_ = 0;
  }
  // Notes the commands that have arrived, and checks those that were applied. Call it after each
  // poll and each tick of the server. `next` is the first tick that a command can reach which
  // arrived in this call. `settled` is when the path of the session last changed, and `changed`
  // when the pace of the server did.
  std::optional<Violation> check(const server::Server& server, const Session& session, Tick next,
                                 net::Nanoseconds settled, net::Nanoseconds changed);

 private:
  std::vector<Tick> reachable_;   // first tick that command n could reach, at index n - 1
  std::uint32_t long_waits_ = 0;  // commands in a row
};

}  // namespace orrery::fleet
