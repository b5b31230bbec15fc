// Keeps fast bodies from passing through others: continuous collision.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/body/body_index.h"
#include "common/physics/broad/pair_search.h"
#include "common/physics/narrow/narrow_phase.h"

namespace orrery::physics {

// Radius of a core, as a fraction of the inner radius of a shape (Shape::inner_radius).
inline constexpr double kCoreShare = 0.75;

// A continuous-collision pass: it moves fast bodies back to the first obstacle on their path. The
// core of a part is a ball about its centre, with the radius kCoreShare times the inner radius of
// the shape. A body is fast if a core moves by more than half of the inner radius in a tick.
// Kinematic bodies, and bodies that move by limits::kLengthMax or more, are never fast.
//
// If a core of a fast body meets an obstacle (a part of another body), the fast body moves back:
//
// - Its position is that of the first impact.
// - From there it still rotates, until a core would move by more than half of the inner radius.
// - It keeps its velocity and angular momentum, but the change by gravity in the rest of the tick
//   is subtracted. Otherwise a bouncing ball would gain energy. If a contact or a joint carried
//   the body, the subtraction pushes it up, by at most the change by gravity in a tick.
// - It overlaps the obstacle, with the centres of its parts on the near side. In the next tick the
//   contact with the obstacle stops it.
//
// Cores are swept instead of parts, so that a sliding or rolling body does not stop at its
// contacts. Only fast bodies move back. Each sweep uses the whole motion of the other bodies, even
// if they move back later, so the order does not matter. Two fast bodies may miss each other.
//
// The search for each fast body has a budget (limits.h). If the search exceeds it, the body moves
// by half of its inner radius only. A body may move as far as that without any search, because the
// way is too short to pass through anything.
//
// Nothing moves a kinematic body back. If it passes over the core of a body that can be pushed,
// that body is carried: from the first impact on, it moves with the kinematic body to the end of
// the tick. The contact pushes it in the next tick.
class ContinuousCollision {
 public:
  // Allocates for slots below `capacity`.
  explicit ContinuousCollision(std::uint32_t capacity);

  // Saves the poses of the bodies at the start of a tick.
  void begin(const Bodies& bodies);

  // Moves back the bodies that were fast since begin(). `index` holds the bodies as they were at
  // the start of the tick. `separate` lists the pairs that do not collide, ascending. `fall` is the
  // change of velocity by uniform gravity in a tick.
  void finish(Bodies& bodies, const ShapeSet& shapes, std::span<const std::uint32_t> shape_of,
              const BodyIndex& index, std::span<const Pair> separate, const Vec3& fall,
              Executor& executor);

 private:
  struct Stop {
    double fraction = 1;  // fraction of the linear motion that the body completes
    double turn = 1;      // fraction of the rotation that the body completes
  };
  struct Fast {
    std::uint32_t slot;
    double way;  // longest distance that the centre of a part moves
    Stop stop;
  };
  // A body that a kinematic body carries: the first impact of the two, and the way from there.
  struct Carried {
    std::uint32_t slot;
    double fraction;
    Vec3 shift;
  };
  struct Input;
  class Sweep;

  Motion motion_of(const Bodies& bodies, std::uint32_t slot) const;
  double find_fast(const Input& input, Executor& executor);
  Stop stop_of(const Input& input, const Fast& fast) const;
  void carry(Bodies& bodies, const Input& input);
  void find_carried(const Input& input, std::uint32_t mover, SweepBudget& budget);
  void carry_part(const Input& input, std::uint32_t mover, std::uint32_t slot, SweepBudget& budget);
  void move_back(Bodies& bodies, const Fast& fast, const Vec3& fall) const;

  std::vector<double> start_[7];       // for each slot: position and orientation at begin()
  std::vector<Fast> fast_;             // ascending in slot
  std::vector<std::uint32_t> movers_;  // kinematic bodies in motion, ascending
  std::vector<Carried> carried_;
  std::vector<double> ways_;  // Fast::way of each body of BodyIndex::moving()
};

}  // namespace orrery::physics
