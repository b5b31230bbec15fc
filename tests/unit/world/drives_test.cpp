// Tests the commands that move kinematic bodies, place bodies, and drive joints.
#include "common/world/commands/drives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "common/math/elementary.h"
#include "common/world/image/image.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr std::uint32_t kPlatform = 0, kCrate = 1;

// Returns a crate on a kinematic platform that is at rest.
Scene lift_scene(bool sleeping = false) {
  Scene scene;
  use_contacts(scene);
  scene.sleeping = sleeping;
  add_block(scene, {2, 0.25, 2}, {0, -0.25, 0});
  scene.bodies[kPlatform].kind = BodyKind::kinematic;
  scene.bodies.push_back(shaped_body(scene, add_box_shape(scene, {0.5, 0.5, 0.5}), {0, 0.5, 0}));
  return scene;
}

// Returns an arm of 1 kg whose centre is 1 m from a hinge about z, which the world holds.
Scene arm_scene(double gravity) {
  Scene scene;
  use_contacts(scene);
  scene.gravity = {0, -gravity, 0};
  scene.bodies.resize(2);
  scene.bodies[0].kind = BodyKind::anchor;
  scene.bodies[1].position = {1, 0, 0};
  scene.bodies[1].inertia = {0.1, 0.1, 0.5};
  JointDef hinge;
  hinge.kind = physics::JointKind::hinge;
  hinge.a = 0;
  hinge.b = 1;
  hinge.at_b = {-1, 0, 0};
  hinge.axis = {0, 0, 1};
  scene.joints.push_back(hinge);
  return scene;
}
constexpr double kArmInertia = 0.5 + 1;  // about the hinge

double arm_angle(const World& world) {
  const Vec3 p = world.bodies().position(1);
  return std::atan2(p.y, p.x);
}

Verdict verdict_of(World& world, const Command& command) {
  SerialExecutor serial;
  std::vector<RefusedCommand> refused;
  step(world, {&command, 1}, serial, &refused);
  if (!refused.empty()) return refused[0].reason;
  return world.applied().empty() ? Verdict::unchanged : Verdict::applied;
}

// Runs some ticks. Expects that worlds restored from the image of `world` move alike.
void expect_image_is_whole(World& world, int ticks) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  World copy(world.scene()), again(world.scene());
  ASSERT_TRUE(restore_image(copy, image).ok());
  ASSERT_TRUE(restore_image(again, image).ok());
  ASSERT_EQ(copy.hash(), world.hash());
  // A restored world may have had drives of its own before.
  std::vector<std::uint8_t> fresh;
  save_image(World(world.scene()), fresh);
  ASSERT_TRUE(restore_image(again, fresh).ok());
  EXPECT_EQ(again.hash(), World(world.scene()).hash());
  ASSERT_TRUE(restore_image(again, image).ok());
  for (int i = 0; i < ticks; ++i) {
    run(world, 1);
    run(copy, 1);
    run(again, 1);
    ASSERT_EQ(copy.hash(), world.hash()) << i;
    ASSERT_EQ(again.hash(), world.hash()) << i;
  }
}

// --- kinematic bodies ---

TEST(Drives, ABodyArrivesExactlyAndAtRest) {
  for (const std::uint32_t ticks : {1u, 2u, 7u, 60u}) {
    World world(lift_scene());
    const Vec3f to{1.7f, 0.3f, -2.1f};
    const Quatf turn{0, 0.6f, 0, 0.8f};
    ASSERT_TRUE(try_command(world, give(0, command::MoveTo{BodyId{kPlatform}, to, turn, ticks})));
    for (std::uint32_t i = 1; i < ticks; ++i) {
      EXPECT_NE(world.bodies().position(kPlatform), widen(to)) << i;
      run(world, 1);
    }
    EXPECT_EQ(world.bodies().position(kPlatform), widen(to)) << ticks;
    EXPECT_EQ(world.bodies().orientation(kPlatform), normalized(widen(turn))) << ticks;
    EXPECT_EQ(world.bodies().velocity(kPlatform), Vec3{});
    EXPECT_EQ(world.bodies().angular_velocity(kPlatform), Vec3{});
    run(world, 10);
    EXPECT_EQ(world.bodies().position(kPlatform), widen(to));
  }
}

