// Describes a connection as the client knows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/net/environment.h"
#include "common/world/command.h"

namespace orrery::fleet {

// A connection as the client knows it.
struct Session {
  struct Given {
    CommandPayload payload;
    net::Nanoseconds at = 0;  // when it was given
    Tick named{};             // the tick that it names, or 0
    bool taken = false;       // was applied in a tick
  };

  ClientId client{};           // valid once connected
  bool hostile = false;        // its commands are not recorded here
  std::vector<Given> given{};  // command n is at index n - 1
  std::size_t acknowledged = 0;
  // number that the next event must have; empty before the first event arrives
  std::optional<std::uint64_t> next_event{};
  net::Nanoseconds events_at = 0;  // when the last events arrived
};

}  // namespace orrery::fleet
