// Tests that joints and kinematic bodies move as their scene says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/core/hash.h"
#include "common/world/image/image.h"
#include "common/world/report/contact_report.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

std::vector<std::uint8_t> image_of(const World& world) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  return image;
}

// Returns the world position of a point given in the scene's coordinates of a body.
Vec3 point_of(const World& world, std::uint32_t body, const Vec3& at) {
  return world.bodies.position(body) +
         rotate(world.bodies.orientation(body), body_point(world, body, at));
}

// Measures the chain link by link, from the hook to the weight, in every tick of two swings.
TEST(JointTick, TheChainStretchesByLessThanOnePercent) {
  World world(built_in_scene("chain").value());
  const std::uint32_t links = 50;
  ASSERT_EQ(world.scene.bodies.size(), links + 2);
  EXPECT_DOUBLE_EQ(world.scene.bodies[links + 1].mass, 100 * world.scene.bodies[links].mass);
  double longest = 0, longest_link = 0, lowest = 0;
  for (int tick = 0; tick < 1500; ++tick) {
    run(world, 1);
    double whole = 0;
    Vec3 from = world.bodies.position(0);
    for (std::uint32_t i = 2; i <= links + 1; ++i) {  // the point where the next link hangs
      const Vec3 to = point_of(world, i, {0, 0.5, 0});
      longest_link = std::max(longest_link, length(to - from));
      whole += length(to - from);
      from = to;
    }
    longest = std::max(longest, whole);
    lowest = std::min(lowest, from.y);
  }
  std::printf("with %u substeps a link is at most %.4f m long, and the chain %.4f m\n",
              world.scene.substeps, longest_link, longest);
  EXPECT_LT(longest_link, 1.01);
  EXPECT_LT(longest, 1.01 * links);
  EXPECT_LT(lowest, -49.9);  // it has swung through
}

// A limb that would pass through the floor is moved back, away from its joint, and the joint pulls
// it in again. Nearly all joints recover. A limb that lies under its own doll, at the limit of a
// joint, may stay off by some millimetres (5 in sets of 4 to 28 dolls).
TEST(JointTick, RagdollsHoldTogetherAndComeToLie) {
  World world(built_in_scene("ragdolls:9").value());
  SerialExecutor serial;
  double worst = 0;
  for (int tick = 0; tick < 600; ++tick) {
    step(world, {}, serial);
    worst = std::max(worst, report_contacts(world, serial).deepest_joint);
  }
  const ContactReport report = report_contacts(world, serial);
  std::vector<double> errors;
  for (const physics::Joint& joint : world.collision->solver.joints().joints()) {
    errors.push_back(physics::joint_error(joint, world.bodies));
  }
  std::sort(errors.begin(), errors.end());
  std::printf("ragdolls: off by %.1f mm at most; in the end %.2f, nine of ten %.2f mm, %.2g J\n",
              1e3 * worst, 1e3 * errors.back(), 1e3 * errors[80], report.kinetic_energy);
  ASSERT_EQ(errors.size(), 90u);
  EXPECT_LT(worst, 0.1);
  EXPECT_LT(errors.back(), 1e-2);
  EXPECT_LT(errors[80], 1e-3);
  EXPECT_LT(errors[45], 3e-4);
  EXPECT_LT(report.top, 1);
  for (std::uint32_t slot = 0; slot < 99; ++slot) {
    EXPECT_GT(world.bodies.position(slot).y, 0) << slot;
  }
}

// Returns a box on a platform that moves along x and up.
Scene platform_scene() {
  Scene scene;
  use_contacts(scene);
  add_block(scene, {2, 0.25, 2}, {0, -0.25, 0});
  scene.bodies[0].kind = BodyKind::kinematic;
  scene.bodies[0].velocity = {0.75, 0.25, 0};
  scene.bodies.push_back(shaped_body(scene, add_box_shape(scene, {0.5, 0.5, 0.5}), {0, 0.5, 0}));
  return scene;
}

