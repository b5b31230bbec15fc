// Tests motors, brakes and loops of joints under gravity, at every size.
#include "common/physics/joints/row_responses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/world/scenes/scene_parts.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr double kPi = 3.14159265358979323846;

// Returns a scene with an anchor at the origin.
Scene scene_of_rate(std::uint32_t rate) {
  Scene scene;
  use_contacts(scene);
  scene.tick_rate = rate;
  scene.gravity = {0, -9.81, 0};
  scene.bodies.resize(1);
  scene.bodies[0].kind = BodyKind::anchor;
  return scene;
}

// Adds a rod of a length, with a mass of 1000 length^3 / 400.
void add_rod(Scene& scene, const Vec3& at, double length) {
  BodyDef rod;
  rod.position = at;
  rod.mass = 2.5 * length * length * length;
  const double moment = rod.mass * length * length / 12;
  rod.inertia = {moment, moment, moment};
  scene.bodies.push_back(rod);
}

JointDef& join(Scene& scene, physics::JointKind kind, std::uint32_t a, std::uint32_t b,
               const Vec3& axis) {
  JointDef joint;
  joint.kind = kind;
  joint.a = a;
  joint.b = b;
  joint.axis = axis;
  return scene.joints.emplace_back(joint);
}

double largest_error(const World& world) {
  double largest = 0;
  for (const physics::Joint& joint : world.collision()->solver.joints().joints()) {
    largest = std::max(largest, physics::joint_error(joint, world.bodies()));
  }
  return largest;
}

double angle_of(const World& world, std::uint32_t body) {
  const Quat q = world.bodies().orientation(body);
  return 2 * std::atan2(q.z, q.w);
}

TEST(RowResponses, ABrakeHoldsARodAtEverySize) {
  for (const double length : {0.01, 0.1, 1.0, 10.0}) {
    for (const std::uint32_t rate : {10u, 60u, 240u}) {
      Scene scene = scene_of_rate(rate);
      add_rod(scene, {length / 2, 0, 0}, length);
      JointDef& brake = join(scene, physics::JointKind::hinge, 0, 1, {0, 0, 1});
      brake.at_b = {-length / 2, 0, 0};
      brake.motor_max = 1e9;
      World world(scene);
      run(world, static_cast<int>(3 * rate));
      EXPECT_NEAR(angle_of(world, 1), 0, 1e-9) << length << " " << rate;
    }
  }
}

TEST(RowResponses, AWeakBrakeSlipsAsItsTorqueSays) {
  // A rod that starts level: I angle'' = torque - m g l/2 at first.
  Scene scene = scene_of_rate(240);
  add_rod(scene, {0.5, 0, 0}, 1);
  JointDef& brake = join(scene, physics::JointKind::hinge, 0, 1, {0, 0, 1});
  brake.at_b = {-0.5, 0, 0};
  const double weight = 2.5 * 9.81 * 0.5, inertia = 2.5 / 3;
  brake.motor_max = weight / 2;
  World world(scene);
  run(world, 24);
  EXPECT_NEAR(angle_of(world, 1), -0.5 * (weight / 2 / inertia) * 0.01, 0.001);
}

// Adds a level chain of rods to a scene with an anchor. Brakes lock its hinges. Rod i has the
// length length_of(i). Returns the length of the chain.
template <class LengthOf>
double add_beam(Scene& scene, std::uint32_t links, LengthOf length_of) {
  double end = 0, last = 0;
  for (std::uint32_t i = 0; i < links; ++i) {
    const double length = length_of(i);
    add_rod(scene, {end + length / 2, 0, 0}, length);
    JointDef& brake = join(scene, physics::JointKind::hinge, i, i + 1, {0, 0, 1});
    brake.at_a = {last / 2, 0, 0};
    brake.at_b = {-length / 2, 0, 0};
    brake.motor_max = 1e9;
    end += length;
    last = length;
  }
  return end;
}

double height_of_last(const World& world, const Scene& scene) {
  return world.bodies().position(static_cast<std::uint32_t>(scene.bodies.size()) - 1).y;
}

TEST(RowResponses, BrakesHoldABeamOfAnyNumberOfLinks) {
  for (const double length : {0.01, 1.0}) {
    for (const bool equal : {true, false}) {
      for (const std::uint32_t links : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 11u, 16u}) {
        Scene scene = scene_of_rate(60);
        add_beam(scene, links,
                 [&](std::uint32_t i) { return equal ? length : length * (1 + i % 3); });
        World world(scene);
        run(world, 600);
        EXPECT_NEAR(height_of_last(world, scene), 0, 1e-6)
            << length << " " << equal << " " << links;
      }
    }
  }
}

TEST(RowResponses, BrakesHoldALongBeam) {
  for (const std::uint32_t links : {31u, 32u, 33u, 40u, 64u, 128u}) {
    Scene scene = scene_of_rate(60);
    add_beam(scene, links, [](std::uint32_t) { return 0.2; });
    World world(scene);
    run(world, 60);
    EXPECT_NEAR(height_of_last(world, scene), 0, 1e-6) << links;
  }
}

