// Tests that the triangles of solids merge into faces, and that solids with a hole are refused.
#include "common/physics/shape/hull_faces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace orrery {
namespace {

using physics::HullTriangle;

HullTriangle triangle(const std::vector<Vec3>& points, std::uint32_t a, std::uint32_t b,
                      std::uint32_t c) {
  const Vec3 area = cross(points[b] - points[a], points[c] - points[a]);
  const Vec3 normal = (1 / length(area)) * area;
  return {{a, b, c}, normal, dot(normal, points[a]), length(area)};
}

// Returns the corners of a brick with edges `size`. Bits 0, 1 and 2 of the index of a corner select
// its x, y and z.
std::vector<Vec3> brick(const Vec3& size) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i) {
    points.push_back(scaled(size, {double(i & 1), double(i >> 1 & 1), double(i >> 2)}));
  }
  return points;
}

// Returns two triangles for each side of a brick, counterclockwise from outside.
std::vector<HullTriangle> brick_triangles(const std::vector<Vec3>& points) {
  constexpr std::uint32_t kSides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                          {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  std::vector<HullTriangle> triangles;
  for (const auto& s : kSides) {
    triangles.push_back(triangle(points, s[0], s[1], s[2]));
    triangles.push_back(triangle(points, s[0], s[2], s[3]));
  }
  return triangles;
}

TEST(HullFaces, MergeTheTrianglesOfABrick) {
  const Vec3 size{2, 3, 5};
  const std::vector<Vec3> points = brick(size);
  const auto hull = physics::merge_triangles(points, brick_triangles(points), 5).value();
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.edges.size(), 12u);
  ASSERT_EQ(hull.faces.size(), 6u);
  double volume = 0;  // by the divergence theorem: offset times area over 3
  for (const physics::HullFace& face : hull.faces) {
    EXPECT_EQ(face.corners, 4);
    const Vec3 n{std::abs(face.normal.x), std::abs(face.normal.y), std::abs(face.normal.z)};
    EXPECT_NEAR(n.x + n.y + n.z, 1, 1e-15);  // along an axis
    const double area = n.x * size.y * size.z + n.y * size.x * size.z + n.z * size.x * size.y;
    volume += face.offset * area / 3;
  }
  EXPECT_NEAR(volume, 2 * 3 * 5, 1e-12);
}

TEST(HullFaces, KeepTheFacesOfATetrahedronApart) {
  const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<HullTriangle> triangles = {triangle(points, 0, 2, 1), triangle(points, 0, 1, 3),
                                               triangle(points, 0, 3, 2),
                                               triangle(points, 1, 2, 3)};
  const auto hull = physics::merge_triangles(points, triangles, 1).value();
  EXPECT_EQ(hull.vertices.size(), 4u);
  EXPECT_EQ(hull.edges.size(), 6u);
  EXPECT_EQ(hull.faces.size(), 4u);
}

// A corner in the middle of an edge has two faces only, and is no corner of the hull.
TEST(HullFaces, RemoveCornersOnStraightEdges) {
  std::vector<Vec3> points = brick({1, 1, 1});
  std::vector<HullTriangle> triangles = brick_triangles(points);
  const std::uint32_t middle = 8;
  points.push_back({0.5, 0, 0});  // between corners 0 and 1
  std::vector<HullTriangle> split;
  for (const HullTriangle& t : triangles) {
    const auto& v = t.vertices;
    int side = -1;
    for (int i = 0; i < 3; ++i) {
      if (std::min(v[i], v[(i + 1) % 3]) == 0 && std::max(v[i], v[(i + 1) % 3]) == 1) side = i;
    }
    if (side < 0) {
      split.push_back(t);
      continue;
    }
    const std::uint32_t from = v[side], to = v[(side + 1) % 3], far = v[(side + 2) % 3];
    split.push_back(triangle(points, from, middle, far));
    split.push_back(triangle(points, middle, to, far));
  }
  ASSERT_EQ(split.size(), 14u);
  const auto hull = physics::merge_triangles(points, split, 1).value();
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.edges.size(), 12u);
}

TEST(HullFaces, RefuseASolidWithAHole) {
  const std::vector<Vec3> points = brick({1, 1, 1});
  for (std::size_t gone = 0; gone < 12; ++gone) {
    std::vector<HullTriangle> triangles = brick_triangles(points);
    triangles.erase(triangles.begin() + static_cast<std::ptrdiff_t>(gone));
    EXPECT_FALSE(physics::merge_triangles(points, triangles, 1).ok()) << gone;
  }
}

}  // namespace
}  // namespace orrery
