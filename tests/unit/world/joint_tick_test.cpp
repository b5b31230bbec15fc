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

// Returns the world position of the point `at` of a body. `at` is in the coordinates in which the
// scene defines the body's shape (see body_point()).
Vec3 point_of(const World& world, std::uint32_t body, const Vec3& at) {
  return world.bodies().position(body) +
         rotate(world.bodies().orientation(body), body_point(world, body, at));
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
  Vec3 path = world.bodies().position(0);
  const double h = 1.0 / 60 / 4;
  for (int tick = 0; tick < 300; ++tick) {
    run(world, 1);
    for (int i = 0; i < 4; ++i) path = path + h * Vec3{0.75, 0.25, 0};
    ASSERT_EQ(world.bodies().position(0), path) << tick;
    ASSERT_EQ(world.bodies().velocity(0), (Vec3{0.75, 0.25, 0})) << tick;
  }
  EXPECT_NEAR(world.bodies().velocity(1).x, 0.75, 1e-3);
  EXPECT_NEAR(world.bodies().position(1).y, path.y + 0.25 + 0.5, 2e-3);
  // The box slid until it had the platform's speed.
  EXPECT_LT(std::abs(world.bodies().position(1).x - path.x), 0.1);
}

// Springs, tethers, joints, contacts and both kinds of gravity leave the path of a kinematic body
// unchanged. Impulses and grabs of it are refused.
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
  const Quat start = world.bodies().orientation(0);
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  EXPECT_FALSE(try_command(world, give(1, command::Impulse{BodyId{0}, {1, 1, 1}}, 1)));
  EXPECT_FALSE(try_command(world, give(1, command::Grab{BodyId{0}, {}, {}}, 2)));
  run(world, 117);
  EXPECT_EQ(world.bodies().velocity(0), (Vec3{0.75, 0.25, 0}));
  EXPECT_LT(length(world.bodies().angular_velocity(0) - Vec3{0, 0.5, 0}), 1e-12);
  // Two seconds at half a radian per second turn the platform by one radian about y.
  const Quat turn = conjugate(start) * world.bodies().orientation(0);
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

// A rod falls from horizontal to vertical. By the conservation of energy, its angular speed is then
// w, with w^2 = 2 m g l / I. The centre of mass is at the distance l from the hinge.
TEST(JointTick, ARodFallsAboutItsHingeAsEnergySays) {
  World world(rod_scene());
  ASSERT_TRUE(world.collision());
  const double inertia = 2 * ((0.25 + 0.01) / 3 + 0.25);
  double fastest = 0;
  for (int tick = 0; tick < 60; ++tick) {
    run(world, 1);
    fastest = std::max(fastest, std::abs(world.bodies().angular_velocity(1).z));
    EXPECT_LT(length(point_of(world, 1, {-0.5, 0, 0}) - Vec3{0, 3, 0}), 2e-3);
    EXPECT_NEAR(world.bodies().position(1).z, 0, 1e-12);
  }
  EXPECT_NEAR(fastest, std::sqrt(2 * 2 * 9.81 * 0.5 / inertia), 0.02 * fastest);
}

TEST(JointTick, ABodyThatGoesBreaksItsJointsForGood) {
  World world(rod_scene());
  run(world, 30);
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  ASSERT_TRUE(try_command(world, give(1, command::Remove{BodyId{0}}, 1)));
  ASSERT_TRUE(world.collision()->solver.joints().broken(0));
  ASSERT_TRUE(try_command(world, give(1, command::Spawn{0, {0, 3, 0}, {}}, 2)));
  const double before = world.bodies().velocity(1).y;
  run(world, 60);
  EXPECT_NEAR(world.bodies().velocity(1).y, before - 9.81, 1e-9);  // it falls freely
  World other(rod_scene());
  ASSERT_TRUE(restore_image(other, image_of(world)).ok());
  EXPECT_EQ(other.hash(), world.hash());
  EXPECT_TRUE(other.collision()->solver.joints().broken(0));
}

// A joint keeps a box from touching the floor, body 0. The body that replaces the box rests on the
// floor.
TEST(JointTick, ASlotThatChangesHandsTouchesAgain) {
  Scene scene;
  use_contacts(scene);
  add_block(scene, {5, 0.5, 5}, {0, -0.5, 0});
  const std::uint32_t box = add_box_shape(scene, {0.5, 0.5, 0.5});
  scene.bodies.push_back(shaped_body(scene, box, {0, 3, 0}));
  scene.joints.push_back(
      {{physics::JointKind::distance}, 0, 1, {0, 0.5, 0}, {}, {0, 1, 0}, {}, Control::nobody});
  scene.joints[0].rest = 1.5;
  World world(scene);
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  ASSERT_TRUE(try_command(world, give(1, command::Remove{BodyId{1}}, 1)));
  ASSERT_TRUE(try_command(world, give(1, command::Spawn{1, {0, 1, 0}, {}}, 2)));
  ASSERT_TRUE(world.bodies().alive(1));
  World other(scene);
  ASSERT_TRUE(restore_image(other, image_of(world)).ok());
  run(world, 120);
  run(other, 120);
  EXPECT_NEAR(world.bodies().position(1).y, 0.5, 0.01);
  EXPECT_EQ(other.hash(), world.hash());
}

