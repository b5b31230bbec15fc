// Checks that the clients of the server and of its world are the same.
#include "tests/fleet/checks/slots.h"

#include <algorithm>
#include <string>
#include <utility>

namespace orrery::fleet {
namespace {

Violation violated(std::string what) { return {"slots are conserved", std::move(what)}; }

std::optional<Violation> check_clients(const net::ServerPeers& peers,
                                       const std::vector<Client>& clients) {
  std::uint64_t joined = 0;
  for (ClientId client{1}; client <= peers.highest(); ++client.value) {
    if (peers[client].joined) ++joined;
  }
  const auto is_joined = [&peers](const Client& c) {
    return c.id <= peers.highest() && peers[c.id].joined;
  };
  const bool same_clients =
      joined == clients.size() && std::all_of(clients.begin(), clients.end(), is_joined);
  if (same_clients && peers.count() >= joined) return std::nullopt;
  return violated(std::to_string(clients.size()) + " clients in the world, " +
                  std::to_string(joined) + " joined, " + std::to_string(peers.count()) +
                  " connected");
}

bool is_there(const Controls& controls, ClientId id) {
  return std::any_of(controls.clients.begin(), controls.clients.end(),
                     [id](const Client& c) { return c.id == id; });
}

// Returns true if owners may be absent: they are accounts, and no ids of clients.
bool may_be_away(const Controls& controls) {
  const auto has_account = [](const Client& client) { return client.account != 0; };
  return std::all_of(controls.clients.begin(), controls.clients.end(), has_account);
}

// Checks that no thrust of a client remains after the client has left, and no body of a client
// without an account.
std::optional<Violation> check_belongings(const World& world) {
  const Controls& controls = world.controls();
  const auto is_held = [&](const HeldThrust& t) {
    return is_there(controls, t.client) && contains(world, t.body);
  };
  if (!std::all_of(controls.thrusts.begin(), controls.thrusts.end(), is_held)) {
    return violated("a thrust has no client or no body");
  }
  for (std::uint32_t slot = 0; slot < controls.owners.size(); ++slot) {
    const std::uint64_t owner = controls.owners[slot];
    const bool alive = world.bodies().alive(slot);
    const bool given = alive && owner == world.scene().bodies[controls.prototypes[slot]].owner;
    if (owner == 0 || given || (alive && may_be_away(controls))) continue;
    if (alive && is_there(controls, ClientId{static_cast<std::uint32_t>(owner)})) continue;
    return violated("the body in slot " + std::to_string(slot) + " belongs to client " +
                    std::to_string(owner) + ", which is not joined");
  }
  return std::nullopt;
}

std::optional<Violation> check_followers(const server::Server& server,
                                         const std::vector<Client>& clients) {
  const net::ServerPeers& peers = server.endpoint().peers();
  const auto followers = static_cast<std::size_t>(
      std::count_if(clients.begin(), clients.end(),
                    [&peers](const Client& client) { return peers[client.id].follows; }));
  if (followers == server.followers()) return std::nullopt;
  return violated(std::to_string(server.followers()) + " followers are served, and " +
                  std::to_string(followers) + " follow");
}

}  // namespace

std::optional<Violation> check_slots(const server::Server& server, const World& world) {
  const std::vector<Client>& clients = world.controls().clients;
  if (auto violation = check_clients(server.endpoint().peers(), clients)) return violation;
  if (auto violation = check_belongings(world)) return violation;
  return check_followers(server, clients);
}

std::optional<Violation> check_slots_came_back(const server::Server& server, const World& world) {
  const std::size_t connected = server.endpoint().peers().count();
  const Controls& controls = world.controls();
  if (connected == 0 && controls.clients.empty() && controls.thrusts.empty()) return std::nullopt;
  return violated("all clients are gone, and " + std::to_string(connected) + " are connected, " +
                  std::to_string(controls.clients.size()) + " in the world");
}

}  // namespace orrery::fleet
