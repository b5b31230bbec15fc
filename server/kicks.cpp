// Ends the connections of clients that rules or admins kick or ban.
#include "server/kicks.h"

#include <variant>

#include "common/world/command.h"

namespace orrery::server {

void Kicks::send(net::Nanoseconds now, std::vector<net::ServerEvent>& gone) {
  for (const Command& c : clients_.world.applied()) {
    const auto* const kick = std::get_if<command::Kick>(&c.payload);
    const auto* const banned = std::get_if<command::Ban>(&c.payload);
    if (!kick && !banned) continue;
    const ClientId client = kick ? kick->client : banned->client;
    if (banned) ban(client);
    // A client may be kicked twice in a tick, or have left since its commands were closed.
    if (!clients_[client].joined) continue;
    const codec::message::Goodbye goodbye{kick ? EndReason::kicked : EndReason::banned,
                                          kick ? kick->reason : banned->reason};
    gone.push_back(clients_.endpoint.disconnect(client, goodbye, now));
  }
}

// Like a resumed session, takes the account from the state, if there is one: the connection may
// have ended in this step.
void Kicks::ban(ClientId client) {
  if (clients_[client].joined) bans_->add(clients_[client].owner.client_id);
  for (const Client& each : clients_.world.controls().clients) {
    if (each.id == client && each.account != 0) bans_->add(each.account);
  }
}

}  // namespace orrery::server
