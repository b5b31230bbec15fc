// Tests how joints move if nothing touches: compares the motion with exact solutions, and checks
// conserved quantities.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "common/core/rng.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr double kPi = 3.14159265358979323846;
constexpr double kG = 9.81;

BodyDef rigid(const Vec3& position, double mass, const Vec3& inertia) {
  BodyDef body;
  body.kind = BodyKind::rigid;
  body.position = position;
  body.mass = mass;
  body.inertia = inertia;
  return body;
}

// Returns a scene with an anchor at the origin.
Scene anchored_scene(const Vec3& gravity) {
  Scene scene;
  use_contacts(scene);
  scene.gravity = gravity;
  scene.bodies.push_back(rigid({}, 1, {1, 1, 1}));
  scene.bodies[0].kind = BodyKind::anchor;
  return scene;
}

void join(Scene& scene, physics::JointKind kind, const Vec3& at_a, const Vec3& at_b) {
  JointDef joint;
  joint.kind = kind;
  joint.a = static_cast<std::uint32_t>(scene.bodies.size()) - 2;
  joint.b = joint.a + 1;
  joint.at_a = at_a;
  joint.at_b = at_b;
  joint.axis = {0, 0, 1};
  scene.joints.push_back(joint);
}

// Sums over all bodies of finite mass.
struct Sums {
  double energy = 0;  // kinetic energy, and potential energy in uniform gravity (0 at the origin)
  Vec3 angular;       // angular momentum about the origin
};
Sums sums_of(const World& world) {
  const Bodies& bodies = world.bodies();
  Sums sums;
  for (std::uint32_t i = 0; i < bodies.slots(); ++i) {
    if (bodies.inverse_mass(i) == 0) continue;
    const double mass = 1 / bodies.inverse_mass(i);
    const Vec3 v = bodies.velocity(i), w = bodies.angular_velocity(i);
    const Vec3 spin = rotate(bodies.orientation(i), bodies.angular_momentum(i));
    sums.energy += 0.5 * mass * dot(v, v) + 0.5 * dot(w, spin);
    sums.energy -= mass * dot(world.scene().gravity, bodies.position(i));
    sums.angular += mass * cross(bodies.position(i), v) + spin;
  }
  return sums;
}