TEST(RowResponses, MotorsWithLimitsHoldAnArm) {
  for (const double length : {0.01, 1.0}) {
    Scene scene = scene_of_rate(60);
    add_beam(scene, 8, [&](std::uint32_t) { return length; });
    for (JointDef& joint : scene.joints) {
      joint.limited = true;
      joint.lower = -1;
      joint.upper = 1;
    }
    World world(scene);
    run(world, 600);
    EXPECT_NEAR(height_of_last(world, scene), 0, 1e-6) << length;
  }
}

TEST(RowResponses, ABeamTurnsAboutAMotorThatIsTooWeak) {
  // The beam is stiff except at one brake. From rest, the part after it turns as one rod:
  // I angle'' = torque - weight.
  constexpr std::uint32_t kLinks = 6;
  for (std::uint32_t weak = 0; weak < kLinks; ++weak) {
    for (const double share : {0.0001, 0.5, 0.99}) {
      Scene scene = scene_of_rate(240);
      add_beam(scene, kLinks, [](std::uint32_t) { return 1.0; });
      const double size = kLinks - weak, mass = 2.5 * size;
      const double weight = mass * 9.81 * size / 2, inertia = mass * size * size / 3;
      scene.joints[weak].motor_max = share * weight;
      World world(scene);
      run(world, 12);
      const double turned = -0.5 * (1 - share) * weight / inertia * 0.0025;
      EXPECT_NEAR(angle_of(world, kLinks), turned, 0.03 * std::abs(turned)) << weak << " " << share;
      // Body 0 is the anchor.
      EXPECT_NEAR(angle_of(world, weak), 0, 1e-6) << weak << " " << share;
    }
  }
}

TEST(RowResponses, ABrakeOfASliderHoldsItsLoad) {
  for (const double mass : {1e-3, 1.0, 1e3}) {
    Scene scene = scene_of_rate(60);
    scene.bodies.resize(2);
    scene.bodies[1].mass = mass;
    join(scene, physics::JointKind::slider, 0, 1, {0, 1, 0}).motor_max = 1e7;
    World world(scene);
    run(world, 600);
    EXPECT_NEAR(world.bodies().position(1).y, 0, 1e-9) << mass;
  }
}

TEST(RowResponses, AnArmRestsOnItsLimit) {
  for (const double length : {0.01, 1.0, 10.0}) {
    Scene scene = scene_of_rate(60);
    add_rod(scene, {length / 2, 0, 0}, length);
    JointDef& hinge = join(scene, physics::JointKind::hinge, 0, 1, {0, 0, 1});
    hinge.at_b = {-length / 2, 0, 0};
    hinge.limited = true;
    hinge.lower = -0.5;
    hinge.upper = 1;
    World world(scene);
    run(world, 1200);
    EXPECT_NEAR(angle_of(world, 1), -0.5, 1e-6) << length;
  }
}

// A parallelogram of hinges: two cranks of a length at a distance of twice that, and a coupler. A
// motor turns the first crank.
Scene four_bar(double length, double speed) {
  Scene scene = scene_of_rate(60);
  add_rod(scene, {0, length / 2, 0}, length);
  add_rod(scene, {length, length, 0}, length);
  add_rod(scene, {2 * length, length / 2, 0}, length);
  const Vec3 z{0, 0, 1};
  JointDef& motor = join(scene, physics::JointKind::hinge, 0, 1, z);
  motor.at_b = {0, -length / 2, 0};
  motor.motor_max = 1e6 * std::max(1.0, length * length * length * length);
  motor.motor_speed = speed;
  JointDef& first = join(scene, physics::JointKind::hinge, 1, 2, z);
  first.at_a = {0, length / 2, 0};
  first.at_b = {-length, 0, 0};
  JointDef& second = join(scene, physics::JointKind::hinge, 2, 3, z);
  second.at_a = {length, 0, 0};
  second.at_b = {0, length / 2, 0};
  JointDef& last = join(scene, physics::JointKind::hinge, 0, 3, z);
  last.at_a = {2 * length, 0, 0};
  last.at_b = {0, -length / 2, 0};
  return scene;
}

TEST(RowResponses, AFourBarTurnsWithItsMotorAtEverySize) {
  for (const double length : {0.01, 0.1, 1.0, 10.0}) {
    for (const double speed : {2.0, -2.0, 6.0}) {
      World world(four_bar(length, speed));
      double turned = 0;
      for (int tick = 0; tick < 600; ++tick) {
        run(world, 1);
        turned += std::remainder(angle_of(world, 1) - turned, 2 * kPi);
        ASSERT_LT(largest_error(world), 5e-3 * length) << length << " " << speed << " " << tick;
      }
      EXPECT_NEAR(turned, 10 * speed, 0.05) << length << " " << speed;
    }
  }
}

}  // namespace
}  // namespace orrery
