// Owns the falling asleep and the waking of islands.
#include "common/physics/sleeping.h"

#include <algorithm>

namespace orrery {
namespace {

bool moves(const Bodies& bodies, std::uint32_t slot) { return bodies.inverse_mass(slot) != 0; }

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
      restless_(capacity) {
  ORRERY_ASSERT(capacity >= 1);
  ORRERY_ASSERT(capacity <= limits::kBodiesMax);
  islands_.reset(capacity);
  changed_.reserve(capacity);
}

std::span<const std::uint32_t> Sleeping::settle(const Input& input, double dt) {
  ORRERY_ASSERT(input.bodies.slots() <= still_ticks_.size());
  ORRERY_ASSERT(input.bodies.slots() <= input.shape_of.size());
  const std::uint32_t needed = still_ticks_needed(dt);
  changed_.clear();
  if (!count_still(input, needed)) return {};
  join_islands(input);
  const std::uint32_t slots = input.bodies.slots();
  std::fill_n(restless_.begin(), slots, std::uint8_t{0});
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    if (!input.bodies.alive(slot) || !moves(input.bodies, slot) || asleep(slot)) continue;
    if (still_ticks_[slot] < needed) restless_[islands_.find(slot)] = 1;
  }
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    if (!input.bodies.alive(slot) || !moves(input.bodies, slot) || asleep(slot)) continue;
    const std::uint32_t island = islands_.find(slot);
    if (restless_[island] == 0) changed_.push_back(slot);
  }
  for (const std::uint32_t slot : changed_) {
    island_of_[slot] = islands_.find(slot);
    link(slot);
  }
  return changed_;
}

// Counts the ticks for which each body has been still; true if one may fall asleep.
bool Sleeping::count_still(const Input& input, std::uint32_t ticks_needed) {
  bool ready = false;
  for (std::uint32_t slot = 0; slot < input.bodies.slots(); ++slot) {
    if (!input.bodies.alive(slot) || !moves(input.bodies, slot) || asleep(slot)) continue;
    const bool still = is_still(input, slot);
    still_ticks_[slot] = still ? std::min(still_ticks_[slot] + 1, ticks_needed) : 0;
  }
  for (const std::uint32_t slot : input.held) {
    if (!asleep(slot)) still_ticks_[slot] = 0;
  }
  for (std::uint32_t slot = 0; slot < input.bodies.slots(); ++slot) {
    ready = ready || (!asleep(slot) && still_ticks_[slot] >= ticks_needed);
  }
  return ready;
}

void Sleeping::join_islands(const Input& input) {
  islands_.reset(static_cast<std::uint32_t>(still_ticks_.size()));
  const auto join = [&](std::span<const Pair> pairs) {
    for (const Pair& pair : pairs) {
      if (!moves(input.bodies, pair.a) || !moves(input.bodies, pair.b)) continue;
      islands_.join(pair.a, pair.b);
    }
  };
  join(input.near);
  join(input.joined);
}

std::span<const std::uint32_t> Sleeping::wake(std::uint32_t slot) {
  ORRERY_ASSERT(slot < island_of_.size());
  changed_.clear();
  const std::uint32_t island = island_of_[slot];
  if (island == kAwake) return {};
  for (std::uint32_t other = island; other != kAwake; other = next_[other]) {
    island_of_[other] = kAwake;
    still_ticks_[other] = 0;
    changed_.push_back(other);
  }
  ORRERY_ASSERT(changed_.size() <= asleep_);
  asleep_ -= static_cast<std::uint32_t>(changed_.size());
  return changed_;
}

void Sleeping::replace(std::uint32_t slot) {
  ORRERY_ASSERT(!asleep(slot));
  still_ticks_[slot] = 0;
}

// Appends a body that sleeps to the list of its island; slots are linked in ascending order.
void Sleeping::link(std::uint32_t slot) {
  const std::uint32_t island = island_of_[slot];
  ORRERY_ASSERT(island <= slot);
  if (island != slot) next_[last_[island]] = slot;
  last_[island] = slot;
  next_[slot] = kAwake;
  ++asleep_;
}

Status Sleeping::restore(const Input& input, double dt, std::span<const std::uint32_t> still_ticks,
                         std::span<const std::uint32_t> islands) {
  ORRERY_ASSERT(still_ticks.size() == islands.size());
  ORRERY_ASSERT(islands.size() <= island_of_.size());
  const std::uint32_t needed = still_ticks_needed(dt);
  for (std::uint32_t slot = 0; slot < islands.size(); ++slot) {
    if (still_ticks[slot] > needed) return Error{"a body has been still for longer than it takes"};
    const std::uint32_t island = islands[slot];
    if (island == kAwake) continue;
    const bool can_sleep =
        input.bodies.alive(slot) && moves(input.bodies, slot) && input.shape_of[slot] != kNoShape;
    if (!can_sleep || island > slot || islands[island] != island) {
      return Error{"a body sleeps that cannot, or with an island that is not there"};
    }
  }
  std::fill(still_ticks_.begin(), still_ticks_.end(), 0);
  std::fill(island_of_.begin(), island_of_.end(), kAwake);
  std::copy(still_ticks.begin(), still_ticks.end(), still_ticks_.begin());
  std::copy(islands.begin(), islands.end(), island_of_.begin());
  asleep_ = 0;
  for (std::uint32_t slot = 0; slot < islands.size(); ++slot) {
    if (asleep(slot)) link(slot);
  }
  return ok_status();
}

}  // namespace orrery
