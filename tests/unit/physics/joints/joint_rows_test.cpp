// Tests the passes over joint rows against momentum and the speeds that joints allow.
#include "common/physics/joints/joint_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

using physics::Joint;
using physics::JointKind;

constexpr double kH = 1.0 / 240;

// Two boxes 1 m apart that move and turn, and a joint half way between them. The joint has no
// error.
struct Two {
  explicit Two(JointKind kind) : world(64), memory(64) {
    const std::uint32_t box = world.add_box({0.3, 0.2, 0.1});
    world.add(box, {0, 0, 0}, {1, 2, -1}, {0.5, -1, 2});
    world.add(box, {1, 0, 0}, {-2, 0.5, 3}, {-1, 0.3, 0.7});
    memory.used().set(0);
    memory.used().set(1);
    physics::load_poses(world.bodies, memory.rows(), 0, 1);
    joint.kind = kind;
    joint.b = 1;
    joint.at_a = frame_on(0);
    joint.at_b = frame_on(1);
  }
  Pose frame_on(std::uint32_t slot) const {
    const Quat back = conjugate(world.bodies.orientation(slot));
    return {rotate(back, Vec3{0.5, 0, 0} - world.bodies.position(slot)), back};
  }
  void start() {
    rows.start(kH, nullptr);
    impulses.assign(state_numbers(joint), 0);
    rows.add(joint, true, 0, joint.frequency, world.bodies, memory.rows(), impulses);
  }
  // Moves and turns the bodies for a very short time.
  void move(double time) {
    for (std::uint32_t slot : {0u, 1u}) {
      const Vec3 half = time / 2 * spin(slot);
      const Quat turn = normalized({half.x, half.y, half.z, 1});
      world.bodies.set_position(slot, world.bodies.position(slot) + time * velocity(slot));
      world.bodies.set_orientation(slot, normalized(turn * world.bodies.orientation(slot)));
    }
  }
  Vec3 velocity(std::uint32_t slot) const { return part(slot, 0); }
  Vec3 spin(std::uint32_t slot) const { return part(slot, 3); }
  Vec3 part(std::uint32_t slot, int first) const {
    const double* const at = memory.rows().motion[slot].at + first;
    return {at[0], at[1], at[2]};
  }
  // Returns the relative velocity of the joint's points.
  Vec3 slip() const {
    return (velocity(1) + cross(spin(1), {-0.5, 0, 0})) -
           (velocity(0) + cross(spin(0), {0.5, 0, 0}));
  }
  Vec3 momentum() const { return mass() * (velocity(0) + velocity(1)); }
  Vec3 angular_momentum() const {
    Vec3 sum = cross({1, 0, 0}, mass() * velocity(1));
    for (std::uint32_t slot : {0u, 1u}) {
      const Quat q = world.bodies.orientation(slot);
      const Vec3 i = world.bodies.inverse_inertia(slot);
      const Vec3 w = rotate_back(q, spin(slot));
      sum = sum + rotate(q, {w.x / i.x, w.y / i.y, w.z / i.z});
    }
    return sum;
  }
  double mass() const { return 1 / world.bodies.inverse_mass(0); }

  ContactWorld world;
  mutable physics::BodyRowMemory memory;
  physics::JointRows rows;
  Joint joint;
  std::vector<double> impulses;
};

TEST(JointRows, StopTheMotionThatAJointForbidsAndKeepMomentum) {
  for (JointKind kind : {JointKind::ball, JointKind::hinge, JointKind::slider, JointKind::weld}) {
    Two two(kind);
    two.start();
    const Vec3 momentum = two.momentum(), angular = two.angular_momentum();
    ASSERT_GT(length(two.slip()), 1);
    for (int pass = 0; pass < 300; ++pass)
      two.rows.relax(two.memory.rows(), two.rows.rows(), two.impulses);
    const Vec3 slip = two.slip(), turn = two.spin(1) - two.spin(0);
    if (kind != JointKind::slider) {
      EXPECT_LT(length(slip), 1e-9);
    }
    if (kind == JointKind::slider) {
      EXPECT_LT(std::hypot(slip.y, slip.z), 1e-9);
    }
    if (kind == JointKind::hinge) {
      EXPECT_LT(std::hypot(turn.y, turn.z), 1e-9);
    }
    if (kind == JointKind::slider || kind == JointKind::weld) {
      EXPECT_LT(length(turn), 1e-9);
    }
    EXPECT_LT(length(two.momentum() - momentum), 1e-9 * length(momentum));
    EXPECT_LT(length(two.angular_momentum() - angular), 1e-9 * length(angular));
  }
}

