// Tests contacts of spheres in exact cases.
#include <gtest/gtest.h>

#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

constexpr double kMargin = 0.02;

const physics::Part kBall = part_of(physics::ShapeKind::sphere, 0.5);
const physics::Part kBox = part_of(physics::ShapeKind::box, 0, {0.5, 0.3, 0.2});

TEST(Contact, OfSpheresIsHalfWayBetweenThem) {
  physics::Manifold m;
  ASSERT_TRUE(physics::collide({}, kBall, {{1, 2, 3}, {}}, kBall, {{1, 2.9, 3}, {}}, kMargin, m));
  EXPECT_EQ(m.count, 1u);
  EXPECT_EQ(m.normal, (Vec3{0, 1, 0}));
  EXPECT_NEAR(m.points[0].separation, -0.1, 1e-15);
  EXPECT_NEAR(m.points[0].at.y, 0.45, 1e-15);
  EXPECT_FALSE(physics::collide({}, kBall, {}, kBall, {{0, 1.03, 0}, {}}, kMargin, m));
  EXPECT_TRUE(physics::collide({}, kBall, {}, kBall, {{0, 1.01, 0}, {}}, kMargin, m));
}

TEST(Contact, OfSpheresAtOnePlacePartsThemUpwards) {
  physics::Manifold m;
  ASSERT_TRUE(physics::collide({}, kBall, {}, kBall, {}, kMargin, m));
  EXPECT_EQ(m.normal, (Vec3{0, 1, 0}));
  EXPECT_EQ(m.points[0].separation, -1);
}

TEST(Contact, OfASphereAndABoxIsAtTheNearestPointOfTheBox) {
  physics::Manifold m;
  // The ball is over a face, over an edge, over a corner, and inside the box.
  ASSERT_TRUE(physics::collide({}, kBall, {{0.1, 0.75, 0}, {}}, kBox, {}, kMargin, m));
  EXPECT_EQ(m.normal, (Vec3{0, -1, 0}));
  EXPECT_NEAR(m.points[0].separation, -0.05, 1e-15);
  ASSERT_TRUE(physics::collide({}, kBall, {{0.8, 0.7, 0}, {}}, kBox, {}, kMargin, m));
  EXPECT_NEAR(m.normal.x, -0.6, 1e-15);
  EXPECT_NEAR(m.normal.y, -0.8, 1e-15);
  EXPECT_NEAR(m.points[0].separation, 0, 1e-15);
  ASSERT_TRUE(physics::collide({}, kBall, {{0.7, 0.4, 0.4}, {}}, kBox, {}, kMargin, m));
  EXPECT_NEAR(m.points[0].separation, 0.3 - 0.5, 1e-15);
  ASSERT_TRUE(physics::collide({}, kBall, {{0, 0, -0.05}, {}}, kBox, {}, kMargin, m));
  EXPECT_EQ(m.normal, (Vec3{0, 0, 1}));
  EXPECT_NEAR(m.points[0].separation, -0.15 - 0.5, 1e-15);
}

}  // namespace
}  // namespace orrery