TEST(JointTick, AKinematicPlatformCarriesABoxOnItsOwnPath) {
  World world(platform_scene());
  // This sum over substeps is the exact path, to the bit.
  Vec3 path = world.bodies.position(0);
  const double h = 1.0 / 60 / 4;
  for (int tick = 0; tick < 300; ++tick) {
    run(world, 1);
    for (int i = 0; i < 4; ++i) path = path + h * Vec3{0.75, 0.25, 0};
    ASSERT_EQ(world.bodies.position(0), path) << tick;
    ASSERT_EQ(world.bodies.velocity(0), (Vec3{0.75, 0.25, 0})) << tick;
  }
  EXPECT_NEAR(world.bodies.velocity(1).x, 0.75, 1e-3);
  EXPECT_NEAR(world.bodies.position(1).y, path.y + 0.25 + 0.5, 2e-3);
  // It slid until it had the platform's speed.
  EXPECT_LT(std::abs(world.bodies.position(1).x - path.x), 0.1);
}

// Springs, held thrusts, any gravity and hits leave the path of a kinematic body unchanged.
TEST(JointTick, NothingPushesAKinematicBody) {
  Scene scene = platform_scene();
  scene.bodies[0].angular_velocity = {0, 0.5, 0};
  scene.gravitational_constant = 1e-3;
  scene.springs.push_back({0, 1, {1, 0, 1}, {}, 1e4, 10, 0});
  scene.tethers.push_back({0, {2, 0, 0}, {0, 9, 0}, 1e4, 10, 0});
  JointDef joint;
  joint.a = 0;
  joint.b = 1;
  joint.at_a = {-1, 1, 0};
  scene.joints.push_back(joint);
  World world(scene);
  const Quat start = world.bodies.orientation(0);
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  EXPECT_FALSE(try_command(world, give(1, command::Impulse{BodyId{0}, {1, 1, 1}}, 1)));
  EXPECT_FALSE(try_command(world, give(1, command::Grab{BodyId{0}, {}, {}}, 2)));
  run(world, 117);
  EXPECT_EQ(world.bodies.velocity(0), (Vec3{0.75, 0.25, 0}));
  EXPECT_LT(length(world.bodies.angular_velocity(0) - Vec3{0, 0.5, 0}), 1e-12);
  // Two seconds at half a radian per second turn it by one radian about y.
  const Quat turn = conjugate(start) * world.bodies.orientation(0);
  EXPECT_NEAR(2 * std::atan2(turn.y, turn.w), 1, 1e-5);
}

// Returns a rod on a hinge about z at its end. The scene has no shapes.
Scene rod_scene() {
  Scene scene;
  scene.gravity = {0, -9.81, 0};
  scene.integrator = Integrator::semi_implicit_euler;
  scene.substeps = 8;
  scene.bodies.push_back(solid_box(1, {0.1, 0.1, 0.1}, {0, 3, 0}));
  scene.bodies[0].kind = BodyKind::anchor;
  scene.bodies.push_back(solid_box(2, {0.5, 0.1, 0.1}, {0.5, 3, 0}));
  JointDef hinge;
  hinge.kind = physics::JointKind::hinge;
  hinge.b = 1;
  hinge.at_b = {-0.5, 0, 0};
  hinge.axis = {0, 0, 2};
  scene.joints.push_back(hinge);
  return scene;
}

// The energy of the rod gives its speed: falling from horizontal to vertical, w^2 = 2 m g l / I.
TEST(JointTick, ARodFallsAboutItsHingeAsEnergySays) {
  World world(rod_scene());
  ASSERT_TRUE(world.collision);
  const double inertia = 2 * ((0.25 + 0.01) / 3 + 0.25);
  double fastest = 0;
  for (int tick = 0; tick < 60; ++tick) {
    run(world, 1);
    fastest = std::max(fastest, std::abs(world.bodies.angular_velocity(1).z));
    EXPECT_LT(length(point_of(world, 1, {-0.5, 0, 0}) - Vec3{0, 3, 0}), 2e-3);
    EXPECT_NEAR(world.bodies.position(1).z, 0, 1e-12);
  }
  EXPECT_NEAR(fastest, std::sqrt(2 * 2 * 9.81 * 0.5 / inertia), 0.02 * fastest);
}

