// Tests joints against pendulums, oscillators and the motions that a joint leaves free.
#include "common/physics/joints/joints.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kG = 9.81;

// Turns x to z, the axis of the hinges in these tests.
const Quat kAlongZ = normalized({0, -1, 0, 1});

// A fixed body at the origin, joined to the end of a box of 1 x 0.2 x 0.2 m.
struct Arm {
  explicit Arm(physics::JointKind kind, const Quat& axes = {}) : world(64) {
    world.substeps = 8;
    base = world.add_fixed(world.add_box({0.1, 0.1, 0.1}), {});
    const Vec3 half{0.5, 0.1, 0.1};
    arm = world.add(world.add_box(half), {0.5, 0, 0});
    joint.kind = kind;
    joint.a = base;
    joint.b = arm;
    // The shape set may have turned the body to the principal axes of the box.
    const Quat to_body = conjugate(world.bodies.orientation(arm));
    joint.at_a = {{}, axes};
    joint.at_b = {rotate(to_body, {-0.5, 0, 0}), to_body * axes};
  }
  void set() { world.solver.set_joints({&joint, 1}); }
  Vec3 end() const {
    return world.bodies.position(arm) + rotate(world.bodies.orientation(arm), joint.at_b.position);
  }
  ContactWorld world;
  std::uint32_t base;
  std::uint32_t arm;
  physics::Joint joint;
};

// Small oscillations of a rod about its end have the period T = 2 pi sqrt(I / (m g l)). l is the
// distance from the end to the centre of mass.
TEST(Joints, HangARodFromABallThatSwingsAsAPhysicalPendulumDoes) {
  Arm a(physics::JointKind::ball);
  a.world.gravity = {kG, 0, 0};  // it hangs along x
  a.set();
  const double inertia = (1.0 + 0.04) / 12 + 0.25;
  const double period = 2 * kPi * std::sqrt(inertia / (kG * 0.5));
  a.world.bodies.set_velocity(a.arm, {0, 0.05, 0});
  const Vec3 spin = rotate_back(a.world.bodies.orientation(a.arm), {0, 0, 0.1});
  const Vec3 i = a.world.bodies.inverse_inertia(a.arm);
  a.world.bodies.set_angular_momentum(a.arm, {spin.x / i.x, spin.y / i.y, spin.z / i.z});
  int crossings = 0, first = 0, last = 0;
  double before = 0;
  for (int tick = 0; tick < 1200; ++tick) {
    a.world.step(1);
    const double y = a.world.bodies.position(a.arm).y;
    if (before < 0 && y >= 0) {
      if (crossings++ == 0) first = tick;
      last = tick;
    }
    before = y;
  }
  ASSERT_GT(crossings, 5);
  EXPECT_NEAR((last - first) / 60.0 / (crossings - 1), period, 0.01 * period);
  EXPECT_LT(length(a.end()), 1e-3);
}

TEST(Joints, LetAHingeTurnAboutItsAxisAlone) {
  Arm a(physics::JointKind::hinge, kAlongZ);
  a.world.gravity = {0, -kG, 3};  // also pulls along the axis
  a.set();
  for (int tick = 0; tick < 300; ++tick) {
    a.world.step(1);
    EXPECT_LT(length(a.end()), 2e-3);
    EXPECT_NEAR(a.world.bodies.position(a.arm).z, 0, 5e-3);
  }
  double lowest = 0;
  for (int tick = 0; tick < 120; ++tick) {
    a.world.step(1);
    lowest = std::min(lowest, a.world.bodies.position(a.arm).y);
  }
  EXPECT_LT(lowest, -0.4);
}

TEST(Joints, StopAHingeAtItsLimits) {
  Arm a(physics::JointKind::hinge, kAlongZ);
  a.joint.limited = true;
  a.joint.lower = -0.5;
  a.joint.upper = 0.25;
  a.set();
  a.world.step(600);
  const Vec3 at = a.world.bodies.position(a.arm);
  EXPECT_NEAR(std::atan2(at.y, at.x), -0.5, 0.01);
  a.world.gravity = {0, kG, 0};
  a.world.step(600);
  EXPECT_NEAR(std::atan2(a.world.bodies.position(a.arm).y, a.world.bodies.position(a.arm).x), 0.25,
              0.01);
}

