// Sends clients the values of the session, and notices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "server/clients.h"

namespace orrery::server {

// The messages about values and notices. A client gets each change of a value in the tick of the
// change. A client that joins, or whose reliable channel has no room, gets all values as soon as
// there is room. A notice for which a client has no room is left out.
class Values {
 public:
  // REQUIRES: `clients` outlives this object.
  explicit Values(Clients& clients) : clients_(clients), behind_(limits::kClientsMax + 1) {}

  // Notes that a client joined.
  void join(ClientId client) { behind_[client.value] = true; }

  // Queues the messages of the last tick for these clients, which are ascending.
  void queue(std::span<const ClientId> clients);

  // Returns the notices left out, summed over all clients.
  std::uint64_t left_out() const { return left_out_; }

 private:
  net::SharedBytes changes() const;
  const net::SharedBytes& all();
  void queue_values(std::span<const ClientId> clients);
  void queue_notices(std::span<const ClientId> clients);

  Clients& clients_;
  std::vector<bool> behind_;  // by client id: whether the client needs all values
  net::SharedBytes all_;      // the message with all values; nullptr after they changed
  std::uint64_t left_out_ = 0;
};

}  // namespace orrery::server
