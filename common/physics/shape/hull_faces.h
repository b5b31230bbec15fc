// Owns the step from the triangles of a hull to its faces and edges; for hull.cpp alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/physics/shape/hull.h"

namespace orrery::physics {

struct HullTriangle {
  std::uint32_t vertices[3];  // counterclockwise from outside
  Vec3 normal;                // unit, outward
  double offset;              // in the plane dot(normal, x) = offset
  double size;                // twice the area
};

// `size` is that of the whole. Refuses what has too many vertices, or is so thin or crooked that no
// closed polyhedron is left.
Result<Hull> merge_triangles(std::span<const Vec3> points,
                             const std::vector<HullTriangle>& triangles, double size);

}  // namespace orrery::physics