TEST(Joints, DriveAHingeToTheSpeedOfItsMotorAsFarAsItIsStrong) {
  Arm a(physics::JointKind::hinge, kAlongZ);
  a.world.gravity = {};
  a.joint.motor_max = 1e5;
  a.joint.motor_speed = 3;
  a.set();
  a.world.step(60);
  EXPECT_NEAR(length(a.world.bodies.angular_velocity(a.arm)), 3, 0.01);
  Arm weak(physics::JointKind::hinge, kAlongZ);
  weak.world.gravity = {};
  weak.joint.motor_max = 4;  // N m, on 40 kg
  weak.joint.motor_speed = 100;
  weak.set();
  weak.world.step(60);
  const double inertia = 40 * ((1.0 + 0.04) / 12 + 0.25);
  EXPECT_NEAR(length(weak.world.bodies.angular_velocity(weak.arm)), 4 / inertia,
              0.02 * 4 / inertia);
}

TEST(Joints, LetASliderSlideAlongItsAxisAlone) {
  Arm a(physics::JointKind::slider);
  a.world.gravity = {2, -kG, 1};
  a.joint.limited = true;
  a.joint.lower = -1;
  a.joint.upper = 1;
  a.set();
  a.world.step(30);
  EXPECT_NEAR(a.world.bodies.velocity(a.arm).x, 1, 0.02);  // 2 m/s^2 for half a second
  a.world.step(300);
  const Vec3 at = a.world.bodies.position(a.arm);
  EXPECT_NEAR(at.x, 1.5, 0.01);
  EXPECT_NEAR(at.y, 0, 0.01);
  EXPECT_NEAR(at.z, 0, 0.01);
  EXPECT_LT(length(a.world.bodies.angular_velocity(a.arm)), 1e-3);
}

TEST(Joints, HoldAWeldedArm) {
  Arm a(physics::JointKind::weld);
  a.set();
  a.world.step(300);
  EXPECT_LT(length(a.world.bodies.position(a.arm) - Vec3{0.5, 0, 0}), 0.01);
  EXPECT_LT(length(a.world.bodies.velocity(a.arm)), 1e-3);
}

TEST(Joints, HoldADistance) {
  Arm a(physics::JointKind::distance);
  a.joint.at_b.position = {};
  a.joint.rest = 0.5;
  a.set();
  for (int tick = 0; tick < 300; ++tick) {
    a.world.step(1);
    EXPECT_NEAR(length(a.world.bodies.position(a.arm)), 0.5, 2e-3) << tick;
  }
}

// A spring of 1 Hz with a damping ratio of 0.02 joins the base and the centre of the arm.
TEST(Joints, SpringsOscillateAtTheirFrequency) {
  Arm a(physics::JointKind::distance);
  a.world.gravity = {};
  a.joint.at_b.position = {};
  a.joint.rest = 0.4;
  a.joint.frequency = 1;
  a.joint.damping_ratio = 0.02;
  a.set();
  int crossings = 0, first = 0, last = 0;
  double before = 1;
  for (int tick = 0; tick < 600; ++tick) {
    a.world.step(1);
    const double x = a.world.bodies.position(a.arm).x - 0.4;
    if (before < 0 && x >= 0) {
      if (crossings++ == 0) first = tick;
      last = tick;
    }
    before = x;
  }
  ASSERT_GE(crossings, 4);
  EXPECT_NEAR((last - first) / 60.0 / (crossings - 1), 1, 0.02);
}

