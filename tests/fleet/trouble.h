// Makes the faults of a run happen to clients, their paths and the server's clock.
#pragma once

#include <cstdint>

#include "common/core/rng.h"
#include "tests/fleet/climate.h"
#include "tests/fleet/event_counts.h"
#include "tests/fleet/network.h"
#include "tests/fleet/pace.h"
#include "tests/fleet/players/player.h"
#include "tests/fleet/players/regular.h"

namespace orrery::fleet {

// Draws faults at the rates of a climate. Until the faults of the run end, call disturb() for each
// client, disturb_clock(), and happens() for each other fault, kCallsPerSecond times a second.
class Trouble {
 public:
  static constexpr std::uint32_t kCallsPerSecond = 60;

  // REQUIRES: all references outlive this object.
  Trouble(const Climate& climate, const Network& network, EventCounts& counts, std::uint64_t seed)
      : climate_(climate), network_(network), counts_(counts), random_(seed) {}

  // Returns true at random, `per_second` times a second on average.
  bool happens(double per_second) {
    return (random_.symmetric() + 1) / 2 * kCallsPerSecond < per_second;
  }
  // Returns a random time below `seconds`.
  net::Nanoseconds up_to(std::uint32_t seconds) {
    return random_.next() % (seconds * net::kSecond);
  }

  // Disturbs a client and its paths, or ends a disturbance of its paths.
  void disturb(Player& player);
  // Disturbs a client as its habit says, until `end` at the latest.
  void disturb(Regular& regular, net::Nanoseconds end);
  // Stops the server for a while, or makes it slower or faster.
  void disturb_pace();
  ServerPace& pace() { return pace_; }
  // Sets the server's clock wrong, or right again. A wrong clock does not affect connected clients,
  // but may refuse new ones. While the server is down, its clock is only set right.
  void disturb_clock(ServerMachine& machine, bool server_is_up);
  // Sets the clock with which the server starts after a crash. In runs with clock jumps it is late.
  // It is never fast, because the server would refuse tokens until the true time reaches that of
  // its start.
  void disturb_start(ServerMachine& machine);

 private:
  void disturb_paths(ClientMachine& machine);

  const Climate& climate_;
  const Network& network_;
  EventCounts& counts_;
  SplitMix64 random_;
  ServerPace pace_;
};

}  // namespace orrery::fleet