// Angles are measured from the positions in the scene, about the axis in a's coordinates.
TEST(JointTick, LimitsAndMotorsOfAHingeAreAboutItsAxis) {
  for (const Quat& turned : {Quat{}, normalized({0.3, -0.5, 0.2, 1}), Quat{0, 1, 0, 0}}) {
    Scene scene = rod_scene();
    scene.gravity = {};
    scene.bodies[0].orientation = turned;
    JointDef& hinge = scene.joints[0];
    hinge.axis = rotate_back(turned, {0, 0, 1});
    hinge.motor_max = 100;
    hinge.motor_speed = 2;
    World free(scene);
    run(free, 60);
    EXPECT_LT(length(free.bodies.angular_velocity(1) - Vec3{0, 0, 2}), 1e-3);
    scene.joints[0].limited = true;
    scene.joints[0].lower = -0.2;
    scene.joints[0].upper = 0.7;
    World limited(scene);
    run(limited, 120);
    const Vec3 along = limited.bodies.position(1) - Vec3{0, 3, 0};
    EXPECT_NEAR(std::atan2(along.y, along.x), 0.7, 0.01);
  }
}

TEST(JointTick, ABodyThatGoesBreaksItsJointsForGood) {
  World world(rod_scene());
  run(world, 30);
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  ASSERT_TRUE(try_command(world, give(1, command::Remove{BodyId{0}}, 1)));
  ASSERT_TRUE(world.collision->solver.joints().broken(0));
  ASSERT_TRUE(try_command(world, give(1, command::Spawn{0, {0, 3, 0}, {}}, 2)));
  const double before = world.bodies.velocity(1).y;
  run(world, 60);
  EXPECT_NEAR(world.bodies.velocity(1).y, before - 9.81, 1e-9);  // it falls freely
  World other(rod_scene());
  ASSERT_TRUE(restore_image(other, image_of(world)).ok());
  EXPECT_EQ(other.hash, world.hash);
  EXPECT_TRUE(other.collision->solver.joints().broken(0));
}

// A joint keeps two boxes from touching. They touch after one of them is replaced by another body.
TEST(JointTick, ASlotThatChangesHandsTouchesAgain) {
  Scene scene;
  use_contacts(scene);
  add_block(scene, {5, 0.5, 5}, {0, -0.5, 0});
  const std::uint32_t box = add_box_shape(scene, {0.5, 0.5, 0.5});
  scene.bodies.push_back(shaped_body(scene, box, {0, 3, 0}));
  scene.joints.push_back({{physics::JointKind::distance}, 0, 1, {0, 0.5, 0}, {}, {0, 1, 0}});
  scene.joints[0].rest = 1.5;
  World world(scene);
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  ASSERT_TRUE(try_command(world, give(1, command::Remove{BodyId{1}}, 1)));
  ASSERT_TRUE(try_command(world, give(1, command::Spawn{1, {0, 1, 0}, {}}, 2)));
  ASSERT_TRUE(world.bodies.alive(1));
  World other(scene);
  ASSERT_TRUE(restore_image(other, image_of(world)).ok());
  run(world, 120);
  run(other, 120);
  EXPECT_NEAR(world.bodies.position(1).y, 0.5, 0.01);
  EXPECT_EQ(other.hash, world.hash);
}

// --- foreign images ---

// Offsets of the joint state in an image of the chain: flags, then impulses, then the checksum.
struct JointBytes {
  explicit JointBytes(const World& world) {
    const physics::JointSet& joints = world.collision->solver.joints();
    const std::size_t end = image_of(world).size() - 8;
    impulses = end - 8 * joints.impulses().size();
    broken = impulses - joints.broken().size();
  }
  std::size_t broken;
  std::size_t impulses;
};

