// Owns surfaces of triangles that nothing moves, with the tree that finds the triangles near a box.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/math/vec3.h"
#include "common/physics/aabb.h"

namespace orrery {

struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;  // counterclockwise from outside
  Aabb bounds;
};

}  // namespace orrery
