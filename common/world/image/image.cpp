// Writes the image (schema/image.md 1 and 7 have the layout), and checks images from untrusted
// sources before it restores them.
#include "common/world/image/image.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/core/hash.h"
#include "common/core/versions.h"
#include "common/world/commands/body_changes.h"
#include "common/world/commands/drives.h"
#include "common/world/image/contact_image.h"
#include "common/world/image/controls_image.h"
#include "common/world/image/image_words.h"
#include "common/world/image/joint_image.h"
#include "common/world/image/sleep_image.h"
#include "common/world/image/state_hash.h"
#include "common/world/world_forces.h"

namespace orrery {
namespace {

constexpr std::uint32_t kMagic = 0x4D49524F;  // "ORIM"
constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kOrientation = static_cast<std::size_t>(physics::BodyField::orientation_x);

// Exponents that bound the numbers of a state: 2^200 is about 1e60. Forces on bodies within this
// bound stay finite. No session reaches it: even the strongest gravity adds a speed of only 1e21
// per tick, so a body would need about 1e16 ticks to get there. Impulses of contacts need the lower
// bound of 2^130, about 1e39, to stay finite.
constexpr std::uint64_t kExponentMax = 200;
constexpr std::uint64_t kSolvedExponentMax = 130;

// A decoded image. No caller may trust its numbers before sound() has checked them.
struct Parsed {
  std::uint32_t version = 0;
  Tick tick;
  std::uint32_t slots = 0;
  Controls controls;
  std::vector<std::uint64_t> alive;
  Bytes words;                               // kStateFields arrays of `slots` numbers
  std::vector<physics::ContactBody> bodies;  // of every slot; empty if the scene is not solved
  Bytes contacts;                            // if the scene is solved
  JointState joints;
  SleepState sleep;  // if the scene has sleeping
};

std::uint32_t version_of(const World& world) {
  return world.collision() ? kContactsImageVersion : kImageVersion;
}

// Returns false for NaN, because every comparison with NaN is false.
bool within(double value, double limit) { return value >= -limit && value <= limit; }

bool alive_in(const Parsed& p, std::uint32_t slot) { return has_slot(p.alive, slot); }

bool contains(const Parsed& p, BodyId id) {
  const std::uint32_t slot = slot_of(id);
  return slot < p.slots && alive_in(p, slot) && p.controls.generations[slot] == generation_of(id);
}

bool unit_orientation(const Parsed& p, std::uint32_t slot) {
  double norm = 0;
  for (std::size_t f = kOrientation; f < physics::kStateFields; ++f) {
    const double q = read_word(p.words, f * p.slots + slot);
    norm += q * q;
  }
  return within(norm - 1, 1e-9);
}

// Checks the angular momentum. Free rotation conserves its length, so no component can exceed the
// momentum of the fastest spin about the axis of greatest inertia. The fastest spin is sqrt(3)
// kAngularSpeedMax, because that limit applies to each component. The check allows twice that
// momentum, to leave room for rounding.
bool sound_momentum(const Parsed& p, std::uint32_t slot, const BodyDef& def) {
  constexpr std::size_t kMomentum =
      static_cast<std::size_t>(physics::BodyField::angular_momentum_x);
  const Vec3 i = momentum_inertia(def);
  const double most = 2 * square_root(3) * limits::kAngularSpeedMax * std::max({i.x, i.y, i.z});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!within(read_word(p.words, (kMomentum + axis) * p.slots + slot), most)) return false;
  }
  return true;
}

// Checks the velocity. An anchor has velocity 0. In a solved scene, each component of any other
// body is within kSpeedMax, because the solver limits it. In other scenes any velocity is valid.
bool sound_velocity(const Parsed& p, std::uint32_t slot, const BodyDef& def, bool solved) {
  constexpr std::size_t kVelocity = static_cast<std::size_t>(physics::BodyField::velocity_x);
  if (def.kind != BodyKind::anchor && !solved) return true;
  const double most = def.kind == BodyKind::anchor ? 0 : limits::kSpeedMax;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!within(read_word(p.words, (kVelocity + axis) * p.slots + slot), most)) return false;
  }
  return true;
}

// Checks an empty slot. It was occupied once, so its generation is not 0. All its numbers but
// orientation.w must be zero, because a body placed there later relies on that.
bool sound_empty_slot(const Parsed& p, std::uint32_t slot) {
  for (std::size_t f = 0; f < physics::kStateFields - 1; ++f) {
    if (read_word(p.words, f * p.slots + slot) != 0) return false;
  }
  return p.controls.generations[slot] != 0;
}

