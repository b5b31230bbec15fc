// Applies each command, and checks which client may give it.
#include "common/world/apply.h"

#include <algorithm>

#include "common/physics/motion/force_points.h"
#include "common/world/image/state_hash.h"
#include "common/world/owners.h"
#include "common/world/sleep.h"

namespace orrery {
namespace {

bool may_command(const World& world, const Client& client, BodyId body) {
  if (!contains(world, body)) return false;
  const std::uint32_t slot = slot_of(body);
  if (!is_dynamic(prototype_of(world, slot).kind)) return false;
  if (client.role == Role::admin) return true;
  if (client.role == Role::watch) return false;
  switch (world.controls().control[slot]) {
    case Control::nobody:
      return false;
    case Control::anyone:
      return true;
    case Control::owner:
      return world.controls().owners[slot] == owner_number(client);
  }
  return false;
}

bool is_refused(const World& world, bool is_beyond) {
  return is_beyond && world.scene().command_excess == Excess::refuse;
}

// Returns true if `value`, as the held force or torque (`member`), would accelerate a body beyond
// the limits of the scene. Mass and inertia come from the scene body, because a sleeping body has
// no inverse mass.
bool is_beyond(const World& world, std::uint32_t slot, Vec3f HeldThrust::*member,
               const Vec3f& value) {
  ORRERY_ASSERT(member == &HeldThrust::force || member == &HeldThrust::torque);
  ORRERY_ASSERT(is_dynamic(prototype_of(world, slot).kind));
  const BodyDef& def = prototype_of(world, slot);
  const physics::CommandLimits& most = world.scene().command_limits;
  if (member == &HeldThrust::force) {
    return physics::share_of_force(widen(value), 1 / def.mass, most) < 1;
  }
  if (def.kind != BodyKind::rigid) return false;
  const Vec3 inverse_inertia{1 / def.inertia.x, 1 / def.inertia.y, 1 / def.inertia.z};
  const Quat attitude = world.bodies().orientation(slot);
  return physics::share_of_torque(widen(value), attitude, inverse_inertia, most) < 1;
}

auto thrust_of(MutableWorld& world, BodyId body) {
  auto& thrusts = world.controls.thrusts;
  return std::lower_bound(
      thrusts.begin(), thrusts.end(), slot_of(body),
      [](const HeldThrust& t, std::uint32_t slot) { return slot_of(t.body) < slot; });
}

// Sets the held force or torque (`member`) of a body. Erases the held thrust if both are then zero.
// Returns false if nothing changed.
bool hold(MutableWorld& world, const Client& client, BodyId body, Vec3f HeldThrust::*member,
          const Vec3f& value) {
  if (!may_command(world, client, body)) return false;
  if (is_refused(world, is_beyond(world, slot_of(body), member, value))) return false;
  auto& thrusts = world.controls.thrusts;
  auto at = thrust_of(world, body);
  const bool held = at != thrusts.end() && at->body == body;
  if (!held && (value == Vec3f{} || thrusts.size() == limits::kThrustsMax)) return false;
  if (held && (*at).*member == value && at->client == client.id) return false;
  if (!held) at = thrusts.insert(at, HeldThrust{body, client.id, {}, {}});
  at->client = client.id;
  (*at).*member = value;
  if (at->force == Vec3f{} && at->torque == Vec3f{}) thrusts.erase(at);
  wake(world, slot_of(body));
  return true;
}

bool apply(MutableWorld& world, Client& client, const command::Thrust& c) {
  return hold(world, client, c.body, &HeldThrust::force, c.force);
}

bool apply(MutableWorld& world, Client& client, const command::Torque& c) {
  return hold(world, client, c.body, &HeldThrust::torque, c.torque);
}

bool apply(MutableWorld& world, Client& client, const command::Impulse& c) {
  if (!may_command(world, client, c.body) || c.impulse == Vec3f{}) return false;
  const std::uint32_t slot = slot_of(c.body);
  const Vec3 before = world.bodies.velocity(slot);
  const Vec3 after = before + (1 / prototype_of(world, slot).mass) * widen(c.impulse);
  const Vec3 limited =
      physics::limited_velocity(before, after, world.scene.command_limits.speed_max);
  if (is_refused(world, limited != after)) return false;
  wake(world, slot);
  world.bodies.set_velocity(slot, physics::bounded_velocity(limited));
  return true;
}

bool apply(MutableWorld& world, Client& client, const command::Grab& c) {
  if (!may_command(world, client, c.body)) return false;
  if (client.grabbing && client.grabbed == c.body && client.grab_at == c.at &&
      client.grab_target == c.target) {
    return false;
  }
  client.grabbing = true;
  client.grabbed = c.body;
  client.grab_at = c.at;
  client.grab_target = c.target;
  wake(world, slot_of(c.body));
  return true;
}

bool apply(MutableWorld&, Client& client, const command::Move& c) {
  if (!client.grabbing || client.grab_target == c.target) return false;
  client.grab_target = c.target;
  return true;
}

void release(Client& client) {
  client = Client{.id = client.id, .role = client.role, .account = client.account};
}

bool apply(MutableWorld&, Client& client, const command::Release&) {
  if (!client.grabbing) return false;
  release(client);
  return true;
}

bool apply(MutableWorld& world, Client& client, const command::Spawn& c) {
  if (client.role == Role::watch || c.prototype >= world.scene.bodies.size()) return false;
  const BodyDef& def = world.scene.bodies[c.prototype];
  if (client.role != Role::admin && def.control == Control::nobody) return false;
  const Vec3 velocity =
      physics::limited_velocity({}, widen(c.velocity), world.scene.command_limits.speed_max);
  if (is_refused(world, velocity != widen(c.velocity))) return false;
  const std::uint32_t slot = world.bodies.lowest_free_slot();
  if (slot >= world.scene.bodies.size() + world.scene.spare_bodies) return false;
  if (has_spawned_enough(world, client)) return false;
  create_body(world, slot, c.prototype);
  const Pose pose{widen(c.position), normalized(def.orientation)};
  world.bodies.set_position(slot, body_pose(world, c.prototype, pose).position);
  if (def.kind != BodyKind::anchor) world.bodies.set_velocity(slot, velocity);
  if (def.owner == 0) world.controls.owners[slot] = owner_number(client);
  after_body_replaced(world, slot);
  if (!is_dynamic(def.kind)) wake_all(world);
  return true;
}

bool apply(MutableWorld& world, Client& client, const command::Remove& c) {
  const bool admin_on_anchor = client.role == Role::admin && contains(world, c.body);
  if (!admin_on_anchor && !may_command(world, client, c.body)) return false;
  const std::uint32_t slot = slot_of(c.body);
  for (Client& other : world.controls.clients) {
    if (other.grabbing && other.grabbed == c.body) release(other);
  }
  std::erase_if(world.controls.thrusts, [&](const HeldThrust& t) { return t.body == c.body; });
  before_body_removed(world, slot);
  remove_body(world, slot);
  after_body_replaced(world, slot);
  // After the last generation comes 1, not 0: generation 0 marks the body that the scene put in the
  // slot.
  auto& generation = world.controls.generations[slot];
  const std::uint32_t next = generation + 1u;
  generation = static_cast<std::uint16_t>(next == limits::kGenerationsMax ? 1 : next);
  world.controls.prototypes[slot] = 0;
  world.controls.control[slot] = control_of_free_slots(world.scene);
  world.controls.owners[slot] = 0;
  return true;
}

bool apply(MutableWorld& world, Client& client, const command::SetControl& c) {
  if (client.role != Role::admin || !contains(world, c.body)) return false;
  const std::uint32_t slot = slot_of(c.body);
  Controls& controls = world.controls;
  if (controls.control[slot] == c.control && controls.owners[slot] == c.owner) return false;
  controls.control[slot] = c.control;
  controls.owners[slot] = c.owner;
  controls.reassigned = true;
  return true;
}

// Does not store a value that equals the present one. In particular, -0 equals 0: storing it would
// change the state hash, although the command counts as one that changes nothing.
bool apply(MutableWorld& world, Client& client, const command::SetParameter& c) {
  if (client.role != Role::admin) return false;
  Controls& controls = world.controls;
  const Vec3 value = widen(c.value);
  switch (c.parameter) {
    case Parameter::gravity: {
      if (controls.gravity == value) return false;
      controls.gravity = value;
      wake_all(world);
      return true;
    }
    case Parameter::gravitational_constant: {
      if (value.x < 0 || world.bodies.capacity() > limits::kGravitatingBodiesMax) return false;
      // mutual gravity leaves no body at rest, so a scene with sleep has none
      if (world.scene.sleeping) return false;
      if (controls.gravitational_constant == value.x) return false;
      controls.gravitational_constant = value.x;
      return true;
    }
  }
  return false;
}

bool join(MutableWorld& world, const command::Join& c) {
  auto& clients = world.controls.clients;
  if (c.client == kServer || find_client(world.controls, c.client)) return false;
  if (clients.size() == limits::kClientsMax) return false;
  const auto at = std::find_if(clients.begin(), clients.end(),
                               [&](const Client& other) { return c.client < other.id; });
  clients.insert(at, Client{.id = c.client, .role = c.role, .account = c.account});
  return true;
}

bool leave(MutableWorld& world, const command::Leave& c, LeftClients& departed) {
  const Client* const client = find_client(world.controls, c.client);
  if (!client) return false;
  ORRERY_ASSERT(c.client.value <= limits::kClientsMax);
  if (client->account == 0) {
    departed.ids.set(c.client.value);
    departed.any = true;
  }
  std::erase_if(world.controls.clients, [&](const Client& other) { return other.id == c.client; });
  std::erase_if(world.controls.thrusts, [&](const HeldThrust& t) { return t.client == c.client; });
  return true;
}

// Commands that only the server may give.
template <class Payload>
constexpr bool kFromServer =
    std::is_same_v<Payload, command::Join> || std::is_same_v<Payload, command::Leave> ||
    std::is_same_v<Payload, command::Disown>;

// Accepts joins, leaves and disowns from the server only, and everything else only from a client
// that has joined.
bool apply_command(MutableWorld& world, const Command& c, LeftClients& departed) {
  if (c.client == kServer) {
    if (const auto* j = std::get_if<command::Join>(&c.payload)) return join(world, *j);
    if (const auto* l = std::get_if<command::Leave>(&c.payload)) return leave(world, *l, departed);
    if (const auto* d = std::get_if<command::Disown>(&c.payload)) return disown(world, d->account);
    return false;
  }
  Client* const client = find_client(world.controls, c.client);
  if (!client) return false;
  return std::visit(
      [&](const auto& payload) {
        using Payload = std::decay_t<decltype(payload)>;
        if constexpr (kFromServer<Payload>) {
          return false;
        } else {
          return apply(world, *client, payload);
        }
      },
      c.payload);
}

bool changes_population(const Command& c) {
  return std::holds_alternative<command::Spawn>(c.payload) ||
         std::holds_alternative<command::Remove>(c.payload);
}

// Returns true if the slot still holds the body that the scene put there.
bool original(const World& world, std::uint32_t slot) {
  return world.bodies().alive(slot) && world.controls().generations[slot] == 0;
}

void rebuild_population(MutableWorld& world) {
  ORRERY_ASSERT(world.controls.generations.size() == world.bodies.capacity());
  physics::ForceSet& forces = world.forces;
  forces.springs.clear();
  for (const SpringDef& s : world.scene.springs) {
    if (!original(world, s.a) || !original(world, s.b)) continue;
    forces.springs.push_back({s.a, s.b, body_point(world, s.a, s.at_a),
                              body_point(world, s.b, s.at_b), s.stiffness, s.damping,
                              s.rest_length});
  }
  forces.tethers.clear();
  for (const TetherDef& t : world.scene.tethers) {
    if (!original(world, t.body)) continue;
    forces.tethers.push_back(
        {t.body, body_point(world, t.body, t.at), t.anchor, t.stiffness, t.damping, t.rest_length});
  }
  forces.dragged.clear();
  forces.attractors.clear();
  const bool may_attract = world.bodies.capacity() <= limits::kGravitatingBodiesMax;
  const double* const linear_drag = world.bodies.field(physics::BodyField::linear_drag);
  const double* const quadratic_drag = world.bodies.field(physics::BodyField::quadratic_drag);
  for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
    if (!world.bodies.alive(slot)) continue;
    if (may_attract) {
      const BodyDef& def = prototype_of(world, slot);
      forces.attractors.push_back({slot, def.mass});
    }
    if (linear_drag[slot] != 0 || quadratic_drag[slot] != 0) {
      forces.dragged.push_back({slot, linear_drag[slot], quadratic_drag[slot], linear_drag[slot]});
    }
  }
  const auto damped = [](const auto& spring) { return spring.damping != 0; };
  forces.damped = !forces.dragged.empty() ||
                  std::any_of(forces.springs.begin(), forces.springs.end(), damped) ||
                  std::any_of(forces.tethers.begin(), forces.tethers.end(), damped);
  if (is_kinematic(world.scene.integrator))
    world.flight.take_springs_and_drag(world.bodies, forces);
}

void rebuild_commanded(MutableWorld& world) {
  ORRERY_ASSERT(world.controls.clients.size() <= limits::kClientsMax);
  ORRERY_ASSERT(world.controls.thrusts.size() <= limits::kThrustsMax);
  physics::ForceSet& forces = world.forces;
  forces.gravitational_constant = world.controls.gravitational_constant;
  forces.softening = world.scene.softening;
  forces.held.clear();
  for (const HeldThrust& t : world.controls.thrusts) {
    forces.held.push_back({slot_of(t.body), widen(t.force), widen(t.torque)});
  }
  forces.thrusters.clear();  // limit_thrusts() fills them before each kick
  forces.grips.clear();
  for (const Client& c : world.controls.clients) {
    if (!c.grabbing) continue;
    forces.grips.push_back({slot_of(c.grabbed), widen(c.grab_at), widen(c.grab_target),
                            physics::kTau * world.scene.grab_frequency,
                            world.scene.grab_acceleration_max});
  }
}

}  // namespace