// The pose after k of n ticks is that of the curve 3 u^2 - 2 u^3.
TEST(Drives, ABodyFollowsTheStatedCurve) {
  World world(lift_scene());
  constexpr std::uint32_t kTicks = 40;
  ASSERT_TRUE(try_command(
      world,
      give(0, command::MoveTo{BodyId{kPlatform}, {4, -0.25f, 0}, {0, 0, 0.6f, 0.8f}, kTicks})));
  for (std::uint32_t k = 1; k < kTicks; ++k) {
    const double u = static_cast<double>(k) / kTicks, share = u * u * (3 - 2 * u);
    EXPECT_NEAR(world.bodies().position(kPlatform).x, 4 * share, 1e-12) << k;
    const Quat q = world.bodies().orientation(kPlatform);
    EXPECT_NEAR(2 * std::atan2(q.z, q.w), share * 2 * std::atan2(0.6, 0.8), 2e-5) << k;
    run(world, 1);
  }
}

TEST(Drives, ALiftCarriesACrateWithoutSlip) {
  for (const bool sleeping : {false, true}) {
    World world(lift_scene(sleeping));
    run(world, 120);
    const Vec3 crate = world.bodies().position(kCrate);
    for (int trip = 0; trip < 10; ++trip) {
      const float height = trip % 2 == 0 ? 3.0f : -0.25f;
      ASSERT_TRUE(
          try_command(world, give(0, command::MoveTo{BodyId{kPlatform}, {0, height, 0}, {}, 150})));
      for (int i = 1; i < 200; ++i) {
        run(world, 1);
        const double gap =
            world.bodies().position(kCrate).y - world.bodies().position(kPlatform).y - 0.75;
        ASSERT_NEAR(gap, 0, 1e-3) << "trip " << trip << ", tick " << i;
      }
      ASSERT_EQ(world.bodies().position(kPlatform), (Vec3{0, height, 0}));
    }
    EXPECT_NEAR(world.bodies().position(kCrate).x, crate.x, 1e-9);
    EXPECT_NEAR(world.bodies().position(kCrate).z, crate.z, 1e-9);
    EXPECT_NEAR(world.bodies().position(kCrate).y, crate.y, 1e-4);
  }
}

TEST(Drives, AVelocityLastsAndEndsAWay) {
  World world(lift_scene());
  ASSERT_TRUE(try_command(world, give(0, command::MoveTo{BodyId{kPlatform}, {9, 0, 0}, {}, 1000})));
  const command::SetVelocity spin{BodyId{kPlatform}, {0, 0, 0.5f}, {0, 2, 0}};
  const Vec3 before = world.bodies().position(kPlatform);
  ASSERT_TRUE(try_command(world, give(0, spin)));
  run(world, 59);
  EXPECT_NEAR(world.bodies().position(kPlatform).z - before.z, 0.5, 1e-12);
  EXPECT_EQ(world.bodies().position(kPlatform).x, before.x);
  EXPECT_EQ(verdict_of(world, give(0, spin)), Verdict::unchanged);
}

TEST(Drives, RefusalsSayWhy) {
  World world(lift_scene());
  ASSERT_TRUE(try_command(world, join(1, Role::play)));
  ASSERT_TRUE(try_command(world, join(2, Role::admin)));
  const command::MoveTo up{BodyId{kPlatform}, {0, 1, 0}, {}, 10};
  const command::MoveTo crate{BodyId{kCrate}, {0, 1, 0}, {}, 10};
  EXPECT_EQ(verdict_of(world, give(1, up)), Verdict::role);
  EXPECT_EQ(verdict_of(world, give(2, up)), Verdict::applied);
  EXPECT_EQ(verdict_of(world, give(2, crate)), Verdict::not_kinematic);
  EXPECT_EQ(verdict_of(world, give(0, command::SetVelocity{BodyId{77}, {}, {}})), Verdict::no_body);
  EXPECT_EQ(verdict_of(world, give(0, command::SetMotor{0, 1, 1})), Verdict::no_joint);
  EXPECT_EQ(verdict_of(world, give(0, command::Thrust{BodyId{kCrate}, {1, 0, 0}})), Verdict::role);
  EXPECT_EQ(verdict_of(world, give(1, command::Place{BodyId{kCrate}, {}, {}, {}, {}})),
            Verdict::role);
}

TEST(Drives, ARemovedBodyLosesItsWay) {
  World world(lift_scene());
  ASSERT_TRUE(try_command(world, give(0, command::MoveTo{BodyId{kPlatform}, {9, 0, 0}, {}, 90})));
  EXPECT_EQ(world.controls().ways.size(), 1u);
  expect_image_is_whole(world, 100);
  ASSERT_TRUE(try_command(world, give(0, command::Remove{BodyId{kPlatform}})));
  EXPECT_TRUE(world.controls().ways.empty());
}