// Returns true if all numbers are in range, orientations have unit length, empty slots are sound,
// grabs and thrusts name bodies that exist, and `alive` has no bit beyond the last slot.
bool sound(const Parsed& p, const World& world) {
  ORRERY_ASSERT(p.alive.size() * 64 >= p.slots);
  const bool solved = world.collision().has_value();
  const std::uint64_t reach = solved ? kSolvedExponentMax : kExponentMax;
  if (!all_within_reach(p.words.first(kOrientation * p.slots * sizeof(double)), reach))
    return false;
  for (std::uint32_t slot = 0; slot < p.slots; ++slot) {
    const BodyDef& def = world.scene().bodies[p.controls.prototypes[slot]];
    if (!unit_orientation(p, slot)) return false;
    const bool sound_slot =
        alive_in(p, slot) ? sound_momentum(p, slot, def) && sound_velocity(p, slot, def, solved)
                          : sound_empty_slot(p, slot);
    if (!sound_slot) return false;
  }
  for (const Client& c : p.controls.clients) {
    if (c.grabbing && !contains(p, c.grabbed)) return false;
  }
  for (const HeldThrust& t : p.controls.thrusts) {
    if (!contains(p, t.body)) return false;
  }
  const auto moves = [&](const Way& way) {
    if (!contains(p, way.body)) return false;
    const std::uint32_t prototype = p.controls.prototypes[slot_of(way.body)];
    return world.scene().bodies[prototype].kind == BodyKind::kinematic;
  };
  if (!std::all_of(p.controls.ways.begin(), p.controls.ways.end(), moves)) return false;
  const auto changes = [&](const BodyChange& change) {
    if (!contains(p, change.body)) return false;
    return can_have(world.scene().bodies[p.controls.prototypes[slot_of(change.body)]], change);
  };
  if (!std::all_of(p.controls.changes.begin(), p.controls.changes.end(), changes)) return false;
  const std::uint32_t tail = p.slots % limits::kTileBodies;
  return tail == 0 || p.alive.back() >> tail == 0;
}

// Sets the constants of each body of the image. Skips bodies that the world already has.
void place_all_constants(MutableWorld& world, const Parsed& p) {
  ORRERY_ASSERT(p.slots <= world.bodies.capacity());
  for (std::uint32_t slot = 0; slot < p.slots; ++slot) {
    const std::uint32_t prototype = p.controls.prototypes[slot];
    const bool there = world.bodies.alive(slot) && world.controls.prototypes[slot] == prototype;
    if (alive_in(p, slot) && !there) set_body_constants(world, slot, prototype);
  }
}

// Returns the properties on which the contacts of a body depend.
physics::ContactBody contact_body(const BodyDef& def) {
  const Vec3& i = def.inertia;
  const bool evenly = def.kind != BodyKind::rigid || (1 / i.x == 1 / i.y && 1 / i.x == 1 / i.z);
  return {def.shape, is_dynamic(def.kind), evenly, def.kind == BodyKind::kinematic};
}

void set_contact_bodies(const World& world, Parsed& p) {
  std::vector<physics::ContactBody> alike(world.scene().bodies.size());
  std::transform(world.scene().bodies.begin(), world.scene().bodies.end(), alike.begin(),
                 contact_body);
  p.bodies.resize(p.slots);
  for (std::uint32_t slot = 0; slot < p.slots; ++slot) {
    if (alive_in(p, slot)) p.bodies[slot] = alike[p.controls.prototypes[slot]];
  }
}

// Reads and checks the contacts. Their bodies and parts must exist. Movable ones sleep together.
bool read_contacts(ByteReader& r, const World& world, Parsed& p) {
  ORRERY_ASSERT(world.collision() && p.bodies.size() == p.slots);
  const std::size_t begin = r.offset();
  ContactReader contacts(r);
  const std::vector<physics::OtherFilter> others = other_filters(p.controls);
  physics::ContactCheck check(p.bodies, world.collision()->shapes, world.bodies().capacity(),
                              others);
  while (const physics::ContactRecord* const record = contacts.next()) {
    if (!check.next(*record)) return false;
    if (world.scene().sleeping &&
        physics::Sleeping::parts(p.bodies, p.sleep.islands, record->key)) {
      return false;
    }
  }
  p.contacts = r.since(begin);
  return contacts.ok();
}

bool at_rest(const Parsed& p, std::uint32_t slot) {
  for (auto f = static_cast<std::size_t>(physics::BodyField::velocity_x); f < kOrientation; ++f) {
    if (read_bits(p.words, f * p.slots + slot) != 0) return false;  // not even -0 is allowed
  }
  return true;
}

