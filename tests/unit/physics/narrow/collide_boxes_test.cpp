// Tests contacts of boxes in exact cases, and the feature ids of their points.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>

#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

constexpr double kMargin = 0.02;

const physics::Part kBox = part_of(physics::ShapeKind::box, 0, {0.5, 0.3, 0.2});
const physics::Part kPlane = part_of(physics::ShapeKind::plane, 0);

bool finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// Checks the properties that every manifold has.
void expect_sound(const physics::Manifold& m, double margin) {
  ASSERT_GE(m.count, 1u);
  ASSERT_LE(m.count, 4u);
  EXPECT_NEAR(length(m.normal), 1, 1e-9);
  std::set<std::uint32_t> features;
  for (std::uint32_t i = 0; i < m.count; ++i) {
    EXPECT_TRUE(finite(m.points[i].at));
    EXPECT_LE(m.points[i].separation, margin);
    features.insert(m.points[i].feature);
  }
  EXPECT_EQ(features.size(), m.count);
}

TEST(Contact, OfABoxOnAPlaneIsItsFourLowestCorners) {
  physics::Manifold m;
  ASSERT_TRUE(physics::collide({}, kBox, {{7, 0.29, 0}, {}}, kPlane, {}, kMargin, m));
  ASSERT_EQ(m.count, 4u);
  EXPECT_EQ(m.normal, (Vec3{0, -1, 0}));
  for (const physics::ManifoldPoint& p : m.points) {
    EXPECT_NEAR(p.separation, -0.01, 1e-15);
    EXPECT_NEAR(std::abs(p.at.x), 0.5, 1e-15);
    EXPECT_NEAR(p.at.y, -0.295, 1e-15);
    EXPECT_NEAR(std::abs(p.at.z), 0.2, 1e-15);
  }
}

// All corners of a plate may be within the margin of a plane. Only those of its lower face count,
// whichever face this is.
TEST(Contact, OfAThinBoxOnAPlaneIsOneFace) {
  const double r = std::sqrt(0.5);
  for (const double thickness : {1e-4, 0.002, 0.015, 0.1}) {
    const physics::Part box = part_of(physics::ShapeKind::box, 0, {thickness / 2, 0.1, 0.05});
    for (const Quat& turn : {Quat{0, 0, r, r}, Quat{0, 0, -r, r}, Quat{0, 0, 0, 1},
                             Quat{1, 0, 0, 0}, Quat{r, 0, 0, r}, Quat{-r, 0, 0, r}}) {
      const Vec3 half = rotate(turn, {thickness / 2, 0.1, 0.05});
      const Pose pose{{0, std::abs(half.y), 0}, turn};
      physics::Manifold m;
      ASSERT_TRUE(physics::collide({}, box, pose, kPlane, {}, kMargin, m));
      ASSERT_EQ(m.count, 4u) << thickness;
      for (const physics::ManifoldPoint& p : m.points) EXPECT_NEAR(p.separation, 0, 1e-15);
    }
  }
}

TEST(Contact, OfStackedBoxesIsTheFaceTheyShare) {
  physics::Manifold m;
  ASSERT_TRUE(physics::collide({}, kBox, {}, kBox, {{0.2, 0.595, 0.1}, {}}, kMargin, m));
  ASSERT_EQ(m.count, 4u);
  EXPECT_EQ(m.normal, (Vec3{0, 1, 0}));
  for (const physics::ManifoldPoint& p : m.points) {
    EXPECT_NEAR(p.separation, -0.005, 1e-15);
    EXPECT_NEAR(p.at.y, 0.2975, 1e-15);
    EXPECT_TRUE(std::abs(p.at.x - 0.5) < 1e-15 || std::abs(p.at.x + 0.3) < 1e-15);
    EXPECT_TRUE(std::abs(p.at.z - 0.2) < 1e-15 || std::abs(p.at.z + 0.1) < 1e-15);
  }
  expect_sound(m, kMargin);
}

TEST(Contact, OfBoxesThatCrossAtAnEdgeIsOnePoint) {
  // Two cubes, one above the other. The top edge of the lower cube is along x, the bottom edge of
  // the upper cube along z.
  const physics::Part cube = part_of(physics::ShapeKind::box, 0, {0.5, 0.5, 0.5});
  const double root = std::sqrt(0.5);
  const Quat about_x = {std::sin(M_PI / 8), 0, 0, std::cos(M_PI / 8)};
  const Quat about_z = {0, 0, std::sin(M_PI / 8), std::cos(M_PI / 8)};
  physics::Manifold m;
  ASSERT_TRUE(physics::collide({}, cube, {{}, about_x}, cube,
                               {{0.1, 2 * root - 0.01, 0.2}, about_z}, kMargin, m));
  ASSERT_EQ(m.count, 1u);
  EXPECT_NEAR(m.normal.y, 1, 1e-12);
  EXPECT_NEAR(m.points[0].separation, -0.01, 1e-12);
  EXPECT_NEAR(length(m.points[0].at - Vec3{0.1, root - 0.005, 0}), 0, 1e-12);
}

// A point keeps its feature id while a box slides and turns a little on another.
TEST(Contact, KeepsTheNamesOfItsPoints) {
  const auto names_at = [](double shift, double turn) {
    physics::Manifold m;
    const Pose above{{0.2 + shift, 0.595, 0.1 - shift}, normalized({0, turn, turn, 1})};
    EXPECT_TRUE(physics::collide({}, kBox, {}, kBox, above, kMargin, m));
    std::set<std::uint32_t> names;
    for (std::uint32_t i = 0; i < m.count; ++i) names.insert(m.points[i].feature);
    return names;
  };
  for (const double shift : {1e-6, -1e-4, 0.01}) {
    for (const double turn : {0.0, 1e-6, -1e-4, 1e-3}) {
      EXPECT_EQ(names_at(0, 0), names_at(shift, turn)) << shift << ' ' << turn;
    }
  }
}

}  // namespace
}  // namespace orrery
