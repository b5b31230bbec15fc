// Tests contacts of capsules in exact cases.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

constexpr double kMargin = 0.02;

const physics::Part kBox = part_of(physics::ShapeKind::box, 0, {0.5, 0.3, 0.2});
const physics::Part kCapsule = part_of(physics::ShapeKind::capsule, 0.2, {}, 0.4);

TEST(Contact, OfCapsulesAlongEachOtherIsTwoPoints) {
  physics::Manifold m;
  ASSERT_TRUE(physics::collide({}, kCapsule, {}, kCapsule, {{0.39, 0.3, 0}, {}}, kMargin, m));
  ASSERT_EQ(m.count, 2u);
  EXPECT_NEAR(m.normal.x, 1, 1e-15);
  EXPECT_NEAR(m.points[0].at.y, -0.1, 1e-15);
  EXPECT_NEAR(m.points[1].at.y, 0.4, 1e-15);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(m.points[i].separation, -0.01, 1e-15);
    EXPECT_NEAR(m.points[i].at.x, 0.195, 1e-15);
  }
}

TEST(Contact, OfCapsulesThatCrossIsOnePoint) {
  const Quat across = normalized({1, 0, 0, 1});
  physics::Manifold m;
  ASSERT_TRUE(physics::collide({}, kCapsule, {}, kCapsule, {{0.39, 0.1, 0.3}, across}, kMargin, m));
  ASSERT_EQ(m.count, 1u);
  EXPECT_NEAR(length(m.points[0].at - Vec3{0.195, 0.1, 0}), 0, 1e-14);
  // If the axes intersect, the normal is at right angles to both.
  ASSERT_TRUE(physics::collide({}, kCapsule, {}, kCapsule, {{0, 0.1, 0.3}, across}, kMargin, m));
  EXPECT_NEAR(m.points[0].separation, -0.4, 1e-14);
  EXPECT_NEAR(std::abs(m.normal.x), 1, 1e-14);
  // One capsule is above the end of the other, both upright.
  ASSERT_TRUE(physics::collide({}, kCapsule, {}, kCapsule, {{0, 1.19, 0}, {}}, kMargin, m));
  EXPECT_EQ(m.count, 1u);
  EXPECT_NEAR(m.normal.y, 1, 1e-15);
  EXPECT_NEAR(m.points[0].separation, -0.01, 1e-15);
}

TEST(Contact, OfACapsuleThatLiesOnABoxIsTwoPoints) {
  const Quat lying = normalized({0, 0, 1, 1});  // along x
  physics::Manifold m;
  ASSERT_TRUE(physics::collide({}, kCapsule, {{0.3, 0.495, 0}, lying}, kBox, {}, kMargin, m));
  ASSERT_EQ(m.count, 2u);
  EXPECT_NEAR(m.normal.y, -1, 1e-15);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(m.points[i].separation, -0.005, 1e-15);
  EXPECT_NEAR(std::abs(m.points[0].at.x - m.points[1].at.x), 0.6, 1e-15);
  // The axis of the capsule is inside the box. The contact pushes the capsule out through the
  // nearest face.
  ASSERT_TRUE(physics::collide({}, kCapsule, {{0.3, 0.25, 0}, lying}, kBox, {}, kMargin, m));
  ASSERT_EQ(m.count, 2u);
  EXPECT_NEAR(m.normal.y, -1, 1e-15);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(m.points[i].separation, -0.25, 1e-15);
}

}  // namespace
}  // namespace orrery