bool restores(World& world, std::vector<std::uint8_t> image) {
  seal(image);
  return restore_image(world, image).ok();
}

TEST(JointTick, ForeignStatesOfJointsAreRefusedOrSound) {
  World world(built_in_scene("ragdolls:1").value());
  run(world, 90);
  const JointBytes at(world);
  const std::vector<std::uint8_t> sound = image_of(world);
  World other(world.scene);
  const auto with = [&](std::size_t place, double impulse) {
    std::vector<std::uint8_t> image = sound;
    std::vector<std::uint8_t> bytes;
    ByteWriter(bytes).f64(impulse);
    std::copy(bytes.begin(), bytes.end(), image.begin() + static_cast<std::ptrdiff_t>(place));
    return image;
  };
  ASSERT_TRUE(restores(other, sound));
  EXPECT_FALSE(restores(other, with(at.impulses, std::nan(""))));
  EXPECT_FALSE(restores(other, with(at.impulses, 1e25)));
  EXPECT_FALSE(restores(other, with(at.impulses + 8, -INFINITY)));
  for (const unsigned flag : {1u, 2u, 255u}) {
    std::vector<std::uint8_t> image = sound;
    image[at.broken] = static_cast<std::uint8_t>(flag);
    EXPECT_FALSE(restores(other, image)) << "broken, and both bodies are there: " << flag;
  }
  EXPECT_EQ(image_of(other), sound);  // refused images change nothing
  SplitMix64 draw(17);
  int accepted = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::uint8_t> image = sound;
    const auto bytes = static_cast<std::uint32_t>(image.size() - 8 - at.broken);
    image[at.broken + draw.below(bytes)] = static_cast<std::uint8_t>(draw.next());
    if (!restores(other, image)) continue;
    ++accepted;
    run(other, 3);
    ASSERT_TRUE(finite(other)) << i;
    ASSERT_TRUE(restore_image(world, image_of(other)).ok()) << i;
  }
  std::printf("seed 17: %d of 1000 restored\n", accepted);
  EXPECT_GT(accepted, 100);
}

// No machine is built like this. The results stay bounded and finite, and their images can be read.
TEST(JointTick, ExtremesStayFinite) {
  struct {
    const char* what;
    void (*change)(Scene&);
  } const extremes[] = {
      {"masses a million times apart",
       [](Scene& s) {
         for (std::size_t i = 0; i < s.bodies.size(); i += 2) {
           s.bodies[i].mass *= 1e-6;
           s.bodies[i].inertia = 1e-6 * s.bodies[i].inertia;
         }
       }},
      {"points far from their bodies",
       [](Scene& s) {
         for (JointDef& j : s.joints) j.at_a = {1e12, -1e12, 1e12};
       }},
      {"as fast as may be",
       [](Scene& s) {
         for (std::size_t i = 0; i < s.bodies.size(); ++i) {
           s.bodies[i].velocity = {i % 2 ? 1e9 : -1e9, -1e9, 0};
           s.bodies[i].angular_velocity = {1e6, -1e6, 1e6};
         }
       }},
      {"the strongest motors and stiffest springs",
       [](Scene& s) {
         for (JointDef& j : s.joints) {
           j.frequency = 1e6;
           j.damping_ratio = 0;
           j.rest = 3;
           j.motor_max = 1e24;
           j.motor_speed = 1e6;
         }
       }},
      {"one joint against another",
       [](Scene& s) {
         const std::vector<JointDef> joints = s.joints;
         for (JointDef j : joints) {
           j.kind = physics::JointKind::weld;
           j.limited = false;
           j.at_a = {3, 4, 5};
           s.joints.push_back(j);
         }
       }},
  };
  for (const auto& extreme : extremes) {
    Scene scene = built_in_scene("ragdolls:2").value();
    extreme.change(scene);
    ASSERT_TRUE(validate(scene)) << extreme.what << ": " << validate(scene).error().message;
    World world(scene);
    World other(scene);
    for (int i = 0; i < 300; ++i) {
      run(world, 1);
      ASSERT_TRUE(finite(world)) << extreme.what << ", tick " << i;
      if (i % 50 != 0) continue;
      ASSERT_TRUE(restore_image(other, image_of(world)).ok()) << extreme.what << ", tick " << i;
      ASSERT_EQ(other.hash, world.hash) << extreme.what;
    }
  }
}

