// Indexes bodies by position: one spatial tree of moving bodies and one of fixed bodies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/body/contact_margin.h"
#include "common/physics/body/shaped_bodies.h"
#include "common/physics/shape/spatial_tree.h"

namespace orrery::physics {

// Least number of bodies that parallel_ranges() hands to a thread, in passes with little work for
// each body.
inline constexpr std::uint32_t kBodiesLeast = 64;

// A fixed body without bounds: a plane, or a compound that contains one.
struct UnboundedBody {
  std::uint32_t slot;
  bool half_space;  // false: a compound, which counts as near every body
  Vec3 normal;      // outward normal of the half space
  double offset;    // the half space, grown by half of the margin, is normal . x <= offset
};

// Returns true if the box may overlap the body, grown by half of the margin (BodyIndex::update()).
bool may_touch(const UnboundedBody& body, const Aabb& box);

// A spatial index of bodies. It can be rebuilt from the poses at any time, so it is not part of the
// state. Bodies without inverse mass and inverse inertia count as fixed: anchors and sleeping
// bodies. Their tree is kept until bodies_changed(). Kinematic bodies have an inverse inertia, but
// no inverse mass, and count as moving.
class BodyIndex {
 public:
  // Allocates for slots below `capacity`.
  explicit BodyIndex(std::uint32_t capacity);

  // Invalidates the tree of fixed bodies and the list of moving bodies. Call it after a body was
  // added or removed, fell asleep or woke, or after a fixed body was moved.
  void bodies_changed() { known_ = false; }

  // Rebuilds the index from the present poses. Grows boxes and balls by half of their margin, so
  // that the boxes of two bodies within the margin of their parts overlap. A body without a shape
  // is left out.
  // REQUIRES: shaped.shape_of covers all slots.
  void update(const ShapedBodies& shaped, const ContactMargin& margin, Executor& executor);

  // Return the trees of moving and fixed bodies, as built by the last update().
  const SpatialTree& moving_tree() const { return moving_tree_; }
  const SpatialTree& fixed_tree() const { return fixed_tree_; }
  // Returns the proxies (boxes and slots, spatial_tree.h) of the moving bodies, ascending in slot.
  std::span<const Proxy> moving() const { return moving_; }
  // Returns the box of a moving body.
  // REQUIRES: the body is in the index and may move.
  const Aabb& box_of_moving(std::uint32_t slot) const;
  // Returns the fixed bodies that are in neither tree, because they have no bounds.
  std::span<const UnboundedBody> unbounded() const { return unbounded_; }
  // Returns true if a body in the index is kinematic.
  bool any_kinematic() const { return any_kinematic_; }

 private:
  void list_bodies(const ShapedBodies& shaped, const ContactMargin& margin);

  std::uint32_t capacity_;
  std::vector<std::uint32_t> moving_slots_;  // ascending
  std::vector<Proxy> moving_;
  std::vector<Proxy> fixed_;
  std::vector<UnboundedBody> unbounded_;
  SpatialTree moving_tree_;
  SpatialTree fixed_tree_;
  ContactMargin margin_;  // the margin for which the tree of fixed bodies was built
  bool known_ = false;    // the tree of fixed bodies and moving_slots_ are valid
  bool any_kinematic_ = false;
};

}  // namespace orrery::physics
