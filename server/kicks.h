// Ends the connections of clients that rules or admins kick or ban.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "common/net/gate/bans.h"
#include "server/clients.h"

namespace orrery::server {

class Kicks {
 public:
  // REQUIRES: the clients outlive this.
  Kicks(Clients& clients, std::shared_ptr<net::Bans> bans)
      : clients_(clients), bans_(std::move(bans)) {}

  // Ends the connections of clients that the last tick kicked or banned. Appends an event of kind
  // left for each. Bans their accounts.
  void send(net::Nanoseconds now, std::vector<net::ServerEvent>& gone);

 private:
  void ban(ClientId client);

  Clients& clients_;
  const std::shared_ptr<net::Bans> bans_;
};

}  // namespace orrery::server