// Returns a fixed body 0 and a body 1 joined to it. Nothing else acts on them.
Scene joined_pair(const JointDef& joint, std::uint32_t (*add)(Scene&), const Vec3& at) {
  Scene scene;
  scene.name = "pair";
  use_contacts(scene);
  scene.gravity = {};
  BodyDef fixed = shaped_body(scene, add_box_shape(scene, {0.5, 0.5, 0.5}), {});
  fixed.kind = BodyKind::anchor;
  scene.bodies.push_back(fixed);
  scene.bodies.push_back(shaped_body(scene, add(scene), at));
  scene.joints.push_back(joint);
  scene.joints[0].b = 1;
  return scene;
}

std::uint32_t add_ball(Scene& scene) { return add_ball_shape(scene, 0.1); }

TEST(JointTick, WhatAJointKeepsFromTouchingPassesAtAnySpeed) {
  JointDef slider;
  slider.kind = physics::JointKind::slider;
  for (const double speed : {1.0, 5.0, 50.0}) {
    Scene scene = joined_pair(slider, add_ball, {-2, 0, 0});
    scene.bodies[1].velocity = {speed, 0, 0};
    World world(scene);
    const int ticks = static_cast<int>(240 / speed);
    run(world, ticks);
    EXPECT_NEAR(world.bodies.position(1).x, -2 + speed * ticks / 60, 1e-9) << speed;
  }
}

// The spring bends the joint without twisting it, for any direction of the joint.
TEST(JointTick, ASpringBendsABallJointThatIsStraight) {
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{1, 1, 1}}) {
    JointDef ball;
    ball.kind = physics::JointKind::ball;
    ball.axis = axis;
    ball.frequency = 1;
    ball.rest = 0.5;
    World world(joined_pair(ball, add_ball, {}));
    run(world, 600);
    const Vec3 unit = (1 / length(axis)) * axis;
    const Vec3 bent = rotate(world.bodies.orientation(1), unit);
    EXPECT_NEAR(std::acos(dot(bent, unit)), 0.5, 1e-4) << axis.x << axis.y << axis.z;
  }
}

// The motor turns slower than the speed that counts as still.
TEST(JointTick, WhatAMotorTurnsDoesNotFallAsleep) {
  JointDef hinge;
  hinge.kind = physics::JointKind::hinge;
  hinge.axis = {0, 1, 0};
  hinge.motor_max = 1e6;
  hinge.motor_speed = 0.008;
  Scene scene = joined_pair(hinge, add_ball, {});
  scene.sleeping = true;
  World world(scene);
  run(world, 600);
  const Quat q = world.bodies.orientation(1);
  EXPECT_NEAR(2 * std::atan2(q.y, q.w), 0.08, 1e-3);
}

TEST(JointTick, ASpringWhoseFrequencyNobodyCanTellIsRefused) {
  JointDef rod;
  rod.kind = physics::JointKind::distance;
  rod.damping_ratio = 0;
  for (const double frequency : {5e-324, 1e-300, 1e-7}) {
    rod.frequency = frequency;
    EXPECT_FALSE(validate(joined_pair(rod, add_ball, {1, 0, 0})).ok()) << frequency;
  }
  rod.frequency = 1e-6;
  EXPECT_TRUE(validate(joined_pair(rod, add_ball, {1, 0, 0})).ok());
}

}  // namespace
}  // namespace orrery
