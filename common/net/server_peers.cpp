// Keeps the connected clients of a server, and finds them by id, address and account.
#include "common/net/server_peers.h"

#include <algorithm>
#include <utility>

#include "common/net/timing.h"

namespace orrery::net {
namespace {

// How long the server remembers the address of a client whose connection ended. Packets from this
// address count as repeated during this time, and later as packets of a stranger.
constexpr Nanoseconds kDepartedTime = kSecond;

}  // namespace

ServerPeers::ServerPeers(std::uint32_t clients_max, const NetEnvironment& environment)
    : peers_(clients_max),
      by_address_(clients_max, environment),
      by_account_(clients_max, environment),
      departed_(clients_max, environment) {}

std::optional<ClientId> ServerPeers::find(const Address& address) const {
  const ClientId* const client = by_address_.find(address);
  return client ? std::optional(*client) : std::nullopt;
}

std::optional<ClientId> ServerPeers::find(std::uint64_t account) const {
  const ClientId* const client = by_account_.find(account);
  return client ? std::optional(*client) : std::nullopt;
}

ClientId ServerPeers::lowest_free() const {
  ORRERY_ASSERT(!is_full());
  ClientId client{1};
  while (peers_[client].connected) ++client.value;
  return client;
}

void ServerPeers::add(ClientId client, ServerPeer peer) {
  ORRERY_ASSERT(!peers_[client].connected && peer.connected);
  by_address_.insert(peer.link.address(), client);
  by_account_.insert(peer.owner.client_id, client);
  peers_[client] = std::move(peer);
  highest_ = std::max(highest_, client);
}

void ServerPeers::remove(ClientId client, Nanoseconds now) {
  ServerPeer& peer = peers_[client];
  ORRERY_ASSERT(peer.connected);
  leave(peer.link.address(), now);
  by_account_.erase(peer.owner.client_id);
  peer = ServerPeer{};
}

void ServerPeers::move(ClientId client, const Address& address, Nanoseconds now) {
  ServerPeer& peer = peers_[client];
  ORRERY_ASSERT(peer.joined && !by_address_.contains(address));
  leave(peer.link.address(), now);
  by_address_.insert(address, client);
  peer.link.move_to(address);
}

void ServerPeers::leave(const Address& address, Nanoseconds now) {
  ORRERY_ASSERT(by_address_.contains(address));
  by_address_.erase(address);
  if (departed_.contains(address)) departed_.erase(address);
  departed_.insert(address, now);  // no effect if the map is full
}

void ServerPeers::update(Nanoseconds now) {
  const Nanoseconds passed = now - std::exchange(updated_, now);
  const Nanoseconds pause = passed - std::min(passed, kServerPauseMin);
  for (ClientId client{1}; pause > 0 && client <= highest_; ++client.value) {
    Link& link = peers_[client].link;
    if (!peers_[client].connected) continue;
    link.hear(now - (link.silence(now) - std::min(link.silence(now), pause)));
  }
  departed_.erase_if([now](Nanoseconds left) { return now - left > kDepartedTime; });
}

}  // namespace orrery::net
