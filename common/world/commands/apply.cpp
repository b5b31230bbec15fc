// Applies each command, and checks which client may give it.
#include "common/world/commands/apply.h"

#include <algorithm>

#include "common/physics/motion/force_points.h"
#include "common/world/commands/body_changes.h"
#include "common/world/commands/drives.h"
#include "common/world/commands/owners.h"
#include "common/world/commands/values.h"
#include "common/world/image/state_hash.h"
#include "common/world/sleep.h"
#include "common/world/world_forces.h"

namespace orrery {
namespace {

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
  const physics::CommandLimits& most = world.scene.command_limits;
  const Vec3 velocity = physics::limited_velocity({}, widen(c.velocity), most.speed_max);
  const Vec3 spin = physics::limited_velocity({}, widen(c.angular_velocity), most.spin_max);
  if (is_too_strong(world, velocity != widen(c.velocity) || spin != widen(c.angular_velocity))) {
    return Verdict::too_strong;
  }
  const std::uint32_t slot = world.bodies.lowest_free_slot();
  if (slot >= world.scene.bodies.size() + world.scene.spare_bodies) return Verdict::full;
  if (has_spawned_enough(world, client)) return Verdict::full;
  create_body(world, slot, c.prototype);
  const Quat turn = command::has_orientation(c) ? widen(c.orientation) : def.orientation;
  const Pose pose = body_pose(world, c.prototype, {widen(c.position), normalized(turn)});
  world.bodies.set_position(slot, pose.position);
  world.bodies.set_orientation(slot, pose.orientation);
  if (def.kind != BodyKind::anchor) world.bodies.set_velocity(slot, velocity);
  if (def.kind != BodyKind::anchor && command::has_attitude(c)) {
    world.bodies.set_angular_momentum(
        slot, scaled(momentum_inertia(def), rotate_back(pose.orientation, spin)));
  }
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
  end_way(world.controls, c.body);
  before_body_removed(world, slot);
  end_changes(world, c.body);
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
  end_holds(world, c.body);
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

// Applies a command that only an admin or the server may give.
template <class Payload>
Verdict apply_as_admin(MutableWorld& world, const Client& client, const Payload& c,
                       Verdict (*apply_it)(MutableWorld&, const Payload&)) {
  return client.role == Role::admin ? apply_it(world, c) : Verdict::role;
}

Verdict apply(MutableWorld& world, Client& client, const command::SetVelocity& c) {
  return apply_as_admin(world, client, c, set_velocity);
}
Verdict apply(MutableWorld& world, Client& client, const command::MoveTo& c) {
  return apply_as_admin(world, client, c, move_to);
}
Verdict apply(MutableWorld& world, Client& client, const command::Place& c) {
  return apply_as_admin(world, client, c, place);
}
Verdict apply(MutableWorld& world, Client& client, const command::SetFilter& c) {
  return apply_as_admin(world, client, c, set_filter);
}
Verdict apply(MutableWorld& world, Client& client, const command::SetGravityScale& c) {
  return apply_as_admin(world, client, c, set_gravity_scale);
}

Verdict apply(MutableWorld& world, Client& client, const command::SetValue& c) {
  return apply_as_admin(world, client, c, set_value);
}
Verdict apply(MutableWorld& world, Client& client, const command::Tell& c) {
  return apply_as_admin(world, client, c, tell);
}
Verdict apply(MutableWorld& world, Client& client, const command::Kick& c) {
  return apply_as_admin(world, client, c, kick);
}
Verdict apply(MutableWorld& world, Client& client, const command::Ban& c) {
  return apply_as_admin(world, client, c, ban);
}
Verdict apply(MutableWorld&, Client& client, const command::Message&) {
  return client.role == Role::watch ? Verdict::role : Verdict::applied;
}

// Returns why the client may not drive the joint, or `applied` if it may.
Verdict right_to_drive(const World& world, const Client& client, std::uint32_t joint) {
  if (client.role == Role::watch) return Verdict::role;
  if (client.role == Role::admin || may_drive(world, client, joint)) return Verdict::applied;
  return joint < world.scene().joints.size() ? Verdict::not_yours : Verdict::no_joint;
}

Verdict apply(MutableWorld& world, Client& client, const command::SetMotor& c) {
  const Verdict right = right_to_drive(world, client, c.joint);
  return right == Verdict::applied ? set_motor(world, c) : right;
}
Verdict apply(MutableWorld& world, Client& client, const command::SetTarget& c) {
  const Verdict right = right_to_drive(world, client, c.joint);
  return right == Verdict::applied ? set_target(world, c) : right;
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

// Commands with an effect that a client holds until it ends it or leaves. The server never leaves,
// so it gives none.
template <class Payload>
constexpr bool kHeld =
    std::is_same_v<Payload, command::Thrust> || std::is_same_v<Payload, command::Torque> ||
    std::is_same_v<Payload, command::Grab> || std::is_same_v<Payload, command::Move> ||
    std::is_same_v<Payload, command::Release>;

// Applies a command of the server, which has the rights of an admin.
template <class Payload>
Verdict apply_of_server(MutableWorld& world, const Payload& c, LeftClients& departed) {
  if constexpr (std::is_same_v<Payload, command::Join>) {
    return join(world, c);
  } else if constexpr (std::is_same_v<Payload, command::Leave>) {
    return leave(world, c, departed);
  } else if constexpr (std::is_same_v<Payload, command::Disown>) {
    return disown(world, c.account) ? Verdict::applied : Verdict::unchanged;
  } else if constexpr (kHeld<Payload>) {
    return Verdict::role;
  } else {
    Client server{.id = kServer, .role = Role::admin};
    return apply(world, server, c);
  }
}

// Accepts joins, leaves and disowns from the server only, and the commands of a client only after
// it has joined.
Verdict apply_command(MutableWorld& world, const Command& c, LeftClients& departed) {
  Client* const client = find_client(world.controls, c.client);
  if (c.client != kServer && !client) return Verdict::not_joined;
  return std::visit(
      [&](const auto& payload) {
        using Payload = std::decay_t<decltype(payload)>;
        if (c.client == kServer) return apply_of_server(world, payload, departed);
        if constexpr (kFromServer<Payload>) {
          return Verdict::role;
        } else {
          return apply(world, *client, payload);
        }
      },
      c.payload);
}

bool changes_no_state(const Command& c) {
  return std::holds_alternative<command::Message>(c.payload) ||
         std::holds_alternative<command::Tell>(c.payload) ||
         std::holds_alternative<command::Kick>(c.payload) ||
         std::holds_alternative<command::Ban>(c.payload);
}

bool changes_population(const Command& c) {
  return std::holds_alternative<command::Spawn>(c.payload) ||
         std::holds_alternative<command::Remove>(c.payload);
}

}  // namespace

void apply_commands(MutableWorld& world, std::span<const Command> commands,
                    std::vector<RefusedCommand>* refused) {
  ORRERY_ASSERT(commands.size() <= limits::kCommandsPerTickMax);
  world.applied.clear();
  if (refused) refused->clear();
  LeftClients departed;
  for (const Command& c : commands) {
    // Leaves come first. A client that joins with the id of one that left owns none of its bodies.
    const bool leaves = c.client == kServer && std::holds_alternative<command::Leave>(c.payload);
    if (!leaves) return_bodies(world, departed);
    const Verdict verdict = apply_command(world, c, departed);
    if (refused && is_refusal(verdict)) refused->push_back({c.client, c.sequence, verdict});
    if (verdict == Verdict::applied) world.applied.push_back(c);
  }
  return_bodies(world, departed);
  ORRERY_ASSERT(world.applied.size() <= commands.size());
  if (std::all_of(world.applied.begin(), world.applied.end(), changes_no_state)) return;
  if (std::any_of(world.applied.begin(), world.applied.end(), changes_population)) {
    wake_bodies_that_lost_springs(world);
    rebuild_population(world);
  }
  rebuild_commanded(world);
  world.controls_hash = hash_controls(world);
}

}  // namespace orrery
