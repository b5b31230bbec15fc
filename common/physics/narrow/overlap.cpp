// Computes the exact overlap of two convex parts: from the distance of their cores, or, if the
// cores overlap, by testing all axes against all vertices.
#include <algorithm>
#include <limits>

#include "common/core/assert.h"
#include "common/physics/narrow/core_shape.h"

namespace orrery::physics {
namespace {

// Edges are parallel if their cross product is below this fraction of the product of their lengths.
constexpr double kParallel = 1e-9;

// Returns the overlap of the projections on a unit axis: how far b must move along the axis, in the
// nearer direction, to be clear of a.
double overlap_along(const CoreShape& a, const CoreShape& b, const Vec3& axis) {
  const auto extent = [&](const CoreShape& core, const Vec3& direction) {
    return dot(core.vertices()[core.support(direction)] - a.centre(), direction);
  };
  const double forwards = extent(a, axis) + extent(b, -axis);
  const double backwards = extent(a, -axis) + extent(b, axis);
  return std::min(forwards, backwards);
}

// Returns the least overlap over all possible separating axes of two polyhedra: face normals and
// cross products of edges.
double overlap_of_cores(const CoreShape& a, const CoreShape& b) {
  ORRERY_ASSERT(a.vertices().size() >= 1 && b.vertices().size() >= 1);
  double least = std::numeric_limits<double>::infinity();
  const auto offer = [&](const Vec3& axis) { least = std::min(least, overlap_along(a, b, axis)); };
  for (const HullFace& face : a.faces()) offer(a.normal(face));
  for (const HullFace& face : b.faces()) offer(b.normal(face));
  for (const HullEdge& edge : a.edges()) {
    const Vec3 u = a.edge_vector(edge);
    for (const HullEdge& other : b.edges()) {
      const Vec3 v = b.edge_vector(other);
      const Vec3 axis = cross(u, v);
      const double size = length(axis);
      if (size > kParallel * length(u) * length(v)) offer((1 / size) * axis);
    }
  }
  // Without any axis, the cores are points or segments. They have no volume, so no movement is
  // needed to separate them.
  return least < std::numeric_limits<double>::max() ? std::max(least, 0.0) : 0;
}

double overlap_with_plane(const CoreShape& core, const PlacedPart& plane) {
  ORRERY_ASSERT(plane.part.kind == ShapeKind::plane);
  const Vec3& up = plane.axes.y;
  const double lowest = dot(core.vertices()[core.support(-up)] - plane.centre, up);
  return std::max(0.0, core.radius() - lowest);
}

}  // namespace

double overlap(const ShapeSet& shapes, const Part& a, const Pose& pose_a, const Part& b,
               const Pose& pose_b) {
  ORRERY_ASSERT(is_convex(a.kind) && is_convex(b.kind));
  ORRERY_ASSERT(a.kind != ShapeKind::plane || b.kind != ShapeKind::plane);
  const PlacedPart placed_a = placed(a, pose_a, pose_a.position);
  const PlacedPart placed_b = placed(b, pose_b, pose_a.position);
  if (b.kind == ShapeKind::plane) return overlap_with_plane({shapes, placed_a}, placed_b);
  if (a.kind == ShapeKind::plane) return overlap_with_plane({shapes, placed_b}, placed_a);
  const CoreShape core_a(shapes, placed_a);
  const CoreShape core_b(shapes, placed_b);
  const double radii = core_a.radius() + core_b.radius();
  const double distance = nearest_points(core_a, core_b).distance;
  if (distance > 0) return std::max(0.0, radii - distance);
  return radii + overlap_of_cores(core_a, core_b);
}

}  // namespace orrery::physics
