// Puts islands to sleep and wakes them.
#include "common/physics/rest/sleeping.h"

#include <algorithm>
#include <iterator>

#include "common/core/hash.h"

namespace orrery::physics {
namespace {

constexpr BodyField kConstants[5] = {BodyField::inverse_mass, BodyField::inverse_inertia_x,
                                     BodyField::inverse_inertia_y, BodyField::inverse_inertia_z,
                                     BodyField::gravity_scale};

// Returns true for a body that moves freely: neither fixed, kinematic nor asleep.
bool moves(const Bodies& bodies, std::uint32_t slot) {
  return bodies.alive(slot) && bodies.inverse_mass(slot) != 0;
}

// Returns true for a kinematic body in motion: nothing pushes it, but it pushes others.
bool is_driven(const Bodies& bodies, std::uint32_t slot) {
  const Vec3 at_rest;
  return bodies.alive(slot) && bodies.inverse_mass(slot) == 0 &&
         (bodies.velocity(slot) != at_rest || bodies.angular_momentum(slot) != at_rest);
}

// Returns true if no point of a body is faster than `most`: |v| + r |w| <= most. v is the velocity,
// w the angular velocity, and r the reach of the shape: no point is farther from the origin of the
// body. |w| is equal in body axes and world axes. A body without a shape is never still.
bool is_still(const Sleeping::Input& input, std::uint32_t slot, double most) {
  ORRERY_ASSERT(most >= 0);
  const ShapedBodies shaped = input.shaped();
  if (!shaped.has_shape(slot)) return false;
  const Vec3 turning =
      scaled(input.bodies.inverse_inertia(slot), input.bodies.angular_momentum(slot));
  const double speed =
      length(input.bodies.velocity(slot)) + shaped.shape(slot).reach * length(turning);
  return speed <= most;
}

}  // namespace

double still_speed(const Vec3& gravity) { return kStillShare * kStillTime * length(gravity); }

// One still tick is not enough: no force has acted yet on a body that was placed or woken in it.
std::uint32_t still_ticks_needed(double dt) {
  ORRERY_ASSERT(dt > 0);
  const double ticks = std::min(kStillTime / dt, 1e9);
  return std::max(static_cast<std::uint32_t>(ticks + 0.5), 2u);
}

Sleeping::Sleeping(std::uint32_t capacity)
    : still_ticks_(capacity),
      island_of_(capacity, kAwake),
      next_(capacity, kAwake),
      last_(capacity),
      constants_(capacity),
      restless_(capacity) {
  ORRERY_ASSERT(capacity >= 1);
  ORRERY_ASSERT(capacity <= limits::kBodiesMax);
  islands_.reset(capacity);
}

// --- waking ---

void Sleeping::wake(Bodies& bodies, std::uint32_t slot) {
  ORRERY_ASSERT(slot < island_of_.size());
  still_ticks_[slot] = 0;
  for (std::uint32_t other = island_of_[slot]; other != kAwake; other = next_[other]) {
    ORRERY_ASSERT(asleep_ > 0);
    --asleep_;
    island_of_[other] = kAwake;
    still_ticks_[other] = 0;
    any_woke_ = true;
    for (std::size_t i = 0; i < std::size(kConstants); ++i) {
      bodies.set(kConstants[i], other, constants_[other][i]);
    }
  }
}

void Sleeping::wake_all(Bodies& bodies) {
  std::fill(still_ticks_.begin(), still_ticks_.end(), 0);
  for (std::uint32_t slot = 0; asleep_ > 0; ++slot) {
    ORRERY_ASSERT(slot < island_of_.size());
    wake(bodies, slot);
  }
}

void Sleeping::replace(std::uint32_t slot) {
  ORRERY_ASSERT(!asleep(slot));
  still_ticks_[slot] = 0;
  replaced_.push_back(slot);
}

void Sleeping::wake_beside_moving(Bodies& bodies, std::span<const Pair> pairs) {
  const auto goes = [&](std::uint32_t slot) {
    return moves(bodies, slot) || is_driven(bodies, slot);
  };
  for (const Pair& pair : pairs) {
    if (asleep(pair.a) && goes(pair.b)) wake(bodies, pair.a);
    if (asleep(pair.b) && goes(pair.a)) wake(bodies, pair.b);
  }
}

bool Sleeping::wake_near(const Input& input, const Links& links) {
  ORRERY_ASSERT(input.bodies.slots() <= island_of_.size());
  ORRERY_ASSERT(input.bodies.slots() <= input.shape_of.size());
  if (asleep_ > 0) {
    for (const std::span<const Pair> pairs : {links.near, links.joined, links.unpushed}) {
      wake_beside_moving(input.bodies, pairs);
    }
  }
  const bool any_woke = any_woke_;
  if (any_woke) give_contacts(input);
  any_woke_ = false;
  replaced_.clear();
  return any_woke;
}

// Puts contacts back into the contact set if neither body sleeps any more. If one of the bodies was
// removed or replaced meanwhile, reports the end of the contact instead.
void Sleeping::give_contacts(const Input& input) {
  std::sort(replaced_.begin(), replaced_.end());
  const auto replaced = [this](std::uint32_t slot) {
    return std::binary_search(replaced_.begin(), replaced_.end(), slot);
  };
  std::size_t kept = 0;
  records_.clear();
  for (const ContactRecord& record : contacts_) {
    const std::uint32_t a = record.key.slot_a();
    const std::uint32_t b = record.key.slot_b();
    if (asleep(a) || asleep(b)) {
      contacts_[kept++] = record;
      continue;
    }
    contacts_hash_ -= hash_contact(record);
    if (replaced(a) || replaced(b)) {
      input.contacts.events().end_in_next_update(record.key, record.kind == ContactKind::sensor);
    } else {
      records_.push_back(record);
    }
  }
  contacts_.resize(kept);
  ORRERY_ASSERT(!contacts_.empty() || contacts_hash_ == 0);
  input.contacts.reinsert(records_, input.shaped());
}

// --- falling asleep ---

bool Sleeping::settle(const Input& input, const Links& links, double dt) {
  ORRERY_ASSERT(input.bodies.slots() <= still_ticks_.size());
  ORRERY_ASSERT(input.bodies.slots() <= input.shape_of.size());
  const std::uint32_t needed = still_ticks_needed(dt);
  if (!count_still(input, links, needed)) return false;
  join_islands(input, links);
  const std::uint32_t slots = input.bodies.slots();
  std::fill_n(restless_.begin(), slots, std::uint8_t{0});
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    if (!moves(input.bodies, slot)) continue;
    if (still_ticks_[slot] < needed) restless_[islands_.find(slot)] = 1;
  }
  const std::uint32_t before = asleep_;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    if (!moves(input.bodies, slot) || restless_[islands_.find(slot)] != 0) continue;
    island_of_[slot] = islands_.find(slot);
    fall_asleep(input.bodies, slot);
  }
  if (asleep_ == before) return false;
  take_contacts(input);
  return true;
}

