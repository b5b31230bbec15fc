// Answers spatial queries: ray casts, shape casts and overlaps.
#include "common/physics/narrow/queries.h"

#include <algorithm>
#include <tuple>

#include "common/physics/shape/tree_walk.h"

namespace orrery::physics {
namespace {

bool comes_before(const CastHit& a, const CastHit& b) {
  return std::tie(a.fraction, a.slot, a.part) < std::tie(b.fraction, b.slot, b.part);
}

// A collector that keeps the smallest of the added items, at most `most` of them. `items` is a heap
// with its greatest item on top, which a smaller item replaces.
template <class Item, class Less>
class Least {
 public:
  Least(std::vector<Item>& items, std::uint32_t most, Less less)
      : items_(items), most_(most), less_(less) {
    ORRERY_ASSERT(most >= 1);
    items_.clear();
  }

  bool full() const { return items_.size() == most_; }
  const Item& greatest() const { return items_.front(); }

  void add(const Item& item) {
    if (full()) {
      if (!less_(item, greatest())) return;
      std::pop_heap(items_.begin(), items_.end(), less_);
      items_.pop_back();
    }
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), less_);
  }

  void sort() { std::sort_heap(items_.begin(), items_.end(), less_); }

 private:
  std::vector<Item>& items_;
  std::uint32_t most_;
  Less less_;
};

// Calls visit(slot) for every body for which accept(box) is true, and for every unbounded body.
// Leaves out filter.except.
template <class Accept, class Visit>
void visit_bodies(const QueryInput& input, const QueryFilter& filter, const Accept& accept,
                  const Visit& visit) {
  const auto visit_others = [&](std::uint32_t slot) {
    if (slot != filter.except) visit(slot);
  };
  walk(input.index.moving_tree(), accept, visit_others);
  walk(input.index.fixed_tree(), accept, visit_others);
  for (const UnboundedBody& body : input.index.unbounded()) visit_others(body.slot);
}

// Calls visit(index, part) for each part of the body in `slot` that passes the filter.
template <class Visit>
void visit_parts(const QueryInput& input, const QueryFilter& filter, std::uint32_t slot,
                 const Visit& visit) {
  const std::span<const Part> parts = input.bodies.parts(slot);
  ORRERY_ASSERT(!parts.empty());
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    if (!may_meet(filter.filter, parts[i].filter)) continue;
    if (parts[i].filter.sensor && !filter.sensors) continue;
    visit(i, parts[i]);
  }
}

bool touches(const ShapeSet& shapes, const Part& part, const Pose& pose, const Part& other,
             const Pose& other_pose) {
  Manifold manifolds[kSurfaceManifoldsMax];
  return find_manifolds(shapes, part, pose, other, other_pose, 0, manifolds) > 0;
}

}  // namespace

void cast_ray(const QueryInput& input, const Vec3& origin, const Vec3& along,
              const QueryFilter& filter, std::uint32_t most, std::vector<CastHit>& hits) {
  Least nearest(hits, most, comes_before);
  const auto accept = [&](const Aabb& box) {
    return meets(box, origin, along, nearest.full() ? nearest.greatest().fraction : 1);
  };
  visit_bodies(input, filter, accept, [&](std::uint32_t slot) {
    const Pose pose = input.bodies.pose(slot);
    visit_parts(input, filter, slot, [&](std::uint32_t number, const Part& part) {
      const std::optional<RayHit> hit = cast_ray(input.bodies.shapes, part, pose, origin, along);
      if (hit) nearest.add({hit->fraction, slot, number, hit->normal});
    });
  });
  nearest.sort();
}

void cast_shape(const QueryInput& input, const Part& part, const Motion& way,
                const QueryFilter& filter, std::uint32_t most, std::vector<CastHit>& hits) {
  ORRERY_ASSERT(is_convex(part.kind) && part.kind != ShapeKind::plane);
  Least nearest(hits, most, comes_before);
  ORRERY_ASSERT(part.inner_radius > 0);
  const double distance = kCastShare * part.inner_radius;
  const Aabb swept = enlarged(swept_bounds(input.bodies.shapes, part, way), distance);
  const auto accept = [&swept](const Aabb& box) { return overlaps(box, swept); };
  visit_bodies(input, filter, accept, [&](std::uint32_t slot) {
    const Pose pose = input.bodies.pose(slot);
    visit_parts(input, filter, slot, [&](std::uint32_t number, const Part& other) {
      const std::optional<Impact> impact =
          time_of_impact(input.bodies.shapes, part, way, other, {pose, pose}, distance);
      if (impact) nearest.add({impact->fraction, slot, number, -impact->normal});
    });
  });
  nearest.sort();
}

void find_overlaps(const QueryInput& input, const Part& part, const Pose& pose,
                   const QueryFilter& filter, std::uint32_t most,
                   std::vector<std::uint32_t>& slots) {
  ORRERY_ASSERT(is_convex(part.kind) && part.kind != ShapeKind::plane);
  Least lowest(slots, most, std::less<std::uint32_t>());
  const Aabb around = bounds(input.bodies.shapes, part, pose);
  const auto accept = [&around](const Aabb& box) { return overlaps(box, around); };
  visit_bodies(input, filter, accept, [&](std::uint32_t slot) {
    bool found = false;
    const Pose other_pose = input.bodies.pose(slot);
    visit_parts(input, filter, slot, [&](std::uint32_t, const Part& other) {
      found = found || touches(input.bodies.shapes, part, pose, other, other_pose);
    });
    if (found) lowest.add(slot);
  });
  lowest.sort();
}

Part ball_part(double radius) {
  ORRERY_ASSERT(radius > 0);
  Part part;
  part.kind = ShapeKind::sphere;
  part.radius = part.inner_radius = radius;
  part.reach = radius;
  return part;
}

Part box_part(const Vec3& half_extents) {
  ORRERY_ASSERT(half_extents.x > 0 && half_extents.y > 0 && half_extents.z > 0);
  Part part;
  part.kind = ShapeKind::box;
  part.half_extents = half_extents;
  part.reach = length(half_extents);
  part.inner_radius = std::min({half_extents.x, half_extents.y, half_extents.z});
  return part;
}

}  // namespace orrery::physics