// The frequency of a spring is defined for its two bodies without another joint. Here the hinge
// also makes the arm turn about its end, which multiplies the moment of inertia.
TEST(Joints, ASpringTurnsAHingeMoreSlowlyIfTheHingeAddsInertia) {
  Arm a(physics::JointKind::hinge, kAlongZ);
  a.world.gravity = {};
  a.joint.frequency = 2;
  a.joint.damping_ratio = 0;
  a.set();
  a.world.step(1);  // computes the rows of motion
  a.world.bodies.set_velocity(a.arm, {0, 0.05, 0});
  const Vec3 spin = rotate_back(a.world.bodies.orientation(a.arm), {0, 0, 0.1});
  const Vec3 i = a.world.bodies.inverse_inertia(a.arm);
  a.world.bodies.set_angular_momentum(a.arm, {spin.x / i.x, spin.y / i.y, spin.z / i.z});
  int crossings = 0;
  double first = 0, last = 0, before = 0;
  for (int tick = 0; tick < 1200; ++tick) {
    a.world.step(1);
    const double y = a.world.bodies.position(a.arm).y;
    if (before < 0 && y >= 0) {
      last = tick - y / (y - before);
      if (crossings++ == 0) first = last;
    }
    before = y;
  }
  ASSERT_GT(crossings, 5);
  const double own = 1.04 / 12, about_end = own + 0.25;
  const double frequency = 2 * std::sqrt(own / about_end);
  EXPECT_NEAR((crossings - 1) / ((last - first) / 60), frequency, 1e-3 * frequency);
}

// The arm sinks until the torque k x of the spring carries its weight, however strong the damping.
// Gravity pulls at the centre, so the spring feels it only by way of the hinge.
TEST(Joints, ASpringCarriesItsLoadAtRestWhateverItsDamping) {
  for (const double damping_ratio : {0.1, 1.0, 4.0}) {
    Arm a(physics::JointKind::hinge, kAlongZ);
    a.joint.frequency = 5;
    a.joint.damping_ratio = damping_ratio;
    a.set();
    a.world.step(1200);
    const double own = 1.04 / 12, w = 2 * kPi * 5;
    double angle = 0;
    for (int i = 0; i < 50; ++i) angle = -0.5 * kG / (own * w * w) * std::cos(angle);
    const Vec3 at = a.world.bodies.position(a.arm);
    EXPECT_NEAR(std::atan2(at.y, at.x), angle, 1e-6) << damping_ratio;
  }
}

// Many springs pull one body. n springs make it oscillate sqrt(n) times as fast as one spring: here
// up to ten times. Leapfrog integrates springs that together have w h of at most 1. Leapfrog raises
// the highest speed of an oscillator by the factor 1 / sqrt(1 - (w h / 2)^2). Stiffer springs are
// soft constraints, which gain no energy.
TEST(Joints, ManySpringsOnABodyGainNoEnergy) {
  for (const double damping : {0.0, 0.02, 0.1}) {
    for (const int springs : {4, 16, 17, 40, 100}) {
      ContactWorld world(256);
      world.gravity = {};
      const std::uint32_t ball = world.add_ball(0.1);
      const std::uint32_t pulled = world.add(ball, {}, {0.01, 0, 0});
      std::vector<physics::Joint> joints(static_cast<std::size_t>(springs));
      for (physics::Joint& joint : joints) {
        joint.rest = 1 + 0.1 * static_cast<double>(&joint - joints.data());
        joint.kind = physics::JointKind::distance;
        joint.a = world.add_fixed(physics::kNoShape, {joint.rest, 0, 0});
        joint.b = pulled;
        joint.a_moves = false;
        joint.frequency = 19;
        joint.damping_ratio = damping;
      }
      world.solver.set_joints(joints);
      double fastest = 0;
      for (int tick = 0; tick < 600; ++tick) {
        world.step(1);
        fastest = std::max(fastest, length(world.bodies.velocity(pulled)));
      }
      EXPECT_LT(fastest, 0.01 / std::sqrt(0.75))
          << springs << " springs, damping ratio " << damping;
    }
  }
}

TEST(Joints, KeepTheMomentumOfWhatTheyJoin) {
  ContactWorld world(64);
  world.gravity = {};
  const std::uint32_t box = world.add_box({0.4, 0.1, 0.1});
  std::vector<physics::Joint> joints;
  for (std::uint32_t i = 0; i < 10; ++i) {
    world.add(box, {1.0 * i, 0, 0}, {0, i % 2 ? 3.0 : -2.0, 1}, {1, 2, 3});
    if (i == 0) continue;
    physics::Joint joint;
    joint.a = i - 1;
    joint.b = i;
    joint.at_a.position = rotate_back(world.bodies.orientation(0), {0.5, 0, 0});
    joint.at_b.position = rotate_back(world.bodies.orientation(0), {-0.5, 0, 0});
    joints.push_back(joint);
  }
  world.solver.set_joints(joints);
  const auto momentum = [&] {
    Vec3 sum;
    for (std::uint32_t i = 0; i < 10; ++i) sum += world.bodies.velocity(i);
    return sum;
  };
  const Vec3 before = momentum();
  world.step(300);
  EXPECT_LT(length(momentum() - before), 1e-11);
}

