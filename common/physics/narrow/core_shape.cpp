// Converts parts to cores, and lists the features of boxes and triangles.
#include "common/physics/narrow/core_shape.h"

#include "common/core/assert.h"

namespace orrery::physics {
namespace {

// The faces of a box. The bits of the index of a box vertex give the signs of its coordinates (1:
// x, 2: y, 4: z; a set bit means positive).
constexpr std::array<HullFace, 6> kBoxFaces = {{
    {{-1, 0, 0}, 0, 0, 4},
    {{1, 0, 0}, 0, 4, 4},
    {{0, -1, 0}, 0, 8, 4},
    {{0, 1, 0}, 0, 12, 4},
    {{0, 0, -1}, 0, 16, 4},
    {{0, 0, 1}, 0, 20, 4},
}};
// Edges 0-3 run along x, 4-7 along y, 8-11 along z.
constexpr std::array<HullEdge, 12> kBoxEdges = {{
    {0, 1, 2, 4},
    {2, 3, 4, 3},
    {4, 5, 5, 2},
    {6, 7, 3, 5},
    {0, 2, 4, 0},
    {1, 3, 1, 4},
    {4, 6, 0, 5},
    {5, 7, 5, 1},
    {0, 4, 0, 2},
    {1, 5, 2, 1},
    {2, 6, 3, 0},
    {3, 7, 1, 3},
}};
constexpr std::array<HullCorner, 24> kBoxCorners = {{
    {0, 8},  {4, 6},  {6, 10}, {2, 4},  // -x
    {1, 5},  {3, 11}, {7, 7},  {5, 9},  // +x
    {0, 0},  {1, 9},  {5, 2},  {4, 8},  // -y
    {2, 10}, {6, 3},  {7, 11}, {3, 1},  // +y
    {0, 4},  {2, 1},  {3, 5},  {1, 0},  // -z
    {4, 2},  {5, 7},  {7, 3},  {6, 6},  // +z
}};

constexpr std::array<HullEdge, 1> kSegmentEdge = {{{0, 1, 0, 0}}};

// Normals are in the axes of the triangle; z is the normal of the first face.
constexpr std::array<HullFace, 2> kTriangleFaces = {{{{0, 0, 1}, 0, 0, 3}, {{0, 0, -1}, 0, 3, 3}}};
constexpr std::array<HullEdge, 3> kTriangleEdges = {{{0, 1, 0, 1}, {1, 2, 0, 1}, {2, 0, 0, 1}}};
constexpr std::array<HullCorner, 6> kTriangleCorners = {
    {{0, 0}, {1, 1}, {2, 2}, {0, 2}, {2, 1}, {1, 0}}};

}  // namespace

CoreShape::CoreShape(const ShapeSet& shapes, const PlacedPart& placed)
    : count_(1), centre_(placed.centre), axes_(placed.axes) {
  const Part& part = placed.part;
  ORRERY_ASSERT(part.kind <= ShapeKind::hull);
  vertices_[0] = centre_;
  if (part.kind == ShapeKind::sphere || part.kind == ShapeKind::capsule) radius_ = part.radius;
  if (part.kind == ShapeKind::capsule) {
    count_ = 2;
    vertices_[0] = centre_ - part.half_length * axes_.y;
    vertices_[1] = centre_ + part.half_length * axes_.y;
    edges_ = kSegmentEdge;
  }
  if (part.kind == ShapeKind::box) {
    count_ = 8;
    const Vec3 x = part.half_extents.x * axes_.x;
    const Vec3 y = part.half_extents.y * axes_.y;
    const Vec3 z = part.half_extents.z * axes_.z;
    for (unsigned i = 0; i < 8; ++i) {
      vertices_[i] = centre_ + (i & 1 ? x : -x) + (i & 2 ? y : -y) + (i & 4 ? z : -z);
    }
    faces_ = kBoxFaces;
    corners_ = kBoxCorners;
    edges_ = kBoxEdges;
  }
  if (part.kind == ShapeKind::hull) {
    const Hull& hull = shapes.hull(part);
    count_ = static_cast<std::uint32_t>(hull.vertices.size());
    for (std::uint32_t i = 0; i < count_; ++i) vertices_[i] = centre_ + axes_ * hull.vertices[i];
    faces_ = hull.faces;
    corners_ = hull.corners;
    edges_ = hull.edges;
  }
}

CoreShape::CoreShape(const std::array<Vec3, 3>& triangle)
    : count_(3), faces_(kTriangleFaces), corners_(kTriangleCorners), edges_(kTriangleEdges) {
  for (std::size_t i = 0; i < 3; ++i) vertices_[i] = triangle[i];
  centre_ = (1.0 / 3) * (triangle[0] + triangle[1] + triangle[2]);
  const Vec3 along = triangle[1] - triangle[0];
  const Vec3 across = cross(along, triangle[2] - triangle[0]);
  const double size = length(across);
  ORRERY_ASSERT(size > 0);
  axes_.z = (1 / size) * across;
  axes_.x = (1 / length(along)) * along;
  axes_.y = cross(axes_.z, axes_.x);
}

}  // namespace orrery::physics