// Counts for how many ticks each body has been still, up to `ticks_needed`. Returns true if a body
// has reached this number.
bool Sleeping::count_still(const Input& input, const Links& links, std::uint32_t ticks_needed) {
  const Bodies& bodies = input.bodies;
  const double most = still_speed(input.gravity);
  bool any_driven = false;
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    any_driven = any_driven || is_driven(bodies, slot);
    if (!moves(bodies, slot)) continue;
    const bool still = is_still(input, slot, most);
    still_ticks_[slot] = still ? std::min(still_ticks_[slot] + 1, ticks_needed) : 0;
  }
  disturb(input, links, any_driven);
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (still_ticks_[slot] >= ticks_needed && moves(bodies, slot)) return true;
  }
  return false;
}

// Resets the still ticks of bodies that
//
// - are in Links::held,
// - touch a body that was removed or replaced since the last update of the contacts, or
// - are near or joined to a kinematic body in motion.
void Sleeping::disturb(const Input& input, const Links& links, bool any_driven) {
  const auto touch = [this](std::uint32_t slot) {
    if (!asleep(slot)) still_ticks_[slot] = 0;
  };
  for (const std::uint32_t slot : links.held) touch(slot);
  if (const SlotMask& ending = input.contacts.ending(); ending.any()) {
    for (const ContactKey key : input.contacts.keys()) {
      if (ending.test(key.slot_a())) touch(key.slot_b());
      if (ending.test(key.slot_b())) touch(key.slot_a());
    }
  }
  if (!any_driven) return;
  for (const std::span<const Pair> pairs : {links.near, links.joined}) {
    for (const Pair& pair : pairs) {
      if (is_driven(input.bodies, pair.a)) touch(pair.b);
      if (is_driven(input.bodies, pair.b)) touch(pair.a);
    }
  }
}

// Makes islands of bodies that are near each other, joined or in contact. The contacts are those of
// the last tick. Such a contact also joins bodies that have separated since then and are no longer
// near.
void Sleeping::join_islands(const Input& input, const Links& links) {
  islands_.reset(static_cast<std::uint32_t>(still_ticks_.size()));
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    if (moves(input.bodies, a) && moves(input.bodies, b)) islands_.join(a, b);
  };
  for (const Pair& pair : links.near) join(pair.a, pair.b);
  for (const Pair& pair : links.joined) join(pair.a, pair.b);
  for (const ContactKey key : input.contacts.keys()) join(key.slot_a(), key.slot_b());
}

