// Tests the margins of contacts.
#include "common/physics/body/contact_margin.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

constexpr double kTick = 1.0 / 60;

TEST(ContactMargin, FollowsGravityBetweenSharesOfTheSize) {
  const physics::ContactMargin margin = physics::contact_margin({0, -9.81, 0}, kTick);
  EXPECT_NEAR(margin.of(0.5), 0.02, 1e-4);
  EXPECT_EQ(margin.of(0.02), margin.of(0.5));
  EXPECT_EQ(margin.of(100), physics::kMarginShareMin * 100);
  EXPECT_EQ(margin.of(0.001), physics::kMarginShareMax * 0.001);
  EXPECT_EQ(margin.of(0), 0);
  EXPECT_EQ(physics::contact_margin({}, kTick).of(3), physics::kMarginShareMin * 3);
}

// In a unit of length that is a power of two, the margin has the same digits.
TEST(ContactMargin, HasNoUnitOfLength) {
  for (const double unit : {0x1p-20, 0x1p-3, 2.0, 0x1p10}) {
    for (const double radius : {1e-3, 0.3, 40.0}) {
      EXPECT_EQ(physics::contact_margin({0, unit * -9.81, 0}, kTick).of(unit * radius),
                unit * physics::contact_margin({0, -9.81, 0}, kTick).of(radius));
    }
  }
}

// A plane has no inner radius, so the other part counts.
TEST(ContactMargin, IsTheOneOfTheSmallerPart) {
  const physics::ContactMargin margin{0};
  physics::Part small, large;
  small.inner_radius = 1;
  large.inner_radius = 5;
  const physics::Part plane;
  EXPECT_EQ(margin.of(small, large), margin.of(1));
  EXPECT_EQ(margin.of(large, small), margin.of(1));
  EXPECT_EQ(margin.of(plane, large), margin.of(5));
  const physics::Part both[] = {small, large};
  EXPECT_EQ(physics::widest_inner_radius(both), 5);
}

}  // namespace
}  // namespace orrery