// Returns the period of a pendulum: 2 pi sqrt(I / (m g l)) / agm(1, cos(angle / 2)) (C. F. Gauss).
double exact_period(double inertia, double mass, double arm, double angle) {
  double a = 1, b = std::cos(angle / 2);
  for (int i = 0; i < 20; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return 2 * kPi * std::sqrt(inertia / (mass * kG * arm)) / a;
}

struct Swing {
  double amplitude = 0;  // largest angle of the last swing
  double period = 0;     // mean
};

// Swings a rod of 1 m on a hinge for some seconds, from rest at `angle`.
Swing swing(double angle, double seconds) {
  Scene scene = anchored_scene({0, -kG, 0});
  const Quat turn{0, 0, std::sin(angle / 2), std::cos(angle / 2)};
  BodyDef rod = rigid(rotate(turn, {0, -0.5, 0}), 1, {1.01 / 12, 0.02 / 12, 1.01 / 12});
  rod.orientation = turn;
  scene.bodies.push_back(rod);
  join(scene, physics::JointKind::hinge, {}, {0, 0.5, 0});
  World world(scene);
  double before = angle, largest = 0, first = 0, last = 0;
  int crossings = 0;
  Swing result;
  for (int tick = 1; tick <= 60 * seconds; ++tick) {
    run(world, 1);
    const Vec3 at = world.bodies().position(1);
    const double now = std::atan2(at.x, -at.y);
    largest = std::max(largest, std::abs(now));
    if (before < 0 && now >= 0) {
      last = (tick - 1 + before / (before - now)) / 60;
      if (crossings++ == 0) first = last;
      result.amplitude = largest;
      largest = 0;
    }
    before = now;
  }
  result.period = (last - first) / (crossings - 1);
  return result;
}

TEST(JointEnergy, APendulumKeepsItsAmplitudeAndPeriod) {
  for (const double degrees : {5.0, 30.0, 120.0}) {
    const double angle = degrees * kPi / 180;
    const Swing minute = swing(angle, 60);
    const double exact = exact_period(1.01 / 12 + 0.25, 1, 0.5, angle);
    std::printf("%g degrees: amplitude %.5f of the first, period off by %.1e\n", degrees,
                minute.amplitude / angle, minute.period / exact - 1);
    // A sample can miss the turning point by half a tick.
    EXPECT_NEAR(minute.amplitude, angle, 1e-3 * angle) << degrees;
    EXPECT_NEAR(minute.period, exact, 1e-4 * exact) << degrees;
  }
}

TEST(JointEnergy, APendulumKeepsItsAmplitudeForAnHour) {
  const double angle = kPi / 6;
  EXPECT_NEAR(swing(angle, 3600).amplitude, angle, 1e-3 * angle);
}

// Two bodies on ball joints, released level. The motion is chaotic, but the energy is conserved.
// Returns a ball of 10 cm that hangs from a joint at (0, length, 0), half a radian from the
// vertical. At its lowest point, it is `gap` above a floor.
Scene pendulum_over_floor(physics::JointKind kind, double length, double gap) {
  Scene scene = anchored_scene({0, -kG, 0});
  physics::ShapeDef ball;
  ball.parts.resize(1);
  ball.parts[0].kind = physics::ShapeKind::sphere;
  ball.parts[0].radius = 0.1;
  ball.parts[0].material.friction = 0;
  physics::ShapeDef floor;
  floor.parts.resize(1);
  floor.parts[0].kind = physics::ShapeKind::plane;
  floor.parts[0].material.friction = 0;
  scene.shapes = {ball, floor};
  scene.bodies[0].position = {0, length, 0};
  const Quat turn{0, 0, std::sin(0.25), std::cos(0.25)};
  BodyDef bob =
      rigid(scene.bodies[0].position + rotate(turn, {0, -length, 0}), 1, {0.004, 0.004, 0.004});
  bob.orientation = turn;
  bob.shape = 0;
  scene.bodies.push_back(bob);
  join(scene, kind, {}, {0, kind == physics::JointKind::distance ? 0 : length, 0});
  if (kind == physics::JointKind::distance) scene.joints[0].rest = length;
  BodyDef ground = rigid({0, -0.1 - gap, 0}, 1, {1, 1, 1});
  ground.kind = BodyKind::anchor;
  ground.shape = 1;
  scene.bodies.push_back(ground);
  return scene;
}

TEST(JointEnergy, APendulumKeepsItsAmplitudeNearAFloor) {
  for (const auto kind :
       {physics::JointKind::distance, physics::JointKind::ball, physics::JointKind::hinge}) {
    for (const double length : {0.5, 1.0, 5.0}) {
      for (const double gap : {0.0002, 0.002, 0.005, 0.019}) {
        World world(pendulum_over_floor(kind, length, gap));
        const double highest = length * (1 - std::cos(0.5));
        run(world, 3000);
        double found = 0;
        for (int tick = 0; tick < 600; ++tick) {
          run(world, 1);
          found = std::max(found, world.bodies().position(1).y);
        }
        EXPECT_NEAR(found / highest, 1, 0.01) << length << " " << gap;
      }
    }
  }
}

TEST(JointEnergy, ADoublePendulumKeepsItsEnergy) {
  Scene scene = anchored_scene({0, -kG, 0});
  for (int i = 0; i < 2; ++i) {
    scene.bodies.push_back(rigid({1.0 + i, 0, 0}, 1, {0.01, 0.01, 0.01}));
    join(scene, physics::JointKind::ball, {}, {-1, 0, 0});
  }
  World world(scene);
  double most = 0;
  for (int tick = 0; tick < 60 * 60; ++tick) {
    run(world, 1);
    most = std::max(most, std::abs(sums_of(world).energy));
  }
  std::printf("energy off by %.3f J at most, %.4f J in the end\n", most, sums_of(world).energy);
  EXPECT_LT(most, 0.1);
}

// A doll in free flight, without limits and contacts, keeps energy and angular momentum.
TEST(JointEnergy, AFreeDollKeepsEnergyAndAngularMomentum) {
  Scene scene = built_in_scene("ragdolls:1").value();
  scene.bodies.pop_back();  // the floor
  scene.gravity = {};
  SplitMix64 random(5);
  for (BodyDef& body : scene.bodies) {
    body.velocity = {random.symmetric(), random.symmetric(), random.symmetric()};
    body.angular_velocity = {random.symmetric(), random.symmetric(), random.symmetric()};
  }
  for (JointDef& joint : scene.joints) joint.limited = false;
  for (ShapeDef& shape : scene.shapes) {
    for (physics::PartDef& part : shape.parts) part.filter.group = -1;
  }
  World world(scene);
  run(world, 1);  // projects the random velocities
  const Sums before = sums_of(world);
  ASSERT_GT(before.energy, 1);
  run(world, 60 * 60);
  const Sums after = sums_of(world);
  EXPECT_NEAR(after.energy, before.energy, 1e-3 * before.energy);
  EXPECT_LT(length(after.angular - before.angular), 1e-6 * length(before.angular));
}

// A doll in free flight, with limits, whose limbs spin faster than a substep resolves. The limits
// act on limbs that have added inertia in some substeps (tree_tension.inl).
TEST(JointEnergy, ADollWhoseLimbsSpinTooFastGainsNoEnergy) {
  double most = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    Scene scene = built_in_scene("ragdolls:1").value();
    scene.bodies.pop_back();  // the floor
    scene.gravity = {};
    SplitMix64 random(seed);
    for (BodyDef& body : scene.bodies) {
      body.velocity = {};
      const double x = random.symmetric(), y = random.symmetric(), z = random.symmetric();
      body.angular_velocity = 150.0 * Vec3{x, y, z};
    }
    for (ShapeDef& shape : scene.shapes) {
      for (physics::PartDef& part : shape.parts) part.filter.group = -1;
    }
    World world(scene);
    run(world, 1);  // projects the random velocities
    const double before = sums_of(world).energy;
    for (int tick = 0; tick < 120; ++tick) {
      run(world, 1);
      most = std::max(most, sums_of(world).energy / before);
    }
  }
  std::printf("largest energy: %.3f of the first\n", most);
  EXPECT_LT(most, 1.1);
}

