// Checks bodies that spin freely, and a coin that spins on its edge.
#include <algorithm>
#include <cmath>

#include "tests/field/suite.h"

namespace orrery::field {
namespace {

// A slim symmetric body keeps the spin about its axis exactly, whatever else it does.
void check_axis(Suite& suite, const physics::PartDef& part, const char* shape, double along,
                double across, const Variation& v) {
  Scene scene = weightless();
  add(scene, part, {});
  scene.bodies[0].angular_velocity = {across, along, 0};
  Trial trial(scene, v);
  const Vec3 l = trial.angular_momentum();
  const double energy = trial.kinetic();
  double worst = 0, worst_energy = 0;
  for (int i = 0; i < 600; ++i) {
    trial.run(1.0 / 60);
    const BodyMotion m = trial.motion(0);
    const double axial = dot(m.angular_velocity, rotate(m.pose.orientation, {0, 1, 0}));
    worst = std::max(worst, std::abs(axial - along));
    worst_energy = std::max(worst_energy, std::abs(trial.kinetic() / energy - 1));
  }
  const std::string name = named(text("spin: %s at %g along, %g across", shape, along, across), v);
  suite.at_most(name + ": axial", worst / std::max(along, 1.0), 1e-9);
  suite.at_most(name + ": energy", worst_energy, 1e-9);
  suite.near(name + ": angular momentum", length(trial.angular_momentum() - l) / length(l), 0,
             1e-10);
}

// A body with three different moments keeps energy and angular momentum.
void check_tumble(Suite& suite, double spin, const Variation& v) {
  Scene scene = weightless();
  add(scene, box({0.1, 0.3, 0.5}), {});
  scene.bodies[0].angular_velocity = {0.01, spin, 0.02};
  Trial trial(scene, v);
  const Vec3 l = trial.angular_momentum();
  const double energy = trial.kinetic();
  double worst = 0;
  for (int i = 0; i < 600; ++i) {
    trial.run(1.0 / 60);
    worst = std::max(worst, std::abs(trial.kinetic() / energy - 1));
  }
  const double turned = spin * trial.tick() / 4;
  const std::string name = named(text("spin: box that tumbles at %g", spin), v);
  suite.at_most(name + ": energy", worst, 1e-9 + turned * turned);
  suite.near(name + ": angular momentum", length(trial.angular_momentum() - l) / length(l), 0,
             1e-10);
}

// A coin spins on a side of its polygon. Friction on the side stops the spin within 0.4 s, and the
// coin stays upright.
void check_coin(Suite& suite, int sides, const Variation& v) {
  constexpr double kRadius = 0.012, kHalf = 0.001, kSpin = 30;
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  const double low = kRadius * std::cos(kPi / sides);
  const std::uint32_t coin = add(scene, cylinder(kRadius, kHalf, sides), {0, low, 0});
  scene.bodies[coin].orientation = turn({1, 0, 0}, kPi / 2) * turn({0, 1, 0}, kPi / sides);
  scene.bodies[coin].angular_velocity = {0, kSpin, 0};
  Trial trial(scene, v);
  trial.run(2);
  const BodyMotion m = trial.motion(coin);
  const Vec3 axis = rotate(m.pose.orientation, {0, 1, 0});
  const std::string name = named(text("spin: coin of %d sides", sides), v);
  suite.at_most(name + ": lean in degrees", 180 / kPi * std::asin(std::min(1.0, std::abs(axis.y))),
                5);
  suite.near(name + ": spin", m.angular_velocity.y / kSpin, 0, 0.01);
}

// A ball that spins on a plane about the vertical keeps its spin: contact is a point.
void check_top(Suite& suite, const Variation& v) {
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  const std::uint32_t body = add(scene, ball(0.5), {0, 0.5, 0});
  scene.bodies[body].angular_velocity = {0, 20, 0};
  Trial trial(scene, v);
  trial.run(10);
  suite.near(named("spin: ball on a plane", v), trial.motion(body).angular_velocity.y, 20, 1e-6);
  suite.near(named("spin: ball on a plane: speed", v), length(trial.velocity(body)), 0, 1e-9);
}

// A disc of 2.5 cm on a ball joint 2 cm below its centre, in steady precession: the speed p of the
// precession solves (I3 w - I1 p cos(lean)) p = m g r, with I1 about the joint.
void check_gyro(Suite& suite, double spin, const Variation& v) {
  constexpr double kArm = 0.02, kLean = 0.3, kMass = 0.1, kAxial = 3.125e-5, kAcross = 1.6e-5;
  const double cosine = std::cos(kLean), across = kAcross + kMass * kArm * kArm;
  const double l = kAxial * spin, torque = kMass * kG * kArm;
  const double rate = 2 * torque / (l + std::sqrt(l * l - 4 * across * cosine * torque));
  Scene scene = earthly();
  const Quat lean = turn({0, 0, 1}, -kLean);
  const Vec3 axis = rotate(lean, {0, 1, 0});
  const std::uint32_t anchor = add_anchor(scene, {});
  const std::uint32_t top = add_ghost(scene, kMass, {0.01, 0.01, 0.01}, kArm * axis);
  BodyDef& body = scene.bodies[top];
  body.inertia = {kAcross, kAxial, kAcross};
  body.orientation = lean;
  body.angular_velocity = (spin - rate * cosine) * axis + Vec3{0, rate, 0};
  body.velocity = cross(body.angular_velocity, kArm * axis);
  join(scene, physics::JointKind::ball, anchor, top, {}, {0, -kArm, 0});
  Trial trial(scene, v);
  double turned = 0, before = 0, worst = 0;
  for (int i = 0; i < 120; ++i) {
    trial.run(1.0 / 60);
    const Vec3 at = trial.position(top);
    const double angle = std::atan2(-at.z, at.x);
    turned += std::remainder(angle - before, 2 * kPi);
    before = angle;
    worst = std::max(worst, std::abs(std::acos(std::min(1.0, at.y / kArm)) - kLean));
  }
  const std::string name = named(text("spin: top on a joint at %g", spin), v);
  suite.near(name + ": precession", turned / 2 / rate, 1, 0.01);
  suite.at_most(name + ": lean", worst, 0.02);
}

}  // namespace

void check_spin(Suite& suite) {
  for (const Variation& v : variations(suite, 0.09)) {
    check_axis(suite, box({0.004, 0.09, 0.004}), "square rod", 20, 100, v);
    check_tumble(suite, 3, v);
    check_top(suite, v);
  }
  for (const double along : {0.0, 1.0, 300.0}) {
    check_axis(suite, capsule(0.004, 0.09), "capsule", along, 100, {});
    check_axis(suite, cylinder(0.1, 0.002, 16), "disc", along, 10, {});
    check_axis(suite, box({1e-4, 0.1, 1e-4}), "needle", along, 30, {});
  }
  for (const double spin : {0.1, 20.0}) check_tumble(suite, spin, {});
  for (const double spin : {120.0, 200.0, 300.0}) check_gyro(suite, spin, {});
  for (const Variation& v : variations(suite, 0.024)) check_coin(suite, 32, v);
  for (const int sides : {8, 12, 24}) check_coin(suite, sides, {});
}

}  // namespace orrery::field
