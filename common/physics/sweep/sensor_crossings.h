// Finds the sensors that bodies cross between two ticks.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/sweep/continuous.h"

namespace orrery::physics {

// Two parts, one of them a sensor, that met and parted within a tick; slot_a < slot_b.
struct Crossing {
  std::uint32_t slot_a = 0;
  std::uint32_t slot_b = 0;
  std::uint32_t part_a = 0;
  std::uint32_t part_b = 0;

  friend auto operator<=>(const Crossing&, const Crossing&) = default;
};

// A fast body can be in front of a sensor at the start of one tick and beyond it at the start of
// the next, so that no contact is found. This pass finds such crossings from the motion of the
// bodies in the tick. A part crosses a sensor if it comes closer than about kNearShare times the
// smaller inner radius of the two, and is farther away at the start and at the end.
//
// A body is fast if some point of it moves by more than half of the inner radius of its shape, but
// by less than limits::kLengthMax. Crossings of slower bodies, over an edge of a sensor, are not
// found. The search of each fast body has a budget, as its sweep has (continuous.h). Crossings
// beyond it are not found.
class SensorCrossings {
 public:
  static constexpr double kNearShare = 1e-3;

  // Allocates for slots below `capacity`.
  explicit SensorCrossings(std::uint32_t capacity);

  // Finds the crossings of a tick. `swept` holds the poses at the start of the tick, `shaped` those
  // at the end, and `index` the bodies as they were at the start. `separate` lists the pairs that
  // do not collide, ascending.
  void find(const ContinuousCollision& swept, const ShapedBodies& shaped, const BodyIndex& index,
            std::span<const Pair> separate, Executor& executor);

  // Returns the crossings of the last tick, ascending.
  std::span<const Crossing> list() const { return crossings_; }

 private:
  struct Input {
    const ContinuousCollision& swept;
    const ShapedBodies& shaped;
    const BodyIndex& index;
    std::span<const Pair> separate;
    double slow_way = 0;  // longest way of the points of a body that is not fast
  };
  struct Fast {
    std::uint32_t slot;
    Aabb box;  // around its motion
  };
  class Search;

  void find_fast(Input& input, Executor& executor);
  bool fast_at(std::uint32_t slot) const;

  std::vector<double> ways_;                  // of each body of BodyIndex::moving()
  std::vector<Fast> fast_;                    // ascending in slot
  std::vector<std::uint32_t> sensors_;        // indices in fast_ of bodies with a sensor
  std::vector<std::vector<Crossing>> found_;  // for each range of fast_
  std::vector<Crossing> crossings_;
};

}  // namespace orrery::physics