// Reads and checks sleep. A sleeping body must be at rest, its island must exist, and no client may
// hold a grab or thrust on it. Scenes with sleeping have no mutual gravity.
Status read_sleep(Bytes bytes, const World& world, Parsed& p) {
  ORRERY_ASSERT(world.scene().sleeping && world.collision());
  ByteReader r(bytes);
  if (!decode_sleep(r, p.slots, world.tick_time(), p.sleep)) return Error{"it is cut"};
  if (p.controls.gravitational_constant != 0) return Error{"bodies that may sleep attract others"};
  const auto asleep = [&](BodyId id) {
    return p.sleep.islands[slot_of(id)] != physics::Sleeping::kAwake;
  };
  const auto pulls = [&](const Client& c) { return c.grabbing && asleep(c.grabbed); };
  const auto pushes = [&](const HeldThrust& t) { return asleep(t.body); };
  if (std::any_of(p.controls.clients.begin(), p.controls.clients.end(), pulls) ||
      std::any_of(p.controls.thrusts.begin(), p.controls.thrusts.end(), pushes)) {
    return Error{"a body sleeps that a client pulls at"};
  }
  for (std::uint32_t slot = 0; slot < p.slots; ++slot) {
    if (p.sleep.islands[slot] != physics::Sleeping::kAwake && !at_rest(p, slot)) {
      return Error{"a body sleeps that is not at rest"};
    }
  }
  return physics::Sleeping::check(p.bodies, world.tick_time(), p.sleep.still_ticks,
                                  p.sleep.islands);
}

bool is_asleep(const Collision& c, physics::ContactKey contact) {
  return c.sleeping &&
         (c.sleeping->asleep(contact.slot_a()) || c.sleeping->asleep(contact.slot_b()));
}

void restore_collision(MutableWorld& world, Parsed& p) {
  ORRERY_ASSERT(world.collision);
  Collision& c = *world.collision;
  ORRERY_ASSERT(p.bodies.size() <= c.shape_of.size());
  std::fill(c.shape_of.begin(), c.shape_of.end(), physics::kNoShape);
  for (std::size_t slot = 0; slot < p.bodies.size(); ++slot) {
    c.shape_of[slot] = p.bodies[slot].shape;
  }
  redo_filters(world);
  c.broad_phase.bodies_changed();
  if (c.sleeping) c.sleeping->restore(world.bodies, p.sleep.still_ticks, p.sleep.islands);
  ByteReader r(p.contacts);
  ContactReader contacts(r);
  // Returns the next contact of awake bodies. Contacts of sleeping bodies go to Sleeping instead of
  // the solver's contact set.
  const auto next = [&]() -> const physics::ContactRecord* {
    while (const physics::ContactRecord* const record = contacts.next()) {
      if (!is_asleep(c, record->key)) return record;
      c.sleeping->restore_contact(*record);
    }
    return nullptr;
  };
  c.solver.contacts().restore_each(next, p.bodies, c.shapes);
  set_joint_drives(world);
  c.solver.restore_joints(p.joints.numbers, p.joints.flags);
}

// Reads contacts, joints and sleep. Reads sleep first, although it comes last in the image, because
// it decides which contacts are possible. Sleep has one word per slot, so its place is known.
Status read_collision(Bytes rest, const World& world, Parsed& p) {
  ORRERY_ASSERT(world.collision());
  set_contact_bodies(world, p);
  if (world.scene().sleeping) {
    const std::size_t size = std::min(rest.size(), p.slots * sizeof(std::uint32_t));
    if (const Status sleep = read_sleep(rest.last(size), world, p); !sleep) return sleep;
    rest = rest.first(rest.size() - size);
  }
  ByteReader r(rest);
  if (!read_contacts(r, world, p) ||
      !read_joints(r, world, p.controls, p.alive, HingeAngles{p.version == kContactsImageVersion},
                   p.joints) ||
      !r.at_end()) {
    return Error{"contacts or joints that cannot be"};
  }
  return ok_status();
}

