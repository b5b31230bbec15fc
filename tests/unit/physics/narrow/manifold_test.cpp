// Tests which points a manifold keeps: the deepest one, and others that span a large area.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/physics/narrow/collide.h"
#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

constexpr double kMargin = 0.02;

// Returns twice the area of the convex hull of points in the plane z = 0, by gift wrapping.
double hull_area(const std::vector<Vec3>& points) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].x < points[start].x) start = i;
  }
  double area = 0;
  std::size_t at = start;
  do {
    std::size_t next = at == 0 ? 1 : 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (cross(points[next] - points[at], points[i] - points[at]).z < 0) next = i;
    }
    area += cross(points[at] - points[start], points[next] - points[start]).z;
    at = next;
  } while (at != start);
  return area;
}

std::vector<Vec3> places(std::span<const physics::ManifoldPoint> points) {
  std::vector<Vec3> found;
  for (const physics::ManifoldPoint& point : points) found.push_back(point.at);
  return found;
}

TEST(Manifold, KeepsUpToFourPointsAsTheyAre) {
  std::vector<physics::ManifoldPoint> points;
  for (std::uint32_t count = 1; count <= 4; ++count) {
    points.push_back({{double(count), 0, 0}, -0.01, count});
    physics::Manifold manifold;
    manifold.normal = {0, 0, 1};
    physics::keep_four(points, kMargin, manifold);
    ASSERT_EQ(manifold.count, count);
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(manifold.points[i].feature, i + 1);
  }
}

TEST(Manifold, KeepsTheDeepestPointAndMostOfTheArea) {
  SplitMix64 random(0x4F01);
  double least = 1;
  for (int i = 0; i < 500; ++i) {
    std::vector<physics::ManifoldPoint> points;
    for (std::uint32_t k = 0; k < 5 + random.below(20); ++k) {
      const Vec3 at = random_vector(random, 1);
      points.push_back({{at.x, at.y, 0}, -0.01 + 0.005 * random.symmetric(), k});
    }
    const auto deepest =
        std::min_element(points.begin(), points.end(),
                         [](const auto& a, const auto& b) { return a.separation < b.separation; });
    physics::Manifold manifold;
    manifold.normal = {0, 0, 1};
    physics::keep_four(points, kMargin, manifold);
    ASSERT_GE(manifold.count, 3u);
    EXPECT_LE(manifold.points[0].separation, deepest->separation + 0.01 * kMargin);
    const double kept = hull_area(places({manifold.points, manifold.count}));
    least = std::min(least, kept / hull_area(places(points)));
  }
  // Even the largest quadrilateral in a disc has only 64 % of the area of the disc. keep_four() is
  // greedy and starts from the deepest point, which may be in the middle, so less is required.
  EXPECT_GT(least, 0.3);
}

TEST(Manifold, OfPointsOnALineKeepsItsEnds) {
  std::vector<physics::ManifoldPoint> points;
  for (std::uint32_t i = 0; i < 9; ++i) points.push_back({{double(i), 0, 0}, -0.01, i});
  physics::Manifold manifold;
  manifold.normal = {0, 0, 1};
  physics::keep_four(points, kMargin, manifold);
  ASSERT_EQ(manifold.count, 2u);
  EXPECT_EQ(manifold.points[0].feature, 0u);
  EXPECT_EQ(manifold.points[1].feature, 8u);
}

}  // namespace
}  // namespace orrery