// --- place ---

TEST(Drives, APlacedBodyIsWhereItWasPutAndMovesOn) {
  for (const bool sleeping : {false, true}) {
    World world(lift_scene(sleeping));
    run(world, 200);
    const command::Place place{BodyId{kCrate}, {0.5f, 7, 0.25f}, {}, {1, 0, 0}, {0, 3, 0}};
    ASSERT_TRUE(try_command(world, give(0, place)));
    const double t = world.tick_time();
    EXPECT_NEAR(world.bodies().position(kCrate).x, 0.5 + t, 1e-12);
    EXPECT_NEAR(world.bodies().position(kCrate).y, 7, 9.81 * t * t);
    EXPECT_NEAR(world.bodies().angular_velocity(kCrate).y, 3, 1e-9);
    bool ended = false;
    for (const WorldEvent& event : world.events().list) {
      ended |= event.kind == EventKind::contact_end;
    }
    EXPECT_TRUE(ended);
    run(world, 30);
    EXPECT_LT(world.bodies().position(kCrate).y, 6);
    expect_image_is_whole(world, 30);
  }
}

// --- joints ---

TEST(Drives, AMotorReachesItsSpeedAndItsForce) {
  World world(arm_scene(0));
  ASSERT_TRUE(try_command(world, give(0, command::SetMotor{0, 3, 6})));
  run(world, 11);
  // Until it has its speed, the motor turns the arm with its largest torque.
  EXPECT_NEAR(world.bodies().angular_velocity(1).z, 6 / kArmInertia * 12 / 60, 1e-3);
  run(world, 120);
  EXPECT_NEAR(world.bodies().angular_velocity(1).z, 3, 1e-6);
  expect_image_is_whole(world, 60);
  ASSERT_TRUE(try_command(world, give(0, command::SetMotor{0, 0, 0})));
  run(world, 60);
  EXPECT_NEAR(world.bodies().angular_velocity(1).z, 3, 1e-6);  // it turns freely
}

// A servo of frequency f and damping ratio z turns the arm as the closed form of a damped
// oscillator does. With gravity it rests where its torque bears the weight.
TEST(Drives, AServoSettlesAsItsClosedForm) {
  constexpr double kFrequency = 1, kRatio = 0.3, kTarget = 0.25;
  World world(arm_scene(0));
  ASSERT_TRUE(try_command(
      world, give(0, command::SetTarget{0, kTarget, kFrequency, static_cast<float>(kRatio), 0})));
  const double w = 2 * std::numbers::pi * kFrequency, d = w * std::sqrt(1 - kRatio * kRatio);
  while (world.tick().value <= 240) {
    const std::uint64_t tick = world.tick().value;
    const double t = static_cast<double>(tick) / 60 + 0.5 / 240;  // half a substep later
    const double exact = kTarget * (1 - std::exp(-kRatio * w * t) *
                                            (std::cos(d * t) + kRatio * w / d * std::sin(d * t)));
    ASSERT_NEAR(arm_angle(world), exact, 1e-3 * kTarget) << tick;
    if (tick % 50 == 0) expect_image_is_whole(world, 20);
    run(world, 1);
  }
  EXPECT_NEAR(arm_angle(world), kTarget, 1e-3);
}

TEST(Drives, AServoBearsALoadAndYieldsAtItsLimit) {
  World world(arm_scene(9.81));
  // The stiffness of the servo is inertia times w^2. It carries the weight at a small sag.
  ASSERT_TRUE(try_command(world, give(0, command::SetTarget{0, 0.5, 8, 1, 0})));
  run(world, 600);
  const double w = 2 * std::numbers::pi * 8;
  const double sag = 9.81 * std::cos(0.5) / (kArmInertia * w * w);
  EXPECT_NEAR(arm_angle(world), 0.5 - sag, 1e-3);
  EXPECT_NEAR(world.bodies().angular_velocity(1).z, 0, 1e-6);
  // A torque of 5 N m cannot bear 9.81 N m: the arm falls until it hangs lower.
  ASSERT_TRUE(try_command(world, give(0, command::SetTarget{0, 0.5, 8, 1, 5})));
  run(world, 60);
  EXPECT_LT(arm_angle(world), -0.5);
  expect_image_is_whole(world, 60);
}

