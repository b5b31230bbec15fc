// Writes and reads the controls of a world.
#include "common/world/image/controls_image.h"

#include "common/core/limits.h"
#include "common/math/range.h"
#include "common/world/image/held_image.h"

namespace orrery {
namespace {

// Added to the role of a client with an account. The account follows the role.
constexpr std::uint8_t kHasAccount = 4;

// Written in place of an owner of more than 32 bits, or if the control differs from the
// prototype's. Owner and control follow.
constexpr std::uint32_t kOwnerAndControl = 0xFFFFFFFF;

bool is_client(ClientId id) { return id.value >= 1 && id.value <= limits::kClientsMax; }

bool read_clients(ByteReader& r, Controls& controls) {
  ORRERY_ASSERT(controls.clients.empty());
  const std::uint32_t count = r.u32();
  if (count > limits::kClientsMax) return false;
  for (std::uint32_t i = 0; i < count && r.ok(); ++i) {
    Client c;
    c.id.value = r.u32();
    std::uint8_t role = r.u8();
    if ((role & kHasAccount) != 0) {
      role ^= kHasAccount;
      c.account = r.u64();
      if (c.account == 0) return false;
    }
    const std::uint8_t grabbing = r.u8();
    c.grabbed.value = r.u32();
    c.grab_at = get_vec3f(r);
    c.grab_target = get_vec3f(r);
    const bool ascending = controls.clients.empty() || controls.clients.back().id < c.id;
    if (!ascending || !is_client(c.id) || role > 2 || grabbing > 1 ||
        !within(c.grab_at, limits::kLengthMax) || !within(c.grab_target, limits::kLengthMax)) {
      return false;
    }
    c.role = static_cast<Role>(role);
    c.grabbing = grabbing == 1;
    controls.clients.push_back(c);
  }
  return r.ok();
}

// Returns true if the slot holds the body that the scene put there, with the control and owner of
// the scene.
bool is_as_in_scene(const Scene& scene, const Controls& c, std::uint32_t slot) {
  if (slot >= scene.bodies.size() || c.generations[slot] != 0) return false;
  if (!c.reassigned) return true;
  const BodyDef& def = scene.bodies[slot];
  return c.control[slot] == def.control && c.owners[slot] == def.owner;
}

// Reads the owner of a slot, and its control if it differs from the prototype's. Returns false
// unless they have their shortest encoding.
bool read_owner(ByteReader& r, const Scene& scene, std::uint32_t slot, Controls& c) {
  const Control usual = scene.bodies[c.prototypes[slot]].control;
  c.control[slot] = usual;
  c.owners[slot] = r.u32();
  if (c.owners[slot] != kOwnerAndControl) return true;
  c.owners[slot] = r.u64();
  const std::uint8_t control = r.u8();
  c.control[slot] = static_cast<Control>(control);
  return control <= static_cast<std::uint8_t>(Control::owner) &&
         (c.control[slot] != usual || c.owners[slot] >= kOwnerAndControl);
}

// Reads the list of slots that are not as in the scene. A state has only one valid encoding, so
// returns false unless the list ascends and has every slot after the scene's bodies. No later body
// in the slot of a scene body gets generation 0, so generation 0 there means the scene's own body.
bool read_changed_slots(ByteReader& r, const Scene& scene, std::uint32_t slots, Controls& c) {
  const auto scene_bodies = static_cast<std::uint32_t>(scene.bodies.size());
  ORRERY_ASSERT(slots >= scene_bodies && slots <= c.generations.size());
  const std::uint32_t listed = r.u32();
  if (!r.ok() || listed > slots) return false;
  std::uint32_t lowest = 0;     // lowest slot that may come next
  std::uint32_t changed = 0;    // number of slots of scene bodies in the list
  std::uint32_t originals = 0;  // of these, slots that hold the scene's own body
  c.reassigned = true;
  for (std::uint32_t i = 0; i < listed; ++i) {
    const std::uint32_t slot = r.u32();
    const std::uint16_t generation = r.u16();
    const std::uint32_t prototype = r.u32();
    if (!r.ok() || slot < lowest || slot >= slots || prototype >= scene_bodies ||
        generation >= limits::kGenerationsMax) {
      return false;
    }
    lowest = slot + 1;
    changed += slot < scene_bodies;
    c.generations[slot] = generation;
    c.prototypes[slot] = prototype;
    if (slot < scene_bodies && generation == 0 && prototype != slot) return false;
    if (!read_owner(r, scene, slot, c) || is_as_in_scene(scene, c, slot)) return false;
    originals += slot < scene_bodies && generation == 0;
  }
  c.reassigned = originals > 0;
  return r.ok() && listed == changed + (slots - scene_bodies);
}

bool read_slots(ByteReader& r, const World& world, std::uint32_t slots, Controls& c,
                std::vector<std::uint64_t>& alive) {
  const std::uint32_t tiles = tiles_for(slots);
  for (std::uint32_t i = 0; i < tiles && r.ok(); ++i) alive.push_back(r.u64());
  const auto scene_bodies = static_cast<std::uint32_t>(world.scene().bodies.size());
  c.generations.assign(world.bodies().capacity(), 0);
  c.prototypes.assign(world.bodies().capacity(), 0);
  c.control.assign(world.bodies().capacity(), control_of_free_slots(world.scene()));
  c.owners.assign(world.bodies().capacity(), 0);
  for (std::uint32_t i = 0; i < scene_bodies; ++i) {
    c.prototypes[i] = i;
    c.control[i] = world.scene().bodies[i].control;
    c.owners[i] = world.scene().bodies[i].owner;
  }
  return read_changed_slots(r, world.scene(), slots, c);
}

// These limits ensure that the controls of an image fit the types that hold them.
static_assert(static_cast<std::uint8_t>(Role::admin) == 2);  // the limit in read_clients()
static_assert(limits::kGenerationsMax <= 0x10000);

// Writes the slots that are not as in the scene.
void encode_slots(const World& world, ByteWriter& w) {
  const Scene& scene = world.scene();
  const Controls& c = world.controls();
  const std::uint32_t slots = world.bodies().slots();
  ORRERY_ASSERT(slots <= c.generations.size() && slots <= c.owners.size());
  std::uint32_t changed = 0;
  for (std::uint32_t s = 0; s < slots; ++s) changed += !is_as_in_scene(scene, c, s);
  w.u32(changed);
  for (std::uint32_t s = 0; s < slots && changed > 0; ++s) {
    if (is_as_in_scene(scene, c, s)) continue;
    --changed;
    w.u32(s);
    w.u16(c.generations[s]);
    w.u32(c.prototypes[s]);
    const bool usual = c.control[s] == scene.bodies[c.prototypes[s]].control;
    if (usual && c.owners[s] < kOwnerAndControl) {
      w.u32(static_cast<std::uint32_t>(c.owners[s]));
    } else {
      w.u32(kOwnerAndControl);
      w.u64(c.owners[s]);
      w.u8(static_cast<std::uint8_t>(c.control[s]));
    }
  }
}

}  // namespace

void take_owners(Controls& to, Controls& from) {
  ORRERY_ASSERT(from.control.size() == from.owners.size());
  to.control = std::move(from.control);
  to.owners = std::move(from.owners);
  to.reassigned = from.reassigned;
}

void encode_controls(const World& world, std::vector<std::uint8_t>& out) {
  ByteWriter w(out);
  const Controls& c = world.controls();
  w.f64(c.gravity.x);
  w.f64(c.gravity.y);
  w.f64(c.gravity.z);
  w.f64(c.gravitational_constant);
  w.u32(static_cast<std::uint32_t>(c.clients.size()));
  for (const Client& client : c.clients) {
    w.u32(client.id.value);
    const bool named = client.account != 0;
    w.u8(static_cast<std::uint8_t>(static_cast<int>(client.role) | (named ? kHasAccount : 0)));
    if (named) w.u64(client.account);
    w.u8(client.grabbing ? 1 : 0);
    w.u32(client.grabbed.value);
    put_vec3f(w, client.grab_at);
    put_vec3f(w, client.grab_target);
  }
  encode_held(c, w);
  for (std::uint32_t i = 0; i < world.bodies().tiles(); ++i) w.u64(world.bodies().alive_mask(i));
  encode_slots(world, w);
}

bool decode_controls(ByteReader& r, const World& world, Tick tick, std::uint32_t slots, Controls& c,
                     std::vector<std::uint64_t>& alive) {
  ORRERY_ASSERT(slots >= world.scene().bodies.size() && slots <= world.bodies().capacity());
  ORRERY_ASSERT(c.clients.empty() && c.thrusts.empty() && alive.empty());
  c.gravity.x = r.f64();
  c.gravity.y = r.f64();
  c.gravity.z = r.f64();
  c.gravitational_constant = r.f64();
  const bool bounded = within(c.gravity, limits::kAccelerationMax) &&
                       within(c.gravitational_constant, 0, limits::kCoefficientMax);
  return bounded && read_clients(r, c) && decode_held(r, world.scene(), tick, c) &&
         read_slots(r, world, slots, c, alive);
}

}  // namespace orrery
