// Owns which bodies sleep: islands that have been still for a while, until something wakes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/result.h"
#include "common/physics/bodies.h"
#include "common/physics/islands.h"
#include "common/physics/pair_search.h"
#include "common/physics/shape.h"

namespace orrery {

// A body is still while no point of it is faster than this (length per time unit), and an island
// falls asleep when all of its bodies have been still for this long: the values of Box2D and Box3D
// (E. Catto), made for scenes in metres and seconds.
inline constexpr double kStillSpeed = 0.05;
inline constexpr double kStillTime = 0.5;

// What hangs together sleeps and wakes together. Bodies hang together that are near each other,
// touching or not, or joined: so nothing that is awake is ever near anything that sleeps, and what
// one island does never depends on whether another one sleeps.
class Sleeping {
 public:
  static constexpr std::uint32_t kAwake = ~0u;

  struct Input {
    const Bodies& bodies;
    const ShapeSet& shapes;
    std::span<const std::uint32_t> shape_of;  // of every slot, or kNoShape
    std::span<const Pair> near;           // bodies that are awake, with each other and fixed ones
    std::span<const Pair> joined;         // by springs or joints, in any order
    std::span<const std::uint32_t> held;  // bodies that something pulls at: they do not sleep
  };

  // For slots below `capacity`; allocates for these.
  explicit Sleeping(std::uint32_t capacity);

  bool asleep(std::uint32_t slot) const { return island_of_[slot] != kAwake; }
  bool any_asleep() const { return asleep_ > 0; }
  std::uint32_t count() const { return asleep_; }

  // At the end of a tick of length dt: what falls asleep with it, ascending, until the next call.
  std::span<const std::uint32_t> settle(const Input& input, double dt);

  // Wakes the island of a body: its bodies, ascending, until the next call; none if it is awake.
  std::span<const std::uint32_t> wake(std::uint32_t slot);

  // Another body is in the slot now, or none.
  void replace(std::uint32_t slot);

  // The state, for images and hashes. Of each slot: for how many ticks it has been still, up to
  // what it takes to sleep; the lowest slot of the island that it sleeps with, or kAwake.
  std::span<const std::uint32_t> still_ticks() const { return still_ticks_; }
  std::span<const std::uint32_t> islands() const { return island_of_; }

  // Replaces the state by that of the first slots; the others are awake. Says what is wrong with
  // one that no ticks of length dt lead to, and then changes nothing.
  Status restore(const Input& input, double dt, std::span<const std::uint32_t> still_ticks,
                 std::span<const std::uint32_t> islands);

 private:
  bool count_still(const Input& input, std::uint32_t ticks_needed);
  void join_islands(const Input& input);
  void link(std::uint32_t slot);

  std::vector<std::uint32_t> still_ticks_;
  std::vector<std::uint32_t> island_of_;
  std::vector<std::uint32_t> next_;  // of each that sleeps: the next of its island, or kAwake
  std::vector<std::uint32_t> last_;  // of each island's lowest slot: the last of it
  std::uint32_t asleep_ = 0;
  Islands islands_;
  std::vector<std::uint8_t> restless_;  // of each island's lowest slot: a body of it is not still
  std::vector<std::uint32_t> changed_;  // what fell asleep or woke last
};

// Ticks of length dt that a body is still before it sleeps; at least 1.
std::uint32_t still_ticks_needed(double dt);

}  // namespace orrery
