// Tests that a joint breaks at its true load, and stays broken.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "common/world/events.h"
#include "common/world/image/image.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr double kGravity = 9.81, kMass = 3;

// Returns an anchor and a weight under it, without joints.
Scene hanging_scene(std::uint32_t tick_rate) {
  Scene scene;
  use_contacts(scene);
  scene.gravity = {0, -kGravity, 0};
  scene.tick_rate = tick_rate;
  scene.substeps = 4;
  scene.bodies.resize(2);
  scene.bodies[0].kind = BodyKind::anchor;
  scene.bodies[1].position = {0, -1, 0};
  scene.bodies[1].mass = kMass;
  scene.bodies[1].inertia = {0.3, 0.2, 0.1};
  return scene;
}

JointDef joint_to_weight(physics::JointKind kind) {
  JointDef joint;
  joint.kind = kind;
  joint.b = 1;
  joint.at_b = {0, 1, 0};
  if (kind == physics::JointKind::distance) {
    joint.at_b = {};
    joint.rest = 1;
  }
  return joint;
}

// Returns how many joints break in `seconds`.
int broken_in(const Scene& scene, double seconds) {
  World world(scene);
  int broken = 0;
  for (int i = 0; i < static_cast<int>(seconds * scene.tick_rate); ++i) {
    run(world, 1);
    for (const WorldEvent& event : world.events().list) {
      broken += event.kind == EventKind::joint_broke;
    }
  }
  return broken;
}

// A weight on a joint breaks it just below m g, and not just above.
TEST(Breaking, AWeightBreaksItsJointAtItsWeight) {
  for (const std::uint32_t rate : {60u, 240u}) {
    for (std::uint32_t kind = 0; kind < physics::kJointKinds; ++kind) {
      Scene scene = hanging_scene(rate);
      scene.joints = {joint_to_weight(static_cast<physics::JointKind>(kind))};
      const std::string at = std::to_string(rate) + " Hz, kind " + std::to_string(kind);
      scene.joints[0].break_force = 1.001 * kMass * kGravity;
      EXPECT_EQ(broken_in(scene, 2), 0) << at;
      scene.joints[0].break_force = 0.999 * kMass * kGravity;
      EXPECT_EQ(broken_in(scene, 2), 1) << at;
    }
  }
}

// The force may come from a limit, a motor, a spring or a servo.
TEST(Breaking, LimitsMotorsAndSpringsCount) {
  for (int what = 0; what < 4; ++what) {
    Scene scene = hanging_scene(60);
    JointDef joint = joint_to_weight(physics::JointKind::distance);
    joint.rest = what < 2 ? 0 : 1;
    if (what == 0) joint.limited = true, joint.upper = 1;
    if (what == 1) joint.motor_max = 1e3;
    if (what == 2) joint.frequency = 200;  // stiff
    if (what == 3) joint.frequency = 5, joint.rest = 1 - kGravity / std::pow(2 * M_PI * 5, 2);
    scene.joints = {joint};
    scene.joints[0].break_force = 1.01 * kMass * kGravity;
    EXPECT_EQ(broken_in(scene, 2), 0) << what;
    scene.joints[0].break_force = 0.99 * kMass * kGravity;
    EXPECT_EQ(broken_in(scene, 2), 1) << what;
  }
}

// A weight on an arm of length l turns the weld at the other end with m g l.
TEST(Breaking, ATorqueBreaksAWeld) {
  for (const std::uint32_t rate : {60u, 240u}) {
    Scene scene = hanging_scene(rate);
    scene.bodies[1].position = {2, 0, 0};
    JointDef weld;
    weld.kind = physics::JointKind::weld;
    weld.b = 1;
    weld.at_b = {-2, 0, 0};
    scene.joints = {weld};
    scene.joints[0].break_torque = 1.002 * 2 * kMass * kGravity;
    EXPECT_EQ(broken_in(scene, 2), 0);
    scene.joints[0].break_torque = 0.998 * 2 * kMass * kGravity;
    EXPECT_EQ(broken_in(scene, 2), 1);
  }
}

// Returns a chain of five weights on an anchor.
Scene chain_scene(std::uint32_t rate) {
  Scene scene = hanging_scene(rate);
  for (std::uint32_t i = 1; i < 5; ++i) {
    scene.bodies.push_back(scene.bodies[1]);
    scene.bodies.back().position.y = -1.0 * (i + 1);
  }
  for (std::uint32_t i = 0; i + 1 < scene.bodies.size(); ++i) {
    JointDef joint;
    joint.a = i;
    joint.b = i + 1;
    joint.at_a.y = -0.5;
    joint.at_b.y = 0.5;
    scene.joints.push_back(joint);
  }
  return scene;
}

TEST(Breaking, AChainBreaksAtItsTop) {
  for (const std::uint32_t rate : {60u, 240u}) {
    Scene scene = chain_scene(rate);
    for (JointDef& joint : scene.joints) joint.break_force = 0.999 * 5 * kMass * kGravity;
    World world(scene);
    run(world, 5);
    const physics::JointSet& joints = world.collision()->solver.joints();
    EXPECT_TRUE(joints.broken(0));
    for (std::size_t i = 1; i < scene.joints.size(); ++i) EXPECT_FALSE(joints.broken(i)) << i;
    for (JointDef& joint : scene.joints) joint.break_force = 1.001 * 5 * kMass * kGravity;
    EXPECT_EQ(broken_in(scene, 3), 0);
  }
}

JointDef rod(std::uint32_t a, std::uint32_t b, double length) {
  JointDef joint;
  joint.kind = physics::JointKind::distance;
  joint.a = a;
  joint.b = b;
  joint.rest = length;
  return joint;
}

