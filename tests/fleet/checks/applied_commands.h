// Checks the commands that the server applies.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "common/net/environment.h"
#include "common/world/world.h"
#include "tests/fleet/checks/session.h"
#include "tests/fleet/checks/violation.h"

namespace orrery::fleet {

// Checks that each command is applied once, in order and as its client gave it. At most nine
// commands of a client are applied in a tick, and at most N + 64 in any N ticks. One more may be
// applied for each interval of the tick rate that the server skipped in them or shortly before, at
// most 64.
class AppliedCommands {
 public:
  // Records a new session. REQUIRES: the session exists in all later checks.
  void connected(Session& session) { sessions_[session.client.value] = &session; }

  // Starts with a server that has made no tick.
  void restart() { intervals_ = skips_until_ = 0; }
  // Checks the commands of a tick. `passed` is the time since the start of the server. Call it
  // after each tick.
  std::optional<Violation> check_tick(const World& world, net::Nanoseconds passed);

 private:
  // The applied commands of a client since it joined.
  struct Taken {
    std::int64_t rate = 1;  // commands in a tick
    std::set<std::uint32_t> sequences;
    std::int64_t in_tick = 0;  // commands in the current tick
    // largest excess of commands over intervals in any window that ends with this tick
    std::int64_t ahead = 0;
  };

  void take_from_server(const CommandPayload& payload, const Scene& scene);
  std::optional<Violation> take(const Command& command, const Scene& scene);
  std::optional<Violation> compare_with_time(Tick tick, std::uint32_t rate,
                                             net::Nanoseconds passed);

  std::map<std::uint32_t, Session*> sessions_;  // newest session of each client
  std::map<std::uint32_t, Taken> taken_;        // indexed by joined client
  std::uint64_t intervals_ = 0;                 // of the tick rate, since the start of the server
  std::uint64_t skips_until_ = 0;  // last tick into which commands of skipped intervals may go
};

// Checks the commands after `session.acknowledged`, up to `acknowledged`, and advances the former.
// Each must have been given and applied, unless it may have no effect, or names a tick: a command
// that waits for its tick is acknowledged too.
std::optional<Violation> check_acknowledged(Session& session, Sequence acknowledged,
                                            const Scene& scene);

// Checks that all commands of a session were acknowledged, and applied unless they may have no
// effect. Call it when none waits for its tick.
std::optional<Violation> check_all_applied(const Session& session, Sequence acknowledged,
                                           const Scene& scene);

}  // namespace orrery::fleet
