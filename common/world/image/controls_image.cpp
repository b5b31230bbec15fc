// Writes and reads the controls of a world.
#include "common/world/image/controls_image.h"

#include "common/core/limits.h"
#include "common/math/range.h"

namespace orrery {
namespace {

void put(ByteWriter& w, const Vec3f& v) {
  w.f32(v.x);
  w.f32(v.y);
  w.f32(v.z);
}

bool is_client(ClientId id) { return id.value >= 1 && id.value <= limits::kClientsMax; }

Vec3f get_vec3f(ByteReader& r) {
  const float x = r.f32();
  const float y = r.f32();
  const float z = r.f32();
  return {x, y, z};
}

bool read_clients(ByteReader& r, Controls& controls) {
  ORRERY_ASSERT(controls.clients.empty());
  const std::uint32_t count = r.u32();
  if (count > limits::kClientsMax) return false;
  for (std::uint32_t i = 0; i < count && r.ok(); ++i) {
    Client c;
    c.id.value = r.u32();
    const std::uint8_t role = r.u8();
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

bool read_thrusts(ByteReader& r, Controls& controls) {
  ORRERY_ASSERT(controls.thrusts.empty());
  const std::uint32_t count = r.u32();
  if (count > limits::kThrustsMax) return false;
  for (std::uint32_t i = 0; i < count && r.ok(); ++i) {
    HeldThrust t;
    t.body.value = r.u32();
    t.client.value = r.u32();
    t.force = get_vec3f(r);
    t.torque = get_vec3f(r);
    const bool ascending =
        controls.thrusts.empty() || slot_of(controls.thrusts.back().body) < slot_of(t.body);
    if (!ascending || !find_client(controls, t.client) || !within(t.force, limits::kForceMax) ||
        !within(t.torque, limits::kForceMax)) {
      return false;
    }
    controls.thrusts.push_back(t);
  }
  return r.ok();
}

// Reads the list of slots that do not hold the scene's original body. A state has only one valid
// encoding, so returns false unless the list ascends and has every slot after the scene's bodies. A
// slot of a scene body may be listed only if its generation is not 0, because no later body in such
// a slot gets generation 0.
bool read_reused_slots(ByteReader& r, std::uint32_t scene_bodies, std::uint32_t slots,
                       Controls& c) {
  ORRERY_ASSERT(slots >= scene_bodies && slots <= c.generations.size());
  const std::uint32_t listed = r.u32();
  if (!r.ok() || listed > slots) return false;
  std::uint32_t lowest = 0;  // lowest slot that may come next
  std::uint32_t reused = 0;  // number of slots of scene bodies in the list
  for (std::uint32_t i = 0; i < listed; ++i) {
    const std::uint32_t slot = r.u32();
    const std::uint16_t generation = r.u16();
    const std::uint32_t prototype = r.u32();
    const std::uint32_t owner = r.u32();
    if (!r.ok() || slot < lowest || slot >= slots || prototype >= scene_bodies ||
        generation >= limits::kGenerationsMax || owner > limits::kClientsMax ||
        (slot < scene_bodies && generation == 0)) {
      return false;
    }
    lowest = slot + 1;
    reused += slot < scene_bodies;
    c.generations[slot] = generation;
    c.prototypes[slot] = prototype;
    c.owners[slot] = owner;
  }
  return listed == reused + (slots - scene_bodies);
}

bool read_slots(ByteReader& r, const World& world, std::uint32_t slots, Controls& c,
                std::vector<std::uint64_t>& alive) {
  const std::uint32_t tiles = tiles_for(slots);
  for (std::uint32_t i = 0; i < tiles && r.ok(); ++i) alive.push_back(r.u64());
  const auto scene_bodies = static_cast<std::uint32_t>(world.scene().bodies.size());
  c.generations.assign(world.bodies().capacity(), 0);
  c.prototypes.assign(world.bodies().capacity(), 0);
  c.owners.assign(world.bodies().capacity(), 0);
  for (std::uint32_t i = 0; i < scene_bodies; ++i) {
    c.prototypes[i] = i;
    c.owners[i] = world.scene().bodies[i].owner;
  }
  return read_reused_slots(r, scene_bodies, slots, c);
}

// These limits ensure that the controls of an image fit the types that hold them.
static_assert(static_cast<std::uint8_t>(Role::admin) == 2);  // the limit in read_clients()
static_assert(limits::kGenerationsMax <= 0x10000);

// Writes the slots that do not hold the body that the scene put there.
void encode_slots(const World& world, ByteWriter& w) {
  const Controls& c = world.controls();
  const auto scene_bodies = static_cast<std::uint32_t>(world.scene().bodies.size());
  const std::uint32_t slots = world.bodies().slots();
  ORRERY_ASSERT(slots <= c.generations.size() && slots <= c.owners.size());
  const std::uint32_t originals = std::min(scene_bodies, slots);
  const auto unchanged = static_cast<std::uint32_t>(
      std::count(c.generations.begin(), c.generations.begin() + originals, 0));
  w.u32(slots - unchanged);
  if (slots == unchanged) return;
  for (std::uint32_t s = 0; s < slots; ++s) {
    if (s < scene_bodies && c.generations[s] == 0) continue;
    w.u32(s);
    w.u16(c.generations[s]);
    w.u32(c.prototypes[s]);
    w.u32(c.owners[s]);
  }
}

}  // namespace

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
    w.u8(static_cast<std::uint8_t>(client.role));
    w.u8(client.grabbing ? 1 : 0);
    w.u32(client.grabbed.value);
    put(w, client.grab_at);
    put(w, client.grab_target);
  }
  w.u32(static_cast<std::uint32_t>(c.thrusts.size()));
  for (const HeldThrust& t : c.thrusts) {
    w.u32(t.body.value);
    w.u32(t.client.value);
    put(w, t.force);
    put(w, t.torque);
  }
  for (std::uint32_t i = 0; i < world.bodies().tiles(); ++i) w.u64(world.bodies().alive_mask(i));
  encode_slots(world, w);
}

bool decode_controls(ByteReader& r, const World& world, std::uint32_t slots, Controls& c,
                     std::vector<std::uint64_t>& alive) {
  ORRERY_ASSERT(slots >= world.scene().bodies.size() && slots <= world.bodies().capacity());
  ORRERY_ASSERT(c.clients.empty() && c.thrusts.empty() && alive.empty());
  c.gravity.x = r.f64();
  c.gravity.y = r.f64();
  c.gravity.z = r.f64();
  c.gravitational_constant = r.f64();
  const bool bounded = within(c.gravity, limits::kAccelerationMax) &&
                       within(c.gravitational_constant, 0, limits::kCoefficientMax);
  return bounded && read_clients(r, c) && read_thrusts(r, c) &&
         read_slots(r, world, slots, c, alive);
}

}  // namespace orrery
