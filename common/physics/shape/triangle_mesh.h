// Owns surfaces of triangles, with the tree that finds the triangles near a box.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/result.h"
#include "common/math/vec3.h"
#include "common/physics/shape/aabb.h"
#include "common/physics/shape/spatial_tree.h"

namespace orrery::physics {

inline constexpr std::uint32_t kNoTriangle = ~0u;

// Three vertices, counterclockwise from outside. Side i goes from vertex i to the next.
using Triangle = std::array<std::uint32_t, 3>;

struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  // For each side the triangle beyond it, or kNoTriangle: the rim, or a side of more than two.
  std::vector<std::array<std::uint32_t, 3>> neighbours;
  SpatialTree tree{0};  // of the boxes of the triangles
  Aabb bounds;

  std::array<Vec3, 3> corners(std::uint32_t triangle) const {
    const Triangle& t = triangles[triangle];
    return {vertices[t[0]], vertices[t[1]], vertices[t[2]]};
  }
};

// Refuses, with the reason, what is no surface.
Result<TriangleMesh> make_mesh(std::span<const Vec3> vertices, std::span<const Triangle> triangles);

// Two triangles a cell, seen from above: y = heights[row * columns + column] at x = column *
// spacing, z = row * spacing.
Result<TriangleMesh> make_height_field(std::span<const double> heights, std::uint32_t columns,
                                       double spacing);

}  // namespace orrery::physics
