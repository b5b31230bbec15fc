// Tests the margins of contacts.
#include "common/physics/body/contact_margin.h"

#include <gtest/gtest.h>

#include <limits>

namespace orrery {
namespace {

constexpr double kTick = 1.0 / 60;

using physics::PartSize;

TEST(ContactMargin, FollowsGravityBetweenSharesOfTheSize) {
  const physics::ContactMargin margin = physics::contact_margin({0, -9.81, 0}, kTick);
  EXPECT_NEAR(margin.of({0.5, 0.9}), 0.02, 1e-4);
  EXPECT_EQ(margin.of({0.02, 0.02}), margin.of({0.5, 0.9}));
  EXPECT_EQ(margin.of({1e-5, 0.5}), margin.of({0.5, 0.9}));  // a thin rod
  EXPECT_EQ(margin.of({100, 200}), physics::kMarginShareMin * 100);
  EXPECT_EQ(margin.of({0.001, 0.002}), physics::kMarginShareMax * 0.002);
  EXPECT_EQ(margin.of({}), 0);
  EXPECT_EQ(physics::contact_margin({}, kTick).of({3, 4}), physics::kMarginShareMin * 3);
}

// In a unit of length that is a power of two, the margin has the same digits.
TEST(ContactMargin, HasNoUnitOfLength) {
  for (const double unit : {0x1p-20, 0x1p-3, 2.0, 0x1p10}) {
    for (const double radius : {1e-3, 0.3, 40.0}) {
      EXPECT_EQ(physics::contact_margin({0, unit * -9.81, 0}, kTick)
                    .of({unit * radius, unit * 2 * radius}),
                unit * physics::contact_margin({0, -9.81, 0}, kTick).of({radius, 2 * radius}));
    }
  }
}

// A plane has no inner radius, so the other part counts.
TEST(ContactMargin, IsTheOneOfTheSmallerPart) {
  const physics::ContactMargin margin{0};
  physics::Part small, large, plane;
  small.inner_radius = small.reach = 1;
  large.inner_radius = large.reach = 5;
  plane.reach = std::numeric_limits<double>::infinity();
  EXPECT_EQ(margin.of(small, large), margin.of({1, 1}));
  EXPECT_EQ(margin.of(large, small), margin.of({1, 1}));
  EXPECT_EQ(margin.of(plane, large), margin.of({5, 5}));
  const physics::Part both[] = {small, large};
  EXPECT_EQ(physics::largest_size(both).inner_radius, 5);
  EXPECT_EQ(physics::largest_size(both).reach, 5);
}

}  // namespace
}  // namespace orrery
