// Applies each command, and checks which client may give it.
#include "common/world/apply.h"

#include <algorithm>

#include "common/physics/motion/force_points.h"
#include "common/physics/motion/stiff_springs.h"
#include "common/world/image/state_hash.h"
#include "common/world/owners.h"
#include "common/world/sleep.h"

namespace orrery {
namespace {

// Returns why the client may not command the body, or `applied` if it may.
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

bool is_too_strong(const World& world, bool is_beyond) {
  return is_beyond && world.scene().command_excess == Excess::refuse;
}

// Returns true if `value`, as the held force or torque (`member`), accelerates a body beyond the
// limits of the scene. Mass and inertia are those of the scene: a sleeping body has none.
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
Verdict hold(MutableWorld& world, const Client& client, BodyId body, Vec3f HeldThrust::*member,
             const Vec3f& value) {
  const Verdict right = right_to_command(world, client, body);
  if (right != Verdict::applied) return right;
  if (is_too_strong(world, is_beyond(world, slot_of(body), member, value))) {
    return Verdict::too_strong;
  }
  auto& thrusts = world.controls.thrusts;
  auto at = thrust_of(world, body);
  const bool held = at != thrusts.end() && at->body == body;
  if (!held && value == Vec3f{}) return Verdict::unchanged;
  if (!held && thrusts.size() == limits::kThrustsMax) return Verdict::full;
  if (held && (*at).*member == value && at->client == client.id) return Verdict::unchanged;
  if (!held) at = thrusts.insert(at, HeldThrust{body, client.id, {}, {}});
  at->client = client.id;
  (*at).*member = value;
  if (at->force == Vec3f{} && at->torque == Vec3f{}) thrusts.erase(at);
  wake(world, slot_of(body));
  return Verdict::applied;
}

Verdict apply(MutableWorld& world, Client& client, const command::Thrust& c) {
  return hold(world, client, c.body, &HeldThrust::force, c.force);
}

Verdict apply(MutableWorld& world, Client& client, const command::Torque& c) {
  return hold(world, client, c.body, &HeldThrust::torque, c.torque);
}

Verdict apply(MutableWorld& world, Client& client, const command::Impulse& c) {
  const Verdict right = right_to_command(world, client, c.body);
  if (right != Verdict::applied) return right;
  if (c.impulse == Vec3f{}) return Verdict::unchanged;
  const std::uint32_t slot = slot_of(c.body);
  const Vec3 before = world.bodies.velocity(slot);
  const Vec3 after = before + (1 / prototype_of(world, slot).mass) * widen(c.impulse);
  const Vec3 limited =
      physics::limited_velocity(before, after, world.scene.command_limits.speed_max);
  if (is_too_strong(world, limited != after)) return Verdict::too_strong;
  wake(world, slot);
  world.bodies.set_velocity(slot, physics::bounded_velocity(limited));
  return Verdict::applied;
}

Verdict apply(MutableWorld& world, Client& client, const command::Grab& c) {
  const Verdict right = right_to_command(world, client, c.body);
  if (right != Verdict::applied) return right;
  if (client.grabbing && client.grabbed == c.body && client.grab_at == c.at &&
      client.grab_target == c.target) {
    return Verdict::unchanged;
  }
  client.grabbing = true;
  client.grabbed = c.body;
  client.grab_at = c.at;
  client.grab_target = c.target;
  wake(world, slot_of(c.body));
  return Verdict::applied;
}

Verdict apply(MutableWorld&, Client& client, const command::Move& c) {
  if (!client.grabbing) return Verdict::no_grab;
  if (client.grab_target == c.target) return Verdict::unchanged;
  client.grab_target = c.target;
  return Verdict::applied;
}

void release(Client& client) {
  client = Client{.id = client.id, .role = client.role, .account = client.account};
}

Verdict apply(MutableWorld&, Client& client, const command::Release&) {
  if (!client.grabbing) return Verdict::unchanged;
  release(client);
  return Verdict::applied;
}

Verdict apply(MutableWorld& world, Client& client, const command::Spawn& c) {
  if (client.role == Role::watch) return Verdict::role;
  if (c.prototype >= world.scene.bodies.size()) return Verdict::no_body;
  const BodyDef& def = world.scene.bodies[c.prototype];
  if (client.role != Role::admin && def.control == Control::nobody) return Verdict::not_yours;
  const Vec3 velocity =
      physics::limited_velocity({}, widen(c.velocity), world.scene.command_limits.speed_max);
  if (is_too_strong(world, velocity != widen(c.velocity))) return Verdict::too_strong;
  const std::uint32_t slot = world.bodies.lowest_free_slot();
  if (slot >= world.scene.bodies.size() + world.scene.spare_bodies) return Verdict::full;
  if (has_spawned_enough(world, client)) return Verdict::full;
  create_body(world, slot, c.prototype);
  const Pose pose{widen(c.position), normalized(def.orientation)};
  world.bodies.set_position(slot, body_pose(world, c.prototype, pose).position);
  if (def.kind != BodyKind::anchor) world.bodies.set_velocity(slot, velocity);
  if (def.owner == 0) world.controls.owners[slot] = owner_number(client);
  after_body_replaced(world, slot);
  if (!is_dynamic(def.kind)) wake_all(world);
  return Verdict::applied;
}

// An admin may also remove anchors and kinematic bodies.
Verdict apply(MutableWorld& world, Client& client, const command::Remove& c) {
  const Verdict right = right_to_command(world, client, c.body);
  const bool is_admins = right == Verdict::fixed && client.role == Role::admin;
  if (right != Verdict::applied && !is_admins) return right;
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
  return Verdict::applied;
}

Verdict apply(MutableWorld& world, Client& client, const command::SetControl& c) {
  if (client.role != Role::admin) return Verdict::role;
  if (!contains(world, c.body)) return Verdict::no_body;
  const std::uint32_t slot = slot_of(c.body);
  Controls& controls = world.controls;
  if (controls.control[slot] == c.control && controls.owners[slot] == c.owner) {
    return Verdict::unchanged;
  }
  controls.control[slot] = c.control;
  controls.owners[slot] = c.owner;
  controls.reassigned = true;
  return Verdict::applied;
}

// Does not store a value that equals the present one. In particular, -0 equals 0: storing it would
// change the state hash, although the command counts as one that changes nothing.
Verdict apply(MutableWorld& world, Client& client, const command::SetParameter& c) {
  if (client.role != Role::admin) return Verdict::role;
  Controls& controls = world.controls;
  const Vec3 value = widen(c.value);
  switch (c.parameter) {
    case Parameter::gravity: {
      if (controls.gravity == value) return Verdict::unchanged;
      controls.gravity = value;
      wake_all(world);
      return Verdict::applied;
    }
    case Parameter::gravitational_constant: {
      const bool has_room = world.bodies.capacity() <= limits::kGravitatingBodiesMax;
      // mutual gravity leaves no body at rest, so a scene with sleep has none
      if (value.x < 0 || !has_room || world.scene.sleeping) return Verdict::unavailable;
      if (controls.gravitational_constant == value.x) return Verdict::unchanged;
      controls.gravitational_constant = value.x;
      return Verdict::applied;
    }
  }
  return Verdict::unavailable;
}

Verdict join(MutableWorld& world, const command::Join& c) {
  auto& clients = world.controls.clients;
  if (c.client == kServer || find_client(world.controls, c.client)) return Verdict::unchanged;
  if (clients.size() == limits::kClientsMax) return Verdict::full;
  const auto at = std::find_if(clients.begin(), clients.end(),
                               [&](const Client& other) { return c.client < other.id; });
  clients.insert(at, Client{.id = c.client, .role = c.role, .account = c.account});
  return Verdict::applied;
}

Verdict leave(MutableWorld& world, const command::Leave& c, LeftClients& departed) {
  const Client* const client = find_client(world.controls, c.client);
  if (!client) return Verdict::unchanged;
  ORRERY_ASSERT(c.client.value <= limits::kClientsMax);
  if (client->account == 0) {
    departed.ids.set(c.client.value);
    departed.any = true;
  }
  std::erase_if(world.controls.clients, [&](const Client& other) { return other.id == c.client; });
  std::erase_if(world.controls.thrusts, [&](const HeldThrust& t) { return t.client == c.client; });
  return Verdict::applied;
}

// Commands that only the server may give.
template <class Payload>
constexpr bool kFromServer =
    std::is_same_v<Payload, command::Join> || std::is_same_v<Payload, command::Leave> ||
    std::is_same_v<Payload, command::Disown>;

// Accepts joins, leaves and disowns from the server only, and everything else only from a client
// that has joined.
Verdict apply_command(MutableWorld& world, const Command& c, LeftClients& departed) {
  if (c.client == kServer) {
    if (const auto* j = std::get_if<command::Join>(&c.payload)) return join(world, *j);
    if (const auto* l = std::get_if<command::Leave>(&c.payload)) return leave(world, *l, departed);
    if (const auto* d = std::get_if<command::Disown>(&c.payload)) {
      return disown(world, d->account) ? Verdict::applied : Verdict::unchanged;
    }
    return Verdict::role;
  }
  Client* const client = find_client(world.controls, c.client);
  if (!client) return Verdict::not_joined;
  return std::visit(
      [&](const auto& payload) {
        using Payload = std::decay_t<decltype(payload)>;
        if constexpr (kFromServer<Payload>) {
          return Verdict::role;
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

// Returns physics::Looseness from the scene body, because a sleeping body has no inverse mass.
double looseness(const World& world, std::uint32_t slot, const Vec3& at) {
  const BodyDef& def = prototype_of(world, slot);
  if (!is_dynamic(def.kind)) return 0;
  const Vec3 inertia = momentum_inertia(def);
  const double least = std::min({inertia.x, inertia.y, inertia.z});
  return 1 / def.mass + (least > 0 ? dot(at, at) / least : 0);
}

void rebuild_population(MutableWorld& world) {
  ORRERY_ASSERT(world.controls.generations.size() == world.bodies.capacity());
  physics::ForceSet& forces = world.forces;
  forces.springs.clear();
  for (const SpringDef& s : world.scene.springs) {
    if (!original(world, s.a) || !original(world, s.b)) continue;
    forces.springs.push_back({s.a, s.b, body_point(world, s.a, s.at_a),
                              body_point(world, s.b, s.at_b), s.stiffness, s.damping, s.rest_length,
                              0});
  }
  forces.tethers.clear();
  for (const TetherDef& t : world.scene.tethers) {
    if (!original(world, t.body)) continue;
    forces.tethers.push_back({t.body, body_point(world, t.body, t.at), t.anchor, t.stiffness,
                              t.damping, t.rest_length, 0});
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
  if (is_kinematic(world.scene.integrator))
    world.flight.take_springs_and_drag(world.bodies, forces);
  if (!has_negative_substeps(world.scene.integrator) && !has_stages(world.scene.integrator)) {
    physics::set_ahead(forces, world.substep_time,
                       [&](auto slot, const Vec3& at) { return looseness(world, slot, at); });
  }
  forces.damps_implicitly = world.collision.has_value();
  const auto damped = [](const auto& spring) { return spring.damping != 0 || spring.ahead != 0; };
  forces.damped = !forces.dragged.empty() ||
                  std::any_of(forces.springs.begin(), forces.springs.end(), damped) ||
                  std::any_of(forces.tethers.begin(), forces.tethers.end(), damped);
}

void rebuild_commanded(MutableWorld& world) {
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

void apply_commands(MutableWorld& world, std::span<const Command> commands,
                    std::vector<RefusedCommand>* refused) {
  ORRERY_ASSERT(commands.size() <= limits::kCommandsPerTickMax);
  world.applied.clear();
  if (refused) refused->clear();
  LeftClients departed;
  for (const Command& c : commands) {
    if (c.client != kServer) return_bodies(world, departed);
    const Verdict verdict = apply_command(world, c, departed);
    if (refused && is_refusal(verdict)) refused->push_back({c.client, c.sequence, verdict});
    if (verdict == Verdict::applied) world.applied.push_back(c);
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
  if (!world.scene.springs.empty() || !world.scene.tethers.empty())
    forces.turns.assign(world.bodies.capacity(), 0);
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