// A symmetric top on a ball joint in steady precession. With I the moment about the joint, I3 that
// about the axis, s the spin and c the cosine of the tilt, the rate of precession p solves
// I c p^2 - I3 s p + m g l = 0 (Goldstein, Classical Mechanics, 5.7).
TEST(JointEnergy, AHeavyTopPrecessesAtTheExactRate) {
  constexpr double kArm = 0.5, kAcross = 0.05, kAlong = 0.02, kTilt = 0.5;
  for (const double spin : {150.0, 200.0, 300.0}) {
    const double inertia = kAcross + kArm * kArm, c = std::cos(kTilt);
    const double root = std::sqrt(kAlong * kAlong * spin * spin - 4 * inertia * c * kG * kArm);
    const double exact = (kAlong * spin - root) / (2 * inertia * c);
    Scene scene = anchored_scene({0, -kG, 0});
    const Quat turn{0, 0, std::sin(kTilt / 2), std::cos(kTilt / 2)};
    const Vec3 axis = rotate(turn, {0, 1, 0});
    BodyDef top = rigid(kArm * axis, 1, {kAcross, kAlong, kAcross});
    top.orientation = turn;
    top.angular_velocity = exact * Vec3{0, 1, 0} + (spin - exact * c) * axis;
    top.velocity = cross(top.angular_velocity, kArm * axis);
    scene.bodies.push_back(top);
    join(scene, physics::JointKind::ball, {}, {0, -kArm, 0});
    World world(scene);
    const double energy = sums_of(world).energy;
    double turned = 0;
    Vec3 before = world.bodies().position(1);
    for (int tick = 0; tick < 600; ++tick) {
      run(world, 1);
      const Vec3 now = world.bodies().position(1);
      turned +=
          std::atan2(before.z * now.x - before.x * now.z, before.x * now.x + before.z * now.z);
      before = now;
    }
    std::printf("spin %g rad/s: precession off by %.1e, energy by %.1e\n", spin,
                turned / 10 / exact - 1, sums_of(world).energy / energy - 1);
    EXPECT_NEAR(turned / 10, exact, 1e-3 * exact) << spin;
    EXPECT_NEAR(sums_of(world).energy, energy, 1e-5 * energy) << spin;
  }
}

