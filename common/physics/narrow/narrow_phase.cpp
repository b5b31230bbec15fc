// Chooses the collision function for a pair of parts.
#include "common/physics/narrow/narrow_phase.h"

#include <algorithm>
#include <cmath>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "common/physics/narrow/polyhedra.h"

namespace orrery::physics {
namespace {

constexpr unsigned pair_of(ShapeKind a, ShapeKind b) {
  return static_cast<unsigned>(a) << 8 | static_cast<unsigned>(b);
}

static_assert(pair_of(ShapeKind::sphere, ShapeKind::box) !=
              pair_of(ShapeKind::box, ShapeKind::sphere));

// Collides two parts.
// REQUIRES: their kinds are in the order of ShapeKind.
bool collide_ordered(const ShapeSet& shapes, const PlacedPart& a, const PlacedPart& b,
                     double margin, Manifold& manifold) {
  ORRERY_ASSERT(a.part.kind <= b.part.kind);
  using enum ShapeKind;
  switch (pair_of(a.part.kind, b.part.kind)) {
    case pair_of(sphere, sphere):
      return collide_spheres(a, b, margin, manifold);
    case pair_of(sphere, capsule):
      return collide_sphere_capsule(a, b, margin, manifold);
    case pair_of(sphere, box):
      return collide_sphere_box(a, b, margin, manifold);
    case pair_of(sphere, plane):
      return collide_sphere_plane(a, b, margin, manifold);
    case pair_of(capsule, capsule):
      return collide_capsules(a, b, margin, manifold);
    case pair_of(capsule, plane):
      return collide_capsule_plane(a, b, margin, manifold);
    case pair_of(box, box):
      return collide_boxes(a, b, margin, manifold);
    case pair_of(box, plane):
      return collide_box_plane(a, b, margin, manifold);
    case pair_of(sphere, hull):
    case pair_of(capsule, box):
    case pair_of(capsule, hull):
      return collide_round_solid({shapes, a}, {shapes, b}, margin, manifold);
    case pair_of(box, hull):
    case pair_of(hull, hull):
      return collide_solids({shapes, a}, {shapes, b}, margin, manifold);
    case pair_of(hull, plane):
      return collide_solid_plane({shapes, a}, b, margin, manifold);
    default:
      return false;  // two planes
  }
}

// Returns true if all points are within limits, relative to both bodies. `from_b` is the vector
// from body B to body A. A point can be beyond the limits, because the position of a plane's body
// may be very far from it.
bool within_limits(const Manifold& manifold, const Vec3& from_b) {
  // A bound on each coordinate: the length then stays within kLengthMax in any axes.
  constexpr double kMost = limits::kLengthMax / 2;
  const auto within = [](const Vec3& v) {
    return std::abs(v.x) <= kMost && std::abs(v.y) <= kMost && std::abs(v.z) <= kMost;
  };
  const ManifoldPoint* const end = manifold.points + manifold.count;
  return std::all_of(manifold.points, end, [&](const ManifoldPoint& p) {
    return std::abs(p.separation) <= kMost && within(p.at) && within(p.at + from_b);
  });
}

}  // namespace

bool collide(const ShapeSet& shapes, const Part& a, const Pose& pose_a, const Part& b,
             const Pose& pose_b, double margin, Manifold& manifold) {
  ORRERY_ASSERT(is_convex(a.kind) && is_convex(b.kind));
  ORRERY_ASSERT(margin >= 0);
  const PlacedPart placed_a = placed(a, pose_a, pose_a.position);
  const PlacedPart placed_b = placed(b, pose_b, pose_a.position);
  if (a.kind <= b.kind) return collide_ordered(shapes, placed_a, placed_b, margin, manifold);
  const bool touch = collide_ordered(shapes, placed_b, placed_a, margin, manifold);
  manifold.normal = -manifold.normal;
  manifold.face_of_b = !manifold.face_of_b;
  return touch;
}

std::uint32_t find_manifolds(const ShapeSet& shapes, const Part& a, const Pose& pose_a,
                             const Part& b, const Pose& pose_b, double margin,
                             std::span<Manifold, kSurfaceManifoldsMax> manifolds) {
  ORRERY_ASSERT(margin >= 0);
  ORRERY_ASSERT(is_convex(a.kind) || is_convex(b.kind));
  std::uint32_t count = 0;
  if (is_surface(a.kind) || is_surface(b.kind)) {
    count = collide_surface(shapes, a, pose_a, b, pose_b, margin, manifolds);
  } else {
    count = collide(shapes, a, pose_a, b, pose_b, margin, manifolds[0]) ? 1 : 0;
  }
  if (a.reach + b.reach <= limits::kLengthMax / 4) return count;  // too small to exceed the limits
  const Vec3 from_b = pose_a.position - pose_b.position;
  const auto sound = [&](const Manifold& m) { return within_limits(m, from_b); };
  return std::all_of(manifolds.data(), manifolds.data() + count, sound) ? count : 0;
}

}  // namespace orrery::physics
