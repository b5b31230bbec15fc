// Tests that hulls are closed and convex for any points, and that flat sets of points are refused.
#include "common/physics/shape/hull.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 0x41A11;

// Checks a hull of `points`. The counts fit Euler's formula, every side of a face is an edge that
// names this face on its left or right, no point is outside, and every vertex is one of the points.
void expect_sound(const physics::Hull& hull, const std::vector<Vec3>& points) {
  double size = 0;
  for (const Vec3& p : points) size = std::max(size, length(p - points[0]));
  ASSERT_EQ(hull.vertices.size() + hull.faces.size(), hull.edges.size() + 2);
  ASSERT_EQ(hull.corners.size(), 2 * hull.edges.size());
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const physics::HullFace& face = hull.faces[f];
    ASSERT_GE(face.corners, 3);
    EXPECT_NEAR(length(face.normal), 1, 1e-12);
    for (std::size_t i = 0; i < face.corners; ++i) {
      const physics::HullCorner& corner = hull.corners[face.first + i];
      const physics::HullCorner& next = hull.corners[face.first + (i + 1) % face.corners];
      const physics::HullEdge& edge = hull.edges[corner.edge];
      const bool left = edge.from == corner.vertex && edge.to == next.vertex && edge.left == f;
      const bool right = edge.to == corner.vertex && edge.from == next.vertex && edge.right == f;
      EXPECT_TRUE(left || right);
    }
    for (const Vec3& p : points) EXPECT_LE(dot(face.normal, p) - face.offset, 3e-7 * size);
  }
  for (const Vec3& vertex : hull.vertices) {
    EXPECT_TRUE(std::any_of(points.begin(), points.end(), [&](const Vec3& p) {
      return length(p - vertex) <= 1e-12 * size + 1e-9 * length(p);
    }));
  }
}

std::vector<Vec3> grid(int n, const Vec3& step) {
  std::vector<Vec3> points;
  for (int i = 0; i < n * n * n; ++i) {
    points.push_back(scaled(step, {double(i % n), double(i / n % n), double(i / n / n)}));
  }
  return points;
}

TEST(Hull, OfAGridIsABox) {
  SplitMix64 random(kSeed);
  for (int i = 0; i < 20; ++i) {
    const Quat turn = i == 0 ? Quat{} : random_turn(random);
    std::vector<Vec3> points = grid(5, {1, 0.3, 2});
    for (Vec3& p : points) p = rotate(turn, p);
    const physics::Hull hull = physics::make_hull(points).value();
    expect_sound(hull, points);
    EXPECT_EQ(hull.vertices.size(), 8u);
    EXPECT_EQ(hull.faces.size(), 6u);
    EXPECT_NEAR(physics::volume_moments(hull).volume, 64 * 0.6, 1e-9);
  }
}

TEST(Hull, HoldsRandomPoints) {
  SplitMix64 random(kSeed);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", hull " << i);
    const double thin = i % 3 == 0 ? 1e-3 : 1;
    const Vec3 far = random_vector(random, i % 2 == 0 ? 0 : 1000);
    std::vector<Vec3> points;
    const std::uint32_t count = 4 + random.below(60);
    for (std::uint32_t k = 0; k < count; ++k) {
      const Vec3 p = random_vector(random, 1);
      points.push_back(far + Vec3{p.x, thin * p.y, p.z});
    }
    const Result<physics::Hull> hull = physics::make_hull(points);
    ASSERT_TRUE(hull.ok()) << hull.error().text();
    expect_sound(hull.value(), points);
    // The volume does not depend on the order of the points.
    std::reverse(points.begin(), points.end());
    const physics::Hull reversed = physics::make_hull(points).value();
    physics::Hull a = hull.value(), b = reversed;
    physics::translate(a, -far);
    physics::translate(b, -far);
    const double volume = physics::volume_moments(a).volume;
    EXPECT_GT(volume, 0);
    EXPECT_NEAR(physics::volume_moments(b).volume, volume, 1e-6 * volume + 1e-7);
  }
}

TEST(Hull, OfRoundBodiesKeepsAllCorners) {
  SplitMix64 random(kSeed);
  std::vector<Vec3> points;
  for (int i = 0; i < 64; ++i) points.push_back(random_direction(random));
  const physics::Hull hull = physics::make_hull(points).value();
  EXPECT_EQ(hull.vertices.size(), 64u);
  expect_sound(hull, points);
  points.push_back(random_direction(random));
  EXPECT_EQ(physics::make_hull(points).error().text(),
            "a hull must have at most 64 vertices; these points need more");
}

