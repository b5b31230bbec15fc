// Checks that the clients of the server and of its world are the same, and the owners of bodies.
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

// Returns true if a client of the account has joined, or the client without an account.
bool is_present(const Controls& controls, std::uint64_t owner) {
  return std::any_of(controls.clients.begin(), controls.clients.end(),
                     [owner](const Client& c) { return owner_number(c) == owner; });
}

// Returns the owner of a spawned body; 0 if there is none, or the scene names it.
std::uint64_t owner_of(const World& world, std::uint32_t slot) {
  if (!world.bodies().alive(slot) || !is_spawned(world, slot)) return 0;
  const Controls& controls = world.controls();
  const std::uint64_t owner = controls.owners[slot];
  return owner == world.scene().bodies[controls.prototypes[slot]].owner ? 0 : owner;
}

// Returns true if the client with this id has left in the last tick.
bool has_left(const World& world, std::uint64_t id) {
  const std::vector<Command>& applied = world.applied();
  return std::any_of(applied.begin(), applied.end(), [id](const Command& command) {
    const auto* const leave = std::get_if<command::Leave>(&command.payload);
    return leave && leave->client.value == id;
  });
}

std::optional<Violation> check_thrusts(const World& world) {
  const Controls& controls = world.controls();
  const auto is_held = [&](const HeldThrust& t) {
    return is_there(controls, t.client) && contains(world, t.body);
  };
  if (std::all_of(controls.thrusts.begin(), controls.thrusts.end(), is_held)) return std::nullopt;
  return violated("a thrust has no client or no body");
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

void Slots::watch(const World& world) {
  absent_since_.clear();
  owned_.clear();
  note_absences(world);
}

std::optional<Violation> Slots::check(const server::Server& server, const World& world) {
  const std::vector<Client>& clients = world.controls().clients;
  if (auto violation = check_clients(server.endpoint().peers(), clients)) return violation;
  if (auto violation = check_thrusts(world)) return violation;
  if (auto violation = check_followers(server, clients)) return violation;
  return check_owners(world);
}

// Notes the owners that have been absent since this tick, and forgets those that are back or own
// nothing.
void Slots::note_absences(const World& world) {
  const std::vector<Client>& clients = world.controls().clients;
  if (!clients.empty()) has_accounts_ = clients.front().account != 0;
  std::map<std::uint64_t, Tick> absent;
  owned_.resize(world.bodies().slots());
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    const std::uint64_t owner = owner_of(world, slot);
    owned_[slot] = {owner == 0 ? BodyId{} : body_id(world, slot), owner};
    if (owner == 0 || is_present(world.controls(), owner)) continue;
    const auto known = absent_since_.find(owner);
    absent[owner] = known == absent_since_.end() ? world.tick() : known->second;
  }
  absent_since_.swap(absent);
}

std::optional<Violation> Slots::check_owners(const World& world) {
  const auto most = static_cast<std::uint64_t>(world.scene().absence_max * world.scene().tick_rate);
  const auto time_away = [&](std::uint64_t owner) -> std::uint64_t {
    const auto since = absent_since_.find(owner);
    return since == absent_since_.end() ? 0 : world.tick().value - since->second.value;
  };
  const auto text = [&](const char* what, std::uint32_t slot, std::uint64_t owner) {
    return Violation{"owners keep their bodies", "the body in slot " + std::to_string(slot) + what +
                                                     std::to_string(owner) +
                                                     ", which has been away for " +
                                                     std::to_string(time_away(owner)) + " ticks"};
  };
  for (std::uint32_t slot = 0; slot < owned_.size(); ++slot) {
    const auto& [body, owner] = owned_[slot];
    if (owner == 0 || !contains(world, body)) continue;
    const bool away = time_away(owner) > most && !is_present(world.controls(), owner);
    const bool over = has_accounts_ ? away : has_left(world, owner);
    const bool stays = owner_of(world, slot) == owner;
    if (stays && over) return text(" belongs to account ", slot, owner);
    if (!stays && !over) return text(" was taken from account ", slot, owner);
  }
  note_absences(world);
  return std::nullopt;
}

std::optional<Violation> check_slots_came_back(const server::Server& server, const World& world) {
  const std::size_t connected = server.endpoint().peers().count();
  const Controls& controls = world.controls();
  if (connected == 0 && controls.clients.empty() && controls.thrusts.empty()) return std::nullopt;
  return violated("all clients are gone, and " + std::to_string(connected) + " are connected, " +
                  std::to_string(controls.clients.size()) + " in the world");
}

}  // namespace orrery::fleet
