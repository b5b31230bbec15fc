// Owns the index of bodies by place: a spatial tree of those that move, one of those that do not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/body/bodies.h"
#include "common/physics/shape/shape.h"
#include "common/physics/shape/spatial_tree.h"

namespace orrery::physics {

// Bodies that are worth a thread (parallel_ranges()) where little is done to each.
inline constexpr std::uint32_t kBodiesLeast = 64;

// A fixed body without bounds: a plane, or something that a plane is part of.
struct UnboundedBody {
  std::uint32_t slot;
  bool half_space;  // else it is near everything
  Vec3 normal;      // of the half space, outward
  double offset;    // its points have normal . x <= offset
};

// True if some of the box may be in the body.
bool may_touch(const UnboundedBody& body, const Aabb& box);

// Made afresh from the poses, whenever they are to be known: nothing of it belongs to the state of
// a world. Bodies without inverse mass and inverse inertia are fixed: their tree stays until they
// change. Kinematic ones, which have inverse inertia alone, move.
class BodyIndex {
 public:
  // For slots below `capacity`; allocates for these.
  explicit BodyIndex(std::uint32_t capacity);

  // To be called when a body has come or gone, or a fixed one has been moved.
  void bodies_changed() { known_ = false; }

  // Takes the poses as they are now. Boxes and balls are enlarged by half of `margin` (length).
  // shape_of: of each slot below the capacity, or kNoShape, which leaves the body out.
  void update(const Bodies& bodies, const ShapeSet& shapes, std::span<const std::uint32_t> shape_of,
              double margin, Executor& executor);

  const SpatialTree& moving_tree() const { return moving_tree_; }
  const SpatialTree& fixed_tree() const { return fixed_tree_; }
  // Ascending in slot.
  std::span<const Proxy> moving() const { return moving_; }
  // Of a body that may move.
  const Aabb& box_of_moving(std::uint32_t slot) const;
  std::span<const UnboundedBody> unbounded() const { return unbounded_; }
  bool any_kinematic() const { return any_kinematic_; }

 private:
  void list_bodies(const Bodies& bodies, const ShapeSet& shapes,
                   std::span<const std::uint32_t> shape_of, double margin);

  std::uint32_t capacity_;
  std::vector<std::uint32_t> moving_slots_;  // ascending
  std::vector<Proxy> moving_;
  std::vector<Proxy> fixed_;
  std::vector<UnboundedBody> unbounded_;
  SpatialTree moving_tree_;
  SpatialTree fixed_tree_;
  double margin_ = 0;  // of what is fixed
  bool known_ = false;
  bool any_kinematic_ = false;
};

}  // namespace orrery::physics