// With extreme joints and bodies, the state stays finite, and its images can be restored.
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
    ASSERT_TRUE(validate(scene)) << extreme.what << ": " << validate(scene).error().text();
    World world(scene);
    World other(scene);
    for (int i = 0; i < 300; ++i) {
      run(world, 1);
      ASSERT_TRUE(finite(world)) << extreme.what << ", tick " << i;
      if (i % 50 != 0) continue;
      ASSERT_TRUE(restore_image(other, image_of(world)).ok()) << extreme.what << ", tick " << i;
      ASSERT_EQ(other.hash(), world.hash()) << extreme.what;
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
    EXPECT_NEAR(world.bodies().position(1).x, -2 + speed * ticks / 60, 1e-9) << speed;
  }
}

// The motor turns its bodies more slowly than the speed below which a body counts as still.
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
  const Quat q = world.bodies().orientation(1);
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

BodyDef with_mass(BodyDef body, double mass) {
  body.inertia = (mass / body.mass) * body.inertia;
  body.mass = mass;
  return body;
}

// Eight bridges of light planks on hinges, far from each other. A car of 5 kg falls on each, but
// one of `last` kg on the last bridge. Returns the scene; a bridge has kPlanks planks and its car.
constexpr std::uint32_t kPlanks = 8, kBridges = 8;
Scene bridges(double last) {
  Scene scene;
  use_contacts(scene);
  const std::uint32_t plank = add_box_shape(scene, {0.24, 0.03, 0.5});
  const std::uint32_t car = add_box_shape(scene, {0.5, 0.3, 0.3});
  for (std::uint32_t i = 0; i < kBridges; ++i) {
    const double z = 10.0 * i;
    const auto first = static_cast<std::uint32_t>(scene.bodies.size());
    for (std::uint32_t k = 0; k < kPlanks; ++k) {
      scene.bodies.push_back(with_mass(shaped_body(scene, plank, {0.5 * k, 2, z}), 3));
    }
    const BodyDef body = shaped_body(scene, car, {0.25 * (kPlanks - 1), 2.4, z});
    scene.bodies.push_back(with_mass(body, i + 1 == kBridges ? last : 5));
    BodyDef banks;
    banks.kind = BodyKind::anchor;
    scene.bodies.push_back(banks);
    for (std::uint32_t k = 0; k <= kPlanks; ++k) {
      JointDef joint;
      joint.kind = physics::JointKind::hinge;
      joint.axis = {0, 0, 1};
      const Vec3 at{0.5 * k - 0.25, 2, z};
      joint.a = k == 0 ? first + kPlanks + 1 : first + k - 1;
      joint.b = k == kPlanks ? first + kPlanks + 1 : first + k;
      joint.at_a = k == 0 ? at : Vec3{0.25, 0, 0};
      joint.at_b = k == kPlanks ? at : Vec3{-0.25, 0, 0};
      scene.joints.push_back(joint);
    }
  }
  return scene;
}

// The solver puts equal trees side by side. One under more tension does not change the others.
TEST(JointTick, EqualTreesDoNotFeelEachOther) {
  World light(bridges(5)), heavy(bridges(3000));
  for (int tick = 0; tick < 60; ++tick) {
    run(light, 1);
    run(heavy, 1);
    for (std::uint32_t body = 0; body < (kBridges - 1) * (kPlanks + 2); ++body) {
      ASSERT_EQ(light.bodies().position(body), heavy.bodies().position(body)) << tick;
      ASSERT_EQ(light.bodies().velocity(body), heavy.bodies().velocity(body)) << tick;
    }
  }
}

// A ball or box hits a free chain, touches it for a while, and turns with it.
TEST(JointTick, ContactsOfAFreeChainKeepItsMomentum) {
  for (const bool ball : {true, false}) {
    for (const double beside : {0.0, 0.2, 0.45}) {
      Scene scene;
      use_contacts(scene);
      scene.gravity = {};
      const std::uint32_t box = add_box_shape(scene, {0.5, 0.5, 0.5});
      const std::uint32_t hits = ball ? add_ball_shape(scene, 0.3) : box;
      for (std::uint32_t i = 0; i < 3; ++i) {
        scene.bodies.push_back(shaped_body(scene, box, {1.2 * i, 0, 0}));
        if (i == 0) continue;
        JointDef& joint = scene.joints.emplace_back();
        joint.a = i - 1;
        joint.b = i;
        joint.at_a = {0.6, 0, 0};
        joint.at_b = {-0.6, 0, 0};
      }
      scene.bodies.push_back(shaped_body(scene, hits, {0.1 + beside, 1.5, 0.1}));
      scene.bodies[3].velocity = {0.3, -5, 0.2};
      scene.bodies[3].angular_velocity = {1, 2, 3};
      World world(scene);
      const auto momentum = [&] {
        Vec3 sum;
        for (std::uint32_t i = 0; i < 4; ++i) {
          sum += scene.bodies[i].mass * world.bodies().velocity(i);
        }
        return sum;
      };
      const Vec3 before = momentum();
      for (int tick = 0; tick < 60; ++tick) {
        run(world, 1);
        ASSERT_LT(length(momentum() - before), 1e-12 * length(before))
            << "ball " << ball << ", beside " << beside << ", tick " << tick;
      }
    }
  }
}

}  // namespace
}  // namespace orrery
