// Owns the falling asleep and the waking of islands.
#include "common/physics/sleeping.h"

#include <algorithm>
#include <iterator>

namespace orrery {
namespace {

constexpr BodyField kConstants[5] = {BodyField::inverse_mass, BodyField::inverse_inertia_x,
                                     BodyField::inverse_inertia_y, BodyField::inverse_inertia_z,
                                     BodyField::gravity_scale};

// False for what sleeps, too.
bool moves(const Bodies& bodies, std::uint32_t slot) {
  return bodies.alive(slot) && bodies.inverse_mass(slot) != 0;
}

bool is_still(const Sleeping::Input& input, std::uint32_t slot) {
  const std::uint32_t shape = input.shape_of[slot];
  if (shape == kNoShape) return false;
  const double reach = input.shapes.shape(shape).reach;
  const double speed =
      length(input.bodies.velocity(slot)) + reach * length(input.bodies.angular_velocity(slot));
  return speed < kStillSpeed;
}

}  // namespace

std::uint32_t still_ticks_needed(double dt) {
  ORRERY_ASSERT(dt > 0);
  const double ticks = std::min(kStillTime / dt, 1e9);
  return std::max(static_cast<std::uint32_t>(ticks + 0.5), 1u);
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
  for (std::uint32_t slot = 0; asleep_ > 0; ++slot) {
    ORRERY_ASSERT(slot < island_of_.size());
    wake(bodies, slot);
  }
}

void Sleeping::replace(std::uint32_t slot) {
  ORRERY_ASSERT(!asleep(slot));
  still_ticks_[slot] = 0;
  if (any_woke_) replaced_.push_back(slot);
}

bool Sleeping::wake_near(const Input& input, std::span<const Pair> near, Executor& executor) {
  if (asleep_ > 0) {
    for (const Pair& pair : near) {
      if (asleep(pair.a)) wake(input.bodies, pair.a);
      if (asleep(pair.b)) wake(input.bodies, pair.b);
    }
  }
  if (!any_woke_) return false;
  give_contacts(input, executor);
  return true;
}

// Puts back what no sleeping body holds any more, unless its body has been replaced since.
void Sleeping::give_contacts(const Input& input, Executor& executor) {
  std::sort(replaced_.begin(), replaced_.end());
  const auto replaced = [this](std::uint32_t slot) {
    return std::binary_search(replaced_.begin(), replaced_.end(), slot);
  };
  const std::uint64_t before = input.contacts.hash(executor);
  std::size_t kept = 0;
  records_.clear();
  for (const ContactRecord& record : contacts_) {
    const std::uint32_t a = record.key.slot_a();
    const std::uint32_t b = record.key.slot_b();
    if (asleep(a) || asleep(b)) {
      contacts_[kept++] = record;
    } else if (!replaced(a) && !replaced(b)) {
      records_.push_back(record);
    }
  }
  contacts_.resize(kept);
  input.contacts.put_back(records_, input.bodies, input.shapes, input.shape_of);
  contacts_hash_ -= input.contacts.hash(executor) - before;
  replaced_.clear();
  any_woke_ = false;
}

// --- falling asleep ---

bool Sleeping::settle(const Input& input, const Links& links, double dt, Executor& executor) {
  ORRERY_ASSERT(input.bodies.slots() <= still_ticks_.size());
  ORRERY_ASSERT(input.bodies.slots() <= input.shape_of.size());
  const std::uint32_t needed = still_ticks_needed(dt);
  if (!count_still(input, links, needed)) return false;
  join_islands(input.bodies, links);
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
  take_contacts(input, executor);
  return true;
}

// Counts the ticks for which each body has been still; true if one may fall asleep.
bool Sleeping::count_still(const Input& input, const Links& links, std::uint32_t ticks_needed) {
  bool ready = false;
  for (std::uint32_t slot = 0; slot < input.bodies.slots(); ++slot) {
    if (!moves(input.bodies, slot)) continue;
    const bool still = is_still(input, slot);
    still_ticks_[slot] = still ? std::min(still_ticks_[slot] + 1, ticks_needed) : 0;
  }
  for (const std::uint32_t slot : links.held) still_ticks_[slot] = 0;
  for (std::uint32_t slot = 0; slot < input.bodies.slots(); ++slot) {
    ready = ready || (still_ticks_[slot] >= ticks_needed && moves(input.bodies, slot));
  }
  return ready;
}

void Sleeping::join_islands(const Bodies& bodies, const Links& links) {
  islands_.reset(static_cast<std::uint32_t>(still_ticks_.size()));
  const auto join = [&](std::span<const Pair> pairs) {
    for (const Pair& pair : pairs) {
      if (moves(bodies, pair.a) && moves(bodies, pair.b)) islands_.join(pair.a, pair.b);
    }
  };
  join(links.near);
  join(links.joined);
}

// Bodies of an island fall asleep in ascending order, the one that names it first.
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

void Sleeping::take_contacts(const Input& input, Executor& executor) {
  const std::uint64_t before = input.contacts.hash(executor);
  input.contacts.take_out([this](std::uint32_t slot) { return asleep(slot); }, contacts_);
  std::sort(contacts_.begin(), contacts_.end(),
            [](const ContactRecord& a, const ContactRecord& b) { return a.key < b.key; });
  contacts_hash_ += before - input.contacts.hash(executor);
}

// --- images ---

Status Sleeping::check(const Bodies& bodies, std::span<const std::uint32_t> shape_of, double dt,
                       std::span<const std::uint32_t> still_ticks,
                       std::span<const std::uint32_t> islands) {
  ORRERY_ASSERT(still_ticks.size() == islands.size());
  ORRERY_ASSERT(islands.size() <= shape_of.size());
  const std::uint32_t needed = still_ticks_needed(dt);
  for (std::uint32_t slot = 0; slot < islands.size(); ++slot) {
    if (still_ticks[slot] > needed) return Error{"a body has been still for longer than it takes"};
    const std::uint32_t island = islands[slot];
    if (island == kAwake) continue;
    if (!moves(bodies, slot) || shape_of[slot] == kNoShape) {
      return Error{"a body sleeps that cannot"};
    }
    if (island > slot || islands[island] != island) {
      return Error{"a body sleeps with an island that is not there"};
    }
    const Vec3 at_rest;
    if (bodies.velocity(slot) != at_rest || bodies.angular_momentum(slot) != at_rest) {
      return Error{"a body sleeps that is not at rest"};
    }
  }
  return ok_status();
}

void Sleeping::restore(const Input& input, std::span<const std::uint32_t> still_ticks,
                       std::span<const std::uint32_t> islands, Executor& executor) {
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
    if (asleep(slot)) fall_asleep(input.bodies, slot);
  }
  if (asleep_ > 0) take_contacts(input, executor);
}

}  // namespace orrery
