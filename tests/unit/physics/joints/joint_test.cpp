// Tests the number of rows of each kind of joint, and the errors of joints.
#include "common/physics/joints/joint.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

using physics::Joint;
using physics::JointKind;

// A rigid body has six degrees of freedom. The rows of a joint hold those that its kind does not
// leave free. A distance joint with limits, a spring or a motor holds none.
TEST(Joint, HoldsTheDegreesOfFreedomThatItsKindDoesNotLeaveFree) {
  const struct {
    JointKind kind;
    std::uint32_t free;
  } kinds[] = {{JointKind::distance, 5},
               {JointKind::ball, 3},
               {JointKind::hinge, 1},
               {JointKind::slider, 1},
               {JointKind::weld, 0}};
  for (const auto& [kind, free] : kinds) {
    Joint joint;
    joint.kind = kind;
    EXPECT_EQ(hold_rows(joint), 6 - free);
    EXPECT_EQ(coordinate_rows(joint), 0u);
    joint.limited = true;
    EXPECT_EQ(coordinate_rows(joint), kind == JointKind::ball ? 1u : 2u);
    joint.frequency = 1;
    joint.motor_max = 1;
    EXPECT_EQ(coordinate_rows(joint), kind == JointKind::ball ? 3u : 4u);
    EXPECT_EQ(hold_rows(joint), kind == JointKind::distance ? 0 : 6 - free);
  }
}

// The points of the joint are 3, 4 and 12 m apart along the axes of body a. Their distance is 13 m.
struct Apart {
  Apart() : bodies(64) {
    const Quat turn = normalized({0.3, -0.2, 0.5, 1});
    for (std::uint32_t slot : {0u, 1u}) {
      bodies.occupy(slot);
      bodies.set_orientation(slot, turn);
    }
    bodies.set_position(1, rotate(turn, {3, 4, 12}));
    joint.b = 1;
    joint.at_a.position = joint.at_b.position = {0.1, 0.2, 0.3};
  }
  double error(JointKind kind) {
    joint.kind = kind;
    return joint_error(joint, bodies);
  }
  physics::Bodies bodies;
  Joint joint;
};

TEST(Joint, HasTheDistanceOfItsPointsAsError) {
  Apart apart;
  for (JointKind kind : {JointKind::ball, JointKind::hinge, JointKind::weld}) {
    EXPECT_NEAR(apart.error(kind), 13, 1e-12);
  }
  EXPECT_NEAR(apart.error(JointKind::slider), std::sqrt(4 * 4 + 12 * 12), 1e-12);
}

TEST(Joint, OfADistanceHasTheForbiddenPartAsError) {
  Apart apart;
  apart.joint.rest = 10;
  EXPECT_NEAR(apart.error(JointKind::distance), 3, 1e-12);
  apart.joint.limited = true;
  apart.joint.lower = 15;
  apart.joint.upper = 20;
  EXPECT_NEAR(apart.error(JointKind::distance), 2, 1e-12);
  apart.joint.lower = 5;
  EXPECT_EQ(apart.error(JointKind::distance), 0);
  apart.joint.upper = 6;
  EXPECT_NEAR(apart.error(JointKind::distance), 7, 1e-12);
  apart.joint.limited = false;
  apart.joint.frequency = 1;  // a spring allows any distance
  EXPECT_EQ(apart.error(JointKind::distance), 0);
}

}  // namespace
}  // namespace orrery
