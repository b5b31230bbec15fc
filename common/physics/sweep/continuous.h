// Keeps fast bodies from passing through others: continuous collision.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/core/limits.h"
#include "common/physics/body/body_index.h"
#include "common/physics/body/substep.h"
#include "common/physics/broad/pair_search.h"
#include "common/physics/narrow/narrow_phase.h"

namespace orrery::physics {

// Returns the radius of the largest ball in each core of a shape (ShapeSet::cores).
inline double core_radius(const Shape& shape) { return kCoreShare * shape.inner_radius; }
// Returns the distance (a length) at which a core stops in front of its obstacle: a small share of
// its radius.
double core_distance(const Shape& shape);

// A continuous-collision pass: it moves fast bodies back to the first obstacle on their path. A
// body is fast if the centre of a core (ShapeSet::cores) moves by more than half of the inner
// radius in a tick. Kinematic bodies, and bodies that move by limits::kLengthMax or more, are never
// fast.
//
// If a core of a fast body meets an obstacle (a part of another body), the fast body moves back:
//
// - Its pose is that of the first impact, with an orientation that keeps its angular momentum.
// - If it was in touch with the obstacle at the start of the tick, or if its whole way into the
//   obstacle is at most half of the inner radius, it slides instead of stopping: from the impact on
//   it moves without the part of its motion that leads into the obstacle, until the next impact.
// - It keeps velocity, angular momentum and energy, but the change by gravity in the rest of the
//   tick is subtracted. Otherwise a bouncing ball would gain energy. If a contact or joint carried
//   the body, the subtraction pushes it up, by at most the change by gravity in a tick. A body that
//   is raised by more than its fall accounts for loses spin.
// - It overlaps the obstacle, with the centres of its parts on the near side. In the next tick the
//   contact with the obstacle stops it.
//
// Cores are swept instead of parts, so that a sliding or rolling body does not stop at its
// contacts. Only fast bodies move back. Each sweep uses the whole motion of the other bodies, even
// if they move back later, so the order does not matter. Two bodies that meet both stop there.
//
// The search for each fast body has a budget (limits.h). If the search exceeds it, the body moves
// by half of its inner radius only. A body may move as far as that without any search, because the
// way is too short to pass through anything.
//
// Nothing moves a kinematic body back. If it passes over the core of a body that can be pushed,
// that body is carried: from the first impact on, it moves with the kinematic body to the end of
// the tick. The contact pushes it in the next tick. Here a core is only the largest ball in it.
//
// - A carried body stops at fixed bodies. The kinematic body then passes it.
// - It carries other bodies in turn, so that a pile moves in its order. If one of them stops, the
//   bodies behind it stop too.
// - Its velocity does not change.
class ContinuousCollision {
 public:
  // Allocates for slots below `capacity`.
  explicit ContinuousCollision(std::uint32_t capacity);

  // Saves the poses of the bodies at the start of a tick.
  void begin(const Bodies& bodies);

  // Moves back the bodies that were fast since begin(). `index` holds the bodies as they were at
  // the start of the tick. `separate` lists the pairs that do not collide, ascending. `step`
  // describes the substeps of the tick.
  void finish(Bodies& bodies, const ShapeSet& shapes, std::span<const std::uint32_t> shape_of,
              const BodyIndex& index, std::span<const Pair> separate, const Substep& step,
              Executor& executor);

  // Returns the motion of a body from begin() to its present pose.
  Motion motion_of(const Bodies& bodies, std::uint32_t slot) const;

 private:
  static constexpr std::uint32_t kNone = ~0u;

  struct Stop {
    double fraction = 1;  // fraction of the motion that the body completes
    Vec3 aside;           // change of the end of the motion, because the body slides
    // Normal of the obstacles along which the body slides, times the part of the tick in which the
    // change of velocity by gravity along it is subtracted.
    Vec3 undone;
  };
  struct Fast {
    std::uint32_t slot;
    double way;  // longest distance that the centre of a part moves
    Stop stop;
  };
  // A body that another body carries: the first impact of the two, and the way from there.
  struct Carried {
    std::uint32_t slot;
    std::uint32_t by;
    double fraction;
    Vec3 shift;
  };
  // The bodies of a tick, and bounds on their motion.
  struct Input {
    ShapedBodies shaped;
    const BodyIndex& index;
    std::span<const Pair> separate;
    // Longest distance that the centre of a part moves, over all bodies that are not fast, and over
    // those of them that can be pushed.
    double others_way = 0;
    double slow_way = 0;
    // Longest way of the points of kinematic bodies.
    double movers_way = 0;
    // Least inner radius of the bodies that can be pushed.
    double smallest = limits::kLengthMax;
  };
  class Sweep;

  void find_fast(Input& input, Executor& executor);
  void index_fast(const Input& input, Executor& executor);
  bool is_fast(std::uint32_t slot) const;
  Stop stop_of(const Input& input, const Fast& fast) const;
  double free_share(const Input& input, std::uint32_t slot, const Vec3& shift) const;
  void move_back(const Input& input, Bodies& bodies, const Fast& fast, const Substep& step) const;

  // carry.cpp
  void carry(Bodies& bodies, Input& input, Executor& executor);
  void find_movers(Input& input);
  void find_carried(const Input& input, Executor& executor);
  void carry_near(const Input& input, std::uint32_t mover, SweepBudget& budget,
                  std::vector<Carried>& found) const;
  void carry_fast(const Input& input, std::uint32_t slot, SweepBudget& budget,
                  std::vector<Carried>& found) const;
  void carry_by(const Input& input, std::uint32_t mover, std::uint32_t slot, SweepBudget& budget,
                std::vector<Carried>& found) const;
  void push_back(Bodies& bodies, std::uint32_t slot, Vec3 lost);

  std::vector<double> start_[7];       // for each slot: position and orientation at begin()
  std::vector<Fast> fast_;             // ascending in slot
  std::vector<Proxy> fast_boxes_;      // around the motion of each fast body
  SpatialTree fast_tree_;              // of fast_boxes_
  std::vector<std::uint32_t> movers_;  // kinematic bodies that may pass over others, ascending
  std::vector<double> ways_;           // Fast::way of each body of BodyIndex::moving()
  std::vector<std::vector<Carried>> found_;  // impacts, for each range of movers or fast bodies
  std::vector<Carried> queue_;               // heap of impacts, the first on top
  std::vector<Carried> carried_;             // in the order of their impacts
  std::vector<std::uint32_t> place_;         // for each slot: its index in carried_, or kNone
};

}  // namespace orrery::physics