// However fast rods turn, their energy never exceeds the initial energy by more than 1 %.
TEST(JointEnergy, RodsThatTurnTooFastOnlyLoseEnergy) {
  for (int rods = 1; rods <= 3; ++rods) {
    for (const double spin : {50.0, 120.0, 170.0, 300.0, 1000.0}) {
      Scene scene = anchored_scene({});
      for (int i = 0; i < rods; ++i) {
        BodyDef rod = rigid({0.5 + i, 0, 0}, 1, {0.01, 1.0 / 12, 1.0 / 12});
        rod.angular_velocity = {0, 0, spin};
        rod.velocity = {0, spin * (0.5 + i), 0};
        scene.bodies.push_back(rod);
        join(scene, physics::JointKind::ball, i == 0 ? Vec3{} : Vec3{0.5, 0, 0}, {-0.5, 0, 0});
      }
      World world(scene);
      const double before = sums_of(world).energy;
      for (int tick = 0; tick < 600; ++tick) {
        run(world, 1);
        ASSERT_LT(sums_of(world).energy, 1.01 * before) << rods << " rods at " << spin;
      }
    }
  }
}

// A weak motor turns a rod with a constant torque: the work becomes kinetic energy.
TEST(JointEnergy, AMotorDoesTheWorkOfItsTorque) {
  for (const double torque : {0.1, 1.0}) {
    Scene scene = anchored_scene({});
    scene.bodies.push_back(rigid({0.5, 0, 0}, 1, {0.01, 1.0 / 12, 1.0 / 12}));
    join(scene, physics::JointKind::hinge, {}, {-0.5, 0, 0});
    scene.joints[0].motor_max = torque;
    scene.joints[0].motor_speed = 1e3;
    World world(scene);
    run(world, 300);
    const double exact = torque * 5 / (1.0 / 12 + 0.25);  // after 5 s
    EXPECT_NEAR(world.bodies().angular_velocity(1).z, exact, 1e-4 * exact);
    EXPECT_NEAR(sums_of(world).energy, 0.5 * torque * 5 * exact, 1e-3 * torque * exact);
  }
}

// A body on a hinge through its centre oscillates on a spring. Without damping the amplitude stays.
// With damping ratio z, it falls by the factor exp(-z w t).
TEST(JointEnergy, ASpringKeepsItsEnergyUnlessItIsDamped) {
  for (const double ratio : {0.0, 0.02}) {
    Scene scene = anchored_scene({});
    BodyDef wheel = rigid({}, 1, {0.1, 0.1, 0.1});
    wheel.angular_velocity = {0, 0, 2};
    scene.bodies.push_back(wheel);
    join(scene, physics::JointKind::hinge, {}, {});
    scene.joints[0].frequency = 1;
    scene.joints[0].damping_ratio = ratio;
    World world(scene);
    double fastest = 0;
    for (int tick = 0; tick < 60 * 60; ++tick) {
      run(world, 1);
      if (tick >= 59 * 60) {
        fastest = std::max(fastest, std::abs(world.bodies().angular_velocity(1).z));
      }
    }
    const double exact = 2 * std::exp(-ratio * 2 * kPi * 59.5);
    EXPECT_NEAR(fastest, exact, ratio == 0 ? 0.02 * exact : 0.1 * exact) << ratio;
  }
}

}  // namespace
}  // namespace orrery
