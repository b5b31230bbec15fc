// Decides which client owns a body, by account, or by client id without one, and may command it.
#include "common/world/commands/owners.h"

#include "common/core/assert.h"

namespace orrery {
namespace {

std::uint64_t owner_of_scene(const MutableWorld& world, std::uint32_t slot) {
  return world.scene.bodies[world.controls.prototypes[slot]].owner;
}

}  // namespace

Verdict right_to_command(const World& world, const Client& client, BodyId body) {
  if (client.role == Role::watch) return Verdict::role;
  if (!contains(world, body)) return Verdict::no_body;
  const std::uint32_t slot = slot_of(body);
  if (!is_dynamic(prototype_of(world, slot).kind)) return Verdict::fixed;
  if (client.role == Role::admin) return Verdict::applied;
  switch (world.controls().control[slot]) {
    case Control::nobody:
      return Verdict::not_yours;
    case Control::anyone:
      return Verdict::applied;
    case Control::owner:
      return world.controls().owners[slot] == owner_number(client) ? Verdict::applied
                                                                   : Verdict::not_yours;
  }
  return Verdict::not_yours;
}

void release(Client& client) {
  client = Client{.id = client.id, .role = client.role, .account = client.account};
}

void end_holds(MutableWorld& world, BodyId body) {
  ORRERY_ASSERT(contains(world, body));
  const auto may_not = [&](const Client& client) {
    return right_to_command(world, client, body) != Verdict::applied;
  };
  std::erase_if(world.controls.thrusts, [&](const HeldThrust& thrust) {
    if (thrust.body != body) return false;
    const Client* const holder = find_client(world.controls, thrust.client);
    return !holder || may_not(*holder);
  });
  for (Client& client : world.controls.clients) {
    if (client.grabbing && client.grabbed == body && may_not(client)) release(client);
  }
}

bool has_spawned_enough(const World& world, const Client& client) {
  const std::uint32_t most = world.scene().spawned_bodies_max;
  if (most == 0 || client.role == Role::admin) return false;
  ORRERY_ASSERT(world.controls().owners.size() >= world.bodies().slots());
  std::uint32_t owned = 0;
  for (std::uint32_t slot = 0; slot < world.bodies().slots() && owned < most; ++slot) {
    owned += world.controls().owners[slot] == owner_number(client) && is_spawned(world, slot);
  }
  return owned == most;
}

void return_bodies(MutableWorld& world, LeftClients& left) {
  if (!left.any) return;
  auto& owners = world.controls.owners;
  ORRERY_ASSERT(owners.size() >= world.bodies.slots());
  ORRERY_ASSERT(world.controls.prototypes.size() >= world.bodies.slots());
  for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
    const bool leaves = owners[slot] <= limits::kClientsMax && left.ids[owners[slot]];
    if (leaves) owners[slot] = owner_of_scene(world, slot);
  }
  left = {};
}

bool disown(MutableWorld& world, std::uint64_t account) {
  auto& owners = world.controls.owners;
  ORRERY_ASSERT(account != 0 && owners.size() >= world.bodies.slots());
  bool changed = false;
  for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
    if (owners[slot] != account || !is_spawned(world, slot)) continue;
    owners[slot] = owner_of_scene(world, slot);
    changed = changed || owners[slot] != account;
  }
  return changed;
}

}  // namespace orrery
