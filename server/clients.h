// Gives all senders one view of a session's clients.
#pragma once

#include <cstdint>

#include "common/core/ids.h"
#include "common/net/server_endpoint.h"
#include "common/world/world.h"
#include "server/absences.h"
#include "server/inbox.h"

namespace orrery::server {

// The clients of a session: the world that they see, their connections, commands and absences.
// Server changes these data; the senders read them and send through the endpoint.
struct Clients {
  const World& world;
  const net::NetEnvironment& network;
  net::ServerEndpoint endpoint;
  Inbox inbox;
  Absences absences;
  bool has_accounts;  // whether the client ids of tokens are accounts that outlive a connection

  // Returns the connection of a client. REQUIRES: an id from 1 to endpoint.peers().capacity().
  const net::ServerPeer& operator[](ClientId client) const { return endpoint.peers()[client]; }
  // Returns the highest id that any client has had. Loops over all clients may end at it.
  ClientId highest() const { return endpoint.peers().highest(); }

  // Returns false while an earlier packet to the client waits in a queue of this machine. Senders
  // then skip the client.
  bool is_clear(ClientId client) const { return network.is_clear((*this)[client].link.address()); }

  // Adds to the budget of a client the bytes that it may receive in the next `ticks` ticks.
  // REQUIRES: the client has joined; ticks >= 1.
  void refill(ClientId client, std::uint64_t ticks, net::Nanoseconds now) {
    endpoint.refill(client, ticks * net::kSecond / world.scene().tick_rate, now);
  }
};

}  // namespace orrery::server