Result<Parsed> parse(const World& world, Bytes image) {
  if (image.size() < kChecksumBytes) return Error{"not an image: too short"};
  const Bytes body = image.first(image.size() - kChecksumBytes);
  ByteReader r(body);
  if (r.u32() != kMagic) return Error{"not an image"};
  Parsed p;
  p.version = r.u32();
  const bool is_old = world.collision() && p.version == kOldContactsImageVersion;
  if (p.version != version_of(world) && !is_old) {
    return Error{"an image of another version; of this scene this build reads version " +
                 std::to_string(version_of(world))};
  }
  if (ByteReader(image.last(kChecksumBytes)).u64() != checksum(body)) {
    return Error{"damaged image: its checksum differs"};
  }
  p.tick.value = r.u64();
  p.slots = r.u32();
  if (p.slots > world.bodies().capacity() || p.slots < world.scene().bodies.size() ||
      !decode_controls(r, world, p.tick, p.slots, p.controls, p.alive)) {
    return Error{"an image of another scene, or damaged"};
  }
  p.words = r.bytes(std::size_t{p.slots} * physics::kStateFields * sizeof(double));
  const std::string damaged = "damaged image: impossible state";
  if (!r.ok() || !sound(p, world)) return Error{damaged};
  if (!world.collision()) return r.at_end() ? Result<Parsed>(std::move(p)) : Error{damaged};
  const Status collision = read_collision(r.rest(), world, p);
  if (!collision) return collision.error().after(damaged + ": ");
  return p;
}

// Replaces the state by the state in a checked image.
void replace_state(MutableWorld& world, Parsed& p) {
  ORRERY_ASSERT(p.slots >= world.scene.bodies.size() && p.slots <= world.bodies.capacity());
  ORRERY_ASSERT(p.words.size() == std::size_t{p.slots} * physics::kStateFields * sizeof(double));
  // Gives sleeping bodies, which have an inverse mass of 0, their mass back.
  if (world.scene.sleeping) world.collision->sleeping->wake_all(world.bodies);
  undo_changes(world);
  world.tick = p.tick;
  world.controls.clients.assign(p.controls.clients.begin(), p.controls.clients.end());
  world.controls.thrusts.assign(p.controls.thrusts.begin(), p.controls.thrusts.end());
  world.controls.ways = std::move(p.controls.ways);
  world.controls.drives = std::move(p.controls.drives);
  world.controls.values = std::move(p.controls.values);
  world.controls.changes = std::move(p.controls.changes);
  world.controls.gravity = p.controls.gravity;
  world.controls.gravitational_constant = p.controls.gravitational_constant;
  world.controls.generations = std::move(p.controls.generations);
  take_owners(world.controls, p.controls);
  place_all_constants(world, p);
  world.bodies.set_occupation(p.slots, p.alive);
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const std::size_t bytes = std::size_t{p.slots} * sizeof(double);
    copy_words(p.words.subspan(f * bytes, bytes),
               world.bodies.field(static_cast<physics::BodyField>(f)));
  }
  world.controls.prototypes = std::move(p.controls.prototypes);
  redo_gravity_scales(world);
  if (world.collision) restore_collision(world, p);
  rebuild_forces(world);
  world.applied.clear();
  world.events = {};
  world.controls_hash = hash_controls(world);
  SerialExecutor serial;
  const std::uint64_t sum =
      sum_of_body_hashes(world.bodies, serial) + hash_collision(world, serial);
  world.hash = combined_hash(sum, world.controls_hash);
}

void encode_collision(const Collision& c, std::uint32_t slots, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(slots <= c.shape_of.size());
  const physics::Sleeping* const sleeping = c.sleeping ? &*c.sleeping : nullptr;
  encode_contacts(c.solver.contacts(),
                  sleeping ? sleeping->contacts() : std::span<const physics::ContactRecord>{}, out);
  encode_joints(c.solver.joints(), out);
  if (sleeping) encode_sleep(*sleeping, slots, out);
}

}  // namespace

bool begins_as_image(Bytes bytes) { return ByteReader(bytes).u32() == kMagic; }

void save_image(const World& world, std::vector<std::uint8_t>& out) {
  out.clear();
  ByteWriter w(out);
  ORRERY_ASSERT(world.controls().generations.size() == world.bodies().capacity());
  w.u32(kMagic);
  w.u32(version_of(world));
  w.u64(world.tick().value);
  w.u32(world.bodies().slots());
  encode_controls(world, out);
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    append_words(out, world.bodies().field(static_cast<physics::BodyField>(f)),
                 world.bodies().slots());
  }
  if (world.collision()) encode_collision(*world.collision(), world.bodies().slots(), out);
  w.u64(checksum(out));
}

Status restore_image(World& world, Bytes image) {
  Result<Parsed> parsed = parse(world, image);
  if (!parsed) return parsed.error();
  MutableWorld state(world);
  replace_state(state, parsed.value());
  return ok_status();
}

Status restore_image_of_other_rules(World& world, Bytes image, std::uint64_t hash) {
  if (const Status restored = restore_image(world, image); !restored) return restored;
  MutableWorld(world).hash = hash;
  return ok_status();
}

}  // namespace orrery
