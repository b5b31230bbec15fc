// Builds surfaces of triangles, with a tree that finds the triangles near a box.
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

// The entry in TriangleMesh::neighbours for a side without a neighbour.
inline constexpr std::uint32_t kNoTriangle = ~0u;

// Three vertex indices, counterclockwise from outside. Side i goes from vertex i to the next, and
// side 2 back to vertex 0.
using Triangle = std::array<std::uint32_t, 3>;

// A surface of triangles, with the neighbours of each triangle.
struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  // For each triangle and each of its sides, the neighbour at that side: the only other triangle
  // with this side, if its vertex order goes along the side in the opposite direction. kNoTriangle
  // if there is no such triangle.
  std::vector<std::array<std::uint32_t, 3>> neighbours;
  SpatialTree tree{0};  // of the bounding boxes of the triangles
  Aabb bounds;

  // Returns the corners of a triangle.
  std::array<Vec3, 3> corners(std::uint32_t triangle) const {
    const Triangle& t = triangles[triangle];
    return {vertices[t[0]], vertices[t[1]], vertices[t[2]]};
  }
};

// Builds a mesh. Returns an error with the reason if a number is out of range, or a triangle has
// almost no area.
Result<TriangleMesh> make_mesh(std::span<const Vec3> vertices, std::span<const Triangle> triangles);

// Builds a height field: a surface with two triangles for each cell, facing +y. The point in a row
// and column is x = column * spacing, y = heights[row * columns + column], z = row * spacing.
// Returns an error with the reason if `columns`, `spacing`, a height or their number is invalid.
Result<TriangleMesh> make_height_field(std::span<const double> heights, std::uint32_t columns,
                                       double spacing);

}  // namespace orrery::physics