// Puts the body of a slot to sleep, in the island island_of_[slot].
// REQUIRES: the bodies of an island fall asleep in ascending order, its lowest slot first.
void Sleeping::fall_asleep(Bodies& bodies, std::uint32_t slot) {
  const std::uint32_t island = island_of_[slot];
  ORRERY_ASSERT(island <= slot);
  if (island != slot) next_[last_[island]] = slot;
  last_[island] = slot;
  next_[slot] = kAwake;
  ++asleep_;
  for (std::size_t i = 0; i < std::size(kConstants); ++i) {
    constants_[slot][i] = bodies.at(kConstants[i], slot);
    bodies.set(kConstants[i], slot, 0);
  }
  bodies.set_velocity(slot, {});
  bodies.set_angular_momentum(slot, {});
}

// Moves the contacts of sleeping bodies out of the contact set. None of them belongs to a body that
// was removed in this tick: the body that takes its slot has been still for one tick at most, and
// disturb() keeps the bodies that it touched awake.
void Sleeping::take_contacts(const Input& input) {
  const std::size_t before = contacts_.size();
  input.contacts.extract([this](std::uint32_t slot) { return asleep(slot); }, contacts_);
  for (std::size_t i = before; i < contacts_.size(); ++i) {
    const ContactKey key = contacts_[i].key;
    ORRERY_ASSERT(!input.contacts.ending().test(key.slot_a()));
    ORRERY_ASSERT(!input.contacts.ending().test(key.slot_b()));
    contacts_hash_ += hash_contact(contacts_[i]);
  }
  std::sort(contacts_.begin(), contacts_.end(),
            [](const ContactRecord& a, const ContactRecord& b) { return a.key < b.key; });
}

// --- images and hashes ---

std::uint64_t Sleeping::hash(std::uint32_t slots) const {
  ORRERY_ASSERT(slots <= island_of_.size());
  std::uint64_t sum = 0;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    // a body that was not still in the last tick, or that cannot sleep, adds nothing
    if (still_ticks_[slot] == 0) continue;
    const std::uint64_t state = std::uint64_t{still_ticks_[slot]} << 32 | island_of_[slot];
    sum += mix64(mix64(slot + std::uint64_t{1}) + state);
  }
  return sum;
}

Status Sleeping::check(std::span<const ContactBody> bodies, double dt,
                       std::span<const std::uint32_t> still_ticks,
                       std::span<const std::uint32_t> islands) {
  ORRERY_ASSERT(still_ticks.size() == islands.size());
  ORRERY_ASSERT(islands.size() == bodies.size());
  const std::uint32_t needed = still_ticks_needed(dt);
  for (std::uint32_t slot = 0; slot < islands.size(); ++slot) {
    const bool may_sleep = bodies[slot].moves && bodies[slot].shape != kNoShape;
    if (still_ticks[slot] > (may_sleep ? needed : 0)) {
      return Error{"a body has been still for longer than it takes to sleep"};
    }
    const std::uint32_t island = islands[slot];
    if (island == kAwake) continue;
    if (!may_sleep) return Error{"a body sleeps that cannot"};
    if (still_ticks[slot] != needed) return Error{"a body sleeps that has not been still"};
    if (island > slot || islands[island] != island) {
      return Error{"a body sleeps with an island that is not there"};
    }
  }
  return ok_status();
}

bool Sleeping::parts(std::span<const ContactBody> bodies, std::span<const std::uint32_t> islands,
                     ContactKey contact) {
  const std::uint32_t a = contact.slot_a(), b = contact.slot_b();
  ORRERY_ASSERT(a < islands.size() && b < islands.size());
  return islands[a] != islands[b] && bodies[a].moves && bodies[b].moves;
}

void Sleeping::restore(Bodies& bodies, std::span<const std::uint32_t> still_ticks,
                       std::span<const std::uint32_t> islands) {
  ORRERY_ASSERT(still_ticks.size() == islands.size());
  ORRERY_ASSERT(islands.size() <= island_of_.size());
  std::fill(still_ticks_.begin(), still_ticks_.end(), 0);
  std::fill(island_of_.begin(), island_of_.end(), kAwake);
  std::copy(still_ticks.begin(), still_ticks.end(), still_ticks_.begin());
  std::copy(islands.begin(), islands.end(), island_of_.begin());
  asleep_ = 0;
  contacts_.clear();
  contacts_hash_ = 0;
  any_woke_ = false;
  replaced_.clear();
  for (std::uint32_t slot = 0; slot < islands.size(); ++slot) {
    if (asleep(slot)) fall_asleep(bodies, slot);
  }
}

void Sleeping::restore_contact(const ContactRecord& record) {
  ORRERY_ASSERT(asleep(record.key.slot_a()) || asleep(record.key.slot_b()));
  ORRERY_ASSERT(contacts_.empty() || contacts_.back().key < record.key);
  contacts_.push_back(record);
  contacts_hash_ += hash_contact(record);
}

}  // namespace orrery::physics