TEST(Hull, LeavesOutPointsInsideAndTwice) {
  std::vector<Vec3> points = grid(2, {1, 1, 1});
  points.push_back({0.5, 0.5, 0.5});
  points.push_back({1, 1, 1});
  points.push_back({1, 0.5, 0.5});
  points.push_back({0, 0, 0.5});
  points.push_back({1, 1 + 1e-12, 0});
  const physics::Hull hull = physics::make_hull(points).value();
  EXPECT_EQ(hull.vertices.size(), 8u);
  expect_sound(hull, points);
}

TEST(Hull, RefusesWhatHasNoVolume) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(physics::make_hull({}).ok());
  EXPECT_FALSE(physics::make_hull(std::vector<Vec3>(3)).ok());
  EXPECT_FALSE(physics::make_hull(std::vector<Vec3>(100)).ok());
  EXPECT_FALSE(physics::make_hull(std::vector<Vec3>(5000)).ok());
  EXPECT_EQ(physics::make_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}})
                .error()
                .message,
            "points must span a volume, and not be all in one plane");
  EXPECT_FALSE(
      physics::make_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1e-8}}).ok());
  EXPECT_FALSE(
      physics::make_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, nan}}).ok());
  EXPECT_FALSE(
      physics::make_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1e10}}).ok());
}

// Returns "made" or the error of make_hull() for the corners of a cube, each changed by `change`.
template <class Change>
std::string refusal(Change change) {
  std::vector<Vec3> points = grid(2, {1, 1, 1});
  for (Vec3& p : points) change(p);
  const Result<physics::Hull> hull = physics::make_hull(points);
  return hull ? "made" : hull.error().text();
}

TEST(Hull, RefusesDegenerateAndHugePointsWithTheReason) {
  const std::string flat = "points must span a volume, and not be all in one plane";
  const std::string far = "points must be within 1e9 of the origin of the part";
  EXPECT_EQ(refusal([](Vec3&) {}), "made");
  EXPECT_EQ(refusal([](Vec3& p) { p.y = 0; }), flat);                    // in one plane
  EXPECT_EQ(refusal([](Vec3& p) { p.y = 0.3 * p.x - 2 * p.z; }), flat);  // in an inclined plane
  EXPECT_EQ(refusal([](Vec3& p) { p = p.x * Vec3{1, 2, 3}; }), flat);    // on one line
  EXPECT_EQ(refusal([](Vec3& p) { p = {1, 2, 3}; }), flat);              // at one point
  for (const double thin : {1e-7, 1e-100, 1e-300, 5e-324}) {
    EXPECT_EQ(refusal([&](Vec3& p) { p.y *= thin; }), flat) << thin;
    EXPECT_EQ(refusal([&](Vec3& p) { p = thin * p; }), flat) << thin;
    EXPECT_EQ(refusal([&](Vec3& p) { p = Vec3{1e8, 1e8, 1e8} + thin * p; }), flat) << thin;
  }
  for (const double huge : {2e9, 1e12, 1e200, 1.7e308}) {
    EXPECT_EQ(refusal([&](Vec3& p) { p = huge * p; }), far) << huge;
    EXPECT_EQ(refusal([&](Vec3& p) { p.z *= -huge; }), far) << huge;
  }
}

// Any points give a valid hull or an error. The sizes along two axes differ by a factor of up to
// 1e15. In half of the hulls, points lie on a lattice, so that some coincide or lie in one plane.
TEST(Hull, IsSoundOrRefused) {
  SplitMix64 random(kSeed);
  int made = 0;
  for (int i = 0; i < 3000; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", hull " << i);
    const double scales[] = {1e-9, 1e-7, 1e-5, 1e-3, 1, 1e6};
    const double x = scales[random.below(6)], y = scales[random.below(6)];
    const Vec3 scale{x, y, scales[random.below(6)]};
    const double snap = random.below(2) ? 0 : 0.25;
    std::vector<Vec3> points;
    const std::uint32_t count = 4 + random.below(30);
    for (std::uint32_t k = 0; k < count; ++k) {
      Vec3 p = random_vector(random, 1);
      if (snap > 0) p = {snap * int(p.x / snap), snap * int(p.y / snap), snap * int(p.z / snap)};
      points.push_back(scaled(scale, p));
    }
    const Result<physics::Hull> hull = physics::make_hull(points);
    if (!hull) continue;
    ++made;
    expect_sound(hull.value(), points);
  }
  EXPECT_GT(made, 300);
}

}  // namespace
}  // namespace orrery