// 50 links of 1 m, with a ball of 100 times a link's mass at the end, in 32 substeps.
TEST(Joints, AChainWithAHundredfoldMassAtItsEndStretchesByLessThanAHundredth) {
  ContactWorld world(128);
  world.substeps = 32;
  constexpr std::uint32_t kLinks = 50;
  const std::uint32_t base = world.add_fixed(world.add_box({0.1, 0.1, 0.1}), {});
  const std::uint32_t link = world.add_box({0.05, 0.45, 0.05});
  const double link_mass = world.shapes.shape(link).mass.mass;
  const double radius = 1;
  const double density = 100 * link_mass / (4.0 / 3 * kPi * radius * radius * radius);
  std::vector<physics::Joint> joints;
  std::uint32_t above = base;
  for (std::uint32_t i = 0; i < kLinks; ++i) {
    const std::uint32_t slot = world.add(link, {0, -0.5 - i, 0});
    const Quat back = conjugate(world.bodies.orientation(slot));
    physics::Joint joint;
    joint.a = above;
    joint.b = slot;
    joint.at_a.position = i == 0 ? Vec3{} : rotate(back, {0, -0.5, 0});
    joint.at_b.position = rotate(back, {0, 0.5, 0});
    joints.push_back(joint);
    above = slot;
  }
  const std::uint32_t ball =
      world.add(world.add_ball(radius, {}, density), {0, -1.0 * kLinks - radius, 0}, {3, 0, 0});
  physics::Joint last;
  last.a = above;
  last.b = ball;
  last.at_a.position = rotate_back(world.bodies.orientation(above), {0, -0.5, 0});
  last.at_b.position = {0, radius, 0};
  joints.push_back(last);
  world.solver.set_joints(joints);
  double longest = 0;
  for (int tick = 0; tick < 600; ++tick) {
    world.step(1);
    const Vec3 end =
        world.bodies.position(ball) + rotate(world.bodies.orientation(ball), last.at_b.position);
    longest = std::max(longest, length(end));
  }
  EXPECT_LT(longest, 1.01 * kLinks);
}

TEST(Joints, GoOnWithTheSameBitsAfterARestore) {
  Arm a(physics::JointKind::hinge, kAlongZ), b(physics::JointKind::hinge, kAlongZ);
  a.joint.limited = b.joint.limited = true;
  a.joint.lower = b.joint.lower = -1;
  a.set();
  b.set();
  a.world.step(100);
  for (std::size_t f = 0; f < physics::kBodyFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    std::copy_n(a.world.bodies.field(field), a.world.bodies.capacity(),
                b.world.bodies.field(field));
  }
  const physics::JointSet& joints = a.world.solver.joints();
  ASSERT_TRUE(physics::can_be_state(joints.joints(), joints.numbers(), joints.flags()));
  b.world.solver.restore_joints(joints.numbers(), joints.flags());
  a.world.step(50);
  b.world.step(50);
  EXPECT_EQ(a.world.hash(), b.world.hash());
  EXPECT_EQ(joints.hash(), b.world.solver.joints().hash());
  EXPECT_FALSE(physics::can_be_state(joints.joints(), joints.numbers().first(3), joints.flags()));
}

TEST(Joints, BreakWithABodyThatGoes) {
  Arm a(physics::JointKind::ball);
  a.set();
  a.world.step(10);
  a.world.remove(a.base);
  a.world.solver.remove_body(a.base);
  EXPECT_TRUE(a.world.solver.joints().broken(0));
  const double before = a.world.bodies.velocity(a.arm).y;
  a.world.step(60);
  EXPECT_NEAR(a.world.bodies.velocity(a.arm).y - before, -kG, 1e-9);  // falls freely
}

}  // namespace
}  // namespace orrery