// Compares the speed along rows with the rate at which their errors change. They are equal if the
// axes of the joint coincide as its kind requires.
void expect_rates(Two& two, bool holds) {
  SCOPED_TRACE(physics::traits_of(two.joint.kind).name);
  constexpr double kTime = 1e-7;
  two.start();
  const std::vector<physics::JointRows::Row> before(two.rows.rows().begin(), two.rows.rows().end());
  two.move(kTime);
  two.start();
  ASSERT_EQ(before.size(), two.rows.rows().size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    if ((before[i].rule == physics::JointRows::Rule::hold) != holds) continue;
    const double rate = (two.rows.rows()[i].error - before[i].error) / kTime;
    EXPECT_NEAR(rate, physics::JointRows::speed(two.memory.rows(), before[i]), 1e-5) << "row " << i;
  }
}

TEST(JointRows, HaveTheRateOfTheirErrorAsSpeed) {
  for (std::uint32_t i = 0; i < physics::kJointKinds; ++i) {
    Two held(static_cast<JointKind>(i));
    // Other kinds hold two points together. Their forces act in the middle between the points, so
    // the speed is the rate of the error only where these coincide.
    const bool apart =
        held.joint.kind == JointKind::slider || held.joint.kind == JointKind::distance;
    if (apart) held.joint.at_b.position = {0.2, -0.3, 0.4};
    held.joint.rest = 1;
    expect_rates(held, true);
    Two limited(static_cast<JointKind>(i));
    const auto& traits = physics::traits_of(limited.joint.kind);
    if (!traits.moves) continue;
    const Quat turn = traits.angles > 0 ? Quat{0.4, 0, 0, 1} : Quat{0.4, -0.3, 0.2, 1};
    limited.joint.at_b = {{0.2, -0.3, 0.4}, normalized(turn)};
    limited.joint.limited = true;
    limited.joint.upper = 2;
    limited.joint.frequency = 1;
    expect_rates(limited, false);
  }
}

TEST(JointRows, DriveAMotorWithNoMoreThanItsTorque) {
  Two two(JointKind::hinge);
  two.joint.motor_speed = 30;
  two.joint.motor_max = 1e6;
  two.start();
  for (int pass = 0; pass < 300; ++pass)
    two.rows.solve(two.memory.rows(), two.rows.rows(), two.impulses);
  EXPECT_NEAR(two.spin(1).x - two.spin(0).x, 30, 1e-9);

  Two weak(JointKind::hinge);
  weak.joint.motor_speed = 30;
  weak.joint.motor_max = 0.25;
  weak.start();
  for (int pass = 0; pass < 300; ++pass)
    weak.rows.solve(weak.memory.rows(), weak.rows.rows(), weak.impulses);
  EXPECT_DOUBLE_EQ(weak.impulses.back(), kH * 0.25);
  EXPECT_LT(weak.spin(1).x - weak.spin(0).x, 30);
}

TEST(JointRows, WarmStartWithTheImpulsesOfThePassBefore) {
  Two first(JointKind::weld), second(JointKind::weld);
  first.start();
  for (int pass = 0; pass < 300; ++pass)
    first.rows.relax(first.memory.rows(), first.rows.rows(), first.impulses);
  second.start();
  second.rows.apply(second.memory.rows(), second.rows.rows(), first.impulses);
  EXPECT_LT(length(second.slip()), 1e-9);
  EXPECT_LT(length(second.velocity(0) - first.velocity(0)), 1e-9);
}

}  // namespace
}  // namespace orrery