// Expects that the first joint breaks just below a load, and not just above it.
void expect_load(Scene scene, double load) {
  scene.joints[0].break_force = 1.001 * load;
  EXPECT_EQ(broken_in(scene, 2), 0);
  scene.joints[0].break_force = 0.999 * load;
  EXPECT_EQ(broken_in(scene, 2), 1);
}

// Two rods at 45 degrees hold a weight.
TEST(Breaking, TwoRodsShareAWeight) {
  for (const std::uint32_t rate : {60u, 240u}) {
    Scene scene = hanging_scene(rate);
    scene.bodies.push_back(scene.bodies[0]);
    scene.bodies[0].position = {-1, 0, 0};
    scene.bodies[2].position = {1, 0, 0};
    scene.joints = {rod(0, 1, std::sqrt(2)), rod(2, 1, std::sqrt(2))};
    expect_load(scene, kMass * kGravity / std::sqrt(2));
  }
}

// A triangle of rods hangs from its upper corner: a loop. The lower rod keeps the others apart.
TEST(Breaking, RodsOfALoopBearTheirLoads) {
  for (const std::uint32_t rate : {60u, 240u}) {
    Scene scene = hanging_scene(rate);
    scene.bodies.resize(4, scene.bodies[1]);
    scene.bodies[2].position = {-1, -2, 0};
    scene.bodies[3].position = {1, -2, 0};
    const JointDef pin = joint_to_weight(physics::JointKind::ball);
    const JointDef left = rod(1, 2, std::sqrt(2)), right = rod(1, 3, std::sqrt(2));
    const JointDef lower = rod(2, 3, 2);
    scene.joints = {left, right, lower, pin};
    expect_load(scene, std::sqrt(2) * kMass * kGravity);
    scene.joints = {lower, left, right, pin};
    expect_load(scene, kMass * kGravity);
    scene.joints = {pin, lower, left, right};
    expect_load(scene, 3 * kMass * kGravity);
  }
}

// The weld of two bodies that fall together bears nothing.
TEST(Breaking, OnlyWhatTheJointBearsCounts) {
  Scene scene = hanging_scene(60);
  scene.bodies[0].kind = BodyKind::rigid;  // both fall
  scene.joints = {joint_to_weight(physics::JointKind::weld)};
  scene.joints[0].break_force = 1e-6;
  EXPECT_EQ(broken_in(scene, 1), 0);
}

TEST(Breaking, ABrokenJointIsAnEventAndStaysBroken) {
  Scene scene = hanging_scene(60);
  scene.joints = {joint_to_weight(physics::JointKind::ball),
                  joint_to_weight(physics::JointKind::ball)};
  scene.joints[1].break_force = 1;
  scene.joints[0].break_force = 0.9 * kMass * kGravity;
  World world(scene);
  World follower(scene);
  std::vector<std::uint32_t> broken;
  for (int i = 0; i < 60; ++i) {
    run(world, 1);
    for (const WorldEvent& event : world.events().list) {
      ASSERT_EQ(event.kind, EventKind::joint_broke);
      EXPECT_EQ(event.a, BodyId{0});
      EXPECT_EQ(event.b, BodyId{1});
      broken.push_back(event.joint);
    }
    std::vector<std::uint8_t> image;
    save_image(world, image);
    World other(scene);
    ASSERT_TRUE(restore_image(other, image).ok()) << i;
    ASSERT_EQ(other.hash(), world.hash());
    run(other, 1);
    run(follower, 1);
    ASSERT_EQ(follower.hash(), world.hash());
    World next(scene);
    ASSERT_TRUE(restore_image(next, image).ok());
    run(next, 1);
    ASSERT_EQ(other.hash(), next.hash());
  }
  EXPECT_EQ(broken.size(), 2u);
  EXPECT_LT(world.bodies().velocity(1).y, -5) << "it falls";
  EXPECT_FALSE(try_command(world, give(0, command::SetMotor{0, 1, 1})));
}

// An image may say that a joint broke only if a load can break it.
TEST(Breaking, AnImageBreaksNoOtherJoint) {
  Scene scene = hanging_scene(60);
  scene.joints = {joint_to_weight(physics::JointKind::ball)};
  scene.joints[0].break_force = 1;
  World world(scene);
  run(world, 2);
  ASSERT_TRUE(world.collision()->solver.joints().broken(0));
  std::vector<std::uint8_t> image;
  save_image(world, image);
  World same(scene);
  EXPECT_TRUE(restore_image(same, image).ok());
  scene.joints[0].break_force = 0;
  World other(scene);
  EXPECT_FALSE(restore_image(other, image).ok());
}

// A sleeping bridge does not break; a body that fell off a joint does not fall asleep in the air.
TEST(Breaking, BodiesOfABrokenJointAreAwake) {
  Scene scene = hanging_scene(60);
  scene.sleeping = true;
  scene.bodies[1] = shaped_body(scene, add_box_shape(scene, {0.5, 0.5, 0.5}), {0, -1, 0});
  scene.joints = {joint_to_weight(physics::JointKind::weld)};
  scene.joints[0].break_force = 1.1 * scene.bodies[1].mass * kGravity;
  World world(scene);
  run(world, 120);
  ASSERT_TRUE(world.collision()->sleeping->asleep(1));
  ASSERT_TRUE(try_command(world, give(0, command::SetParameter{Parameter::gravity, {0, -20, 0}})));
  run(world, 90);
  EXPECT_TRUE(world.collision()->solver.joints().broken(0));
  EXPECT_FALSE(world.collision()->sleeping->asleep(1));
  EXPECT_LT(world.bodies().position(1).y, -5);
}

}  // namespace
}  // namespace orrery