TEST(Drives, AServoReplacesTheSpringOfTheScene) {
  Scene scene = arm_scene(0);
  scene.joints[0].frequency = 5;
  scene.joints[0].rest = 1;
  World world(scene);
  run(world, 600);
  EXPECT_NEAR(arm_angle(world), 1, 1e-6);
  ASSERT_TRUE(try_command(world, give(0, command::SetTarget{0, -1, 5, 1, 0})));
  run(world, 600);
  EXPECT_NEAR(arm_angle(world), -1, 1e-6);
  EXPECT_EQ(verdict_of(world, give(0, command::SetTarget{0, -1, 5, 1, 0})), Verdict::unchanged);
  expect_image_is_whole(world, 60);
}

// Two commands for one joint in one tick. The first one gives the hinge a motor, so that its rows
// are found again; the second one comes before that.
TEST(Drives, SeveralCommandsForAJointInATickCount) {
  World one(arm_scene(0)), two(arm_scene(0));
  SerialExecutor serial;
  const std::vector<Command> both = {give(0, command::SetMotor{0, 1, 100}, 1),
                                     give(0, command::SetMotor{0, 2, 100}, 2)};
  step(one, both, serial);
  EXPECT_EQ(one.applied().size(), 2u);
  step(two, {&both[1], 1}, serial);
  EXPECT_EQ(one.hash(), two.hash());
  const std::vector<Command> servo = {give(0, command::SetTarget{0, 1, 2, 1, 0}, 1),
                                      give(0, command::SetTarget{0, 0.5f, 2, 1, 0}, 2)};
  step(one, servo, serial);
  step(two, {&servo[1], 1}, serial);
  EXPECT_EQ(one.hash(), two.hash());
  expect_image_is_whole(one, 60);
}

TEST(Drives, AnImageMayBeRestoredTwiceWithoutATickBetween) {
  World driven(arm_scene(0)), other(arm_scene(0));
  ASSERT_TRUE(try_command(driven, give(0, command::SetMotor{0, 1, 100})));
  std::vector<std::uint8_t> with, without;
  save_image(driven, with);
  save_image(World(arm_scene(0)), without);
  for (const auto& image : {with, without, with, with}) {
    ASSERT_TRUE(restore_image(other, image).ok());
  }
  run(other, 30);
  run(driven, 30);
  EXPECT_EQ(other.hash(), driven.hash());
}

// The length of a rigid distance joint is the rest of its spring. A spring of frequency 0 changes
// it without changing the rows of the joint.
TEST(Drives, ANewLengthOfADistanceJointIsWholeInAnImage) {
  Scene scene = arm_scene(0);
  scene.joints[0].kind = physics::JointKind::distance;
  scene.joints[0].at_b = {};
  scene.joints[0].rest = 1;
  World world(scene);
  run(world, 5);
  ASSERT_TRUE(try_command(world, give(0, command::SetTarget{0, 1.01f, 0, 1, 0})));
  expect_image_is_whole(world, 60);
  EXPECT_NEAR(length(world.bodies().position(1)), 1.01, 1e-3);
}

// A body that has gone very far gets a way back. Each image of the way can be restored.
TEST(Drives, AWayFromVeryFarIsWholeInAnImage) {
  Scene scene = lift_scene();
  scene.gravity = {};
  scene.tick_time_numerator = 100;
  scene.tick_time_denominator = 1;
  World world(scene);
  ASSERT_TRUE(
      try_command(world, give(0, command::SetVelocity{BodyId{kPlatform}, {1e9f, 0, 0}, {}})));
  run(world, 60);
  ASSERT_TRUE(
      try_command(world, give(0, command::MoveTo{BodyId{kPlatform}, {0, 0, 0}, {0, 0, 0, 1}, 50})));
  expect_image_is_whole(world, 60);
  EXPECT_EQ(world.bodies().position(kPlatform), Vec3{});
}

// A half turn in two ticks of a nanosecond is faster than any body may spin.
TEST(Drives, AWayInAVeryShortTimeIsWholeInAnImage) {
  Scene scene = lift_scene();
  scene.tick_time_numerator = 1;
  scene.tick_time_denominator = 1'000'000'000;
  World world(scene);
  ASSERT_TRUE(
      try_command(world, give(0, command::MoveTo{BodyId{kPlatform}, {0, 1, 0}, {0, 0, 1, 0}, 2})));
  expect_image_is_whole(world, 5);
  EXPECT_EQ(world.bodies().orientation(kPlatform), normalized(Quat{0, 0, 1, 0}));
}

}  // namespace
}  // namespace orrery
