// A surface in world axes, and the search for its triangles near another part.
#pragma once

#include "common/physics/narrow/core_shape.h"
#include "common/physics/shape/tree_walk.h"

namespace orrery::physics {

// A surface in world axes, relative to the position of body A.
struct PlacedSurface {
  const TriangleMesh& mesh;
  Vec3 origin;
  Mat3 axes;

  PlacedSurface(const ShapeSet& shapes, const PlacedPart& placed)
      : mesh(shapes.mesh(placed.part)), origin(placed.centre), axes(placed.axes) {}

  // Convert a point from surface coordinates to world axes, and back.
  Vec3 world(const Vec3& p) const { return origin + axes * p; }
  Vec3 local(const Vec3& p) const { return transposed_times(axes, p - origin); }
  // Returns the corners of a triangle in world axes.
  std::array<Vec3, 3> corners(std::uint32_t triangle) const {
    const auto [a, b, c] = mesh.corners(triangle);
    return {world(a), world(b), world(c)};
  }
};

// Returns the box around a part (its core and radius), in surface coordinates.
inline Aabb box_in(const PlacedSurface& surface, const CoreShape& core) {
  const Vec3 first = surface.local(core.vertices()[0]);
  Aabb box{first, first};
  for (const Vec3& vertex : core.vertices()) {
    const Vec3 p = surface.local(vertex);
    box = united(box, {p, p});
  }
  return enlarged(box, core.radius());
}

// Calls visit(triangle) for the triangles with bounds that overlap a box in surface coordinates.
template <class Visit>
void visit_triangles(const PlacedSurface& surface, const Aabb& box, const Visit& visit) {
  walk(
      surface.mesh.tree, [&box](const Aabb& other) { return overlaps(other, box); }, visit);
}

}  // namespace orrery::physics