void apply_commands(MutableWorld& world, std::span<const Command> commands) {
  ORRERY_ASSERT(commands.size() <= limits::kCommandsPerTickMax);
  world.applied.clear();
  LeftClients departed;
  for (const Command& c : commands) {
    if (c.client != kServer) return_bodies(world, departed);
    if (apply_command(world, c, departed)) world.applied.push_back(c);
  }
  return_bodies(world, departed);
  ORRERY_ASSERT(world.applied.size() <= commands.size());
  if (world.applied.empty()) return;
  if (std::any_of(world.applied.begin(), world.applied.end(), changes_population)) {
    wake_bodies_that_lost_springs(world);
    rebuild_population(world);
  }
  rebuild_commanded(world);
  world.controls_hash = hash_controls(world);
}

void rebuild_forces(MutableWorld& world) {
  physics::ForceSet& forces = world.forces;
  forces.springs.reserve(world.scene.springs.size());
  forces.tethers.reserve(world.scene.tethers.size());
  forces.dragged.reserve(world.bodies.capacity());
  forces.attractors.reserve(std::min(world.bodies.capacity(), limits::kGravitatingBodiesMax));
  forces.held.reserve(limits::kThrustsMax);
  forces.thrusters.reserve(limits::kThrustsMax);
  forces.grips.reserve(limits::kClientsMax + world.scene.scripts.size());
  forces.pulls.reserve(world.scene.scripts.size() * world.bodies.capacity());
  rebuild_population(world);
  rebuild_commanded(world);
}

}  // namespace orrery
