// Answers the ray casts that clients ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/executor.h"
#include "common/world/report/world_queries.h"
#include "server/clients.h"

namespace orrery::server {

// The answers to ray casts, from an index of the bodies. The index is updated at most once per
// tick, and only if a client asks.
class RayAnswers {
 public:
  // REQUIRES: clients and executor outlive it.
  RayAnswers(Clients& clients, Executor& executor);

  // Sends a client the first hit of its ray in the state of the last tick, or that there is none.
  // Counts a query that does not decode as malformed. REQUIRES: the client has joined.
  void answer(ClientId client, Bytes query, net::Nanoseconds now);

 private:
  Clients& clients_;
  Executor& executor_;
  WorldQueries queries_;
  std::optional<Tick> tick_;           // tick for which queries_ is up to date
  std::vector<WorldHit> hits_;         // scratch
  std::vector<std::uint8_t> message_;  // scratch
};

}  // namespace orrery::server
