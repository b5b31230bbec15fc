// Merges the triangles of a hull into faces and edges; used only by hull.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/physics/shape/hull.h"

namespace orrery::physics {

// A triangle of a hull that is being built.
struct HullTriangle {
  std::uint32_t vertices[3];  // counterclockwise from outside
  Vec3 normal;                // unit, outward
  double offset;              // the plane is dot(normal, x) = offset
  double size;                // twice the area
};

// Merges coplanar triangles into faces. `size` is the size of the whole hull. Returns an error if
// the hull has too many vertices, or is so thin or crooked that no closed polyhedron is left.
// REQUIRES: at least four triangles, and size > 0.
Result<Hull> merge_triangles(std::span<const Vec3> points,
                             const std::vector<HullTriangle>& triangles, double size);

}  // namespace orrery::physics
