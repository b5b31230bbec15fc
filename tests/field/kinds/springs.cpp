// Checks that springs and dampers of any strength are stable, and sag as they should.
#include <algorithm>
#include <cmath>

#include "tests/field/suite.h"

namespace orrery::field {
namespace {

// A body at x = 2 on a spring of length 2.
Scene sprung(double mass, double stiffness, double damping, bool shaped) {
  Scene scene = weightless();
  add_anchor(scene, {});
  add_ghost(scene, mass, {0.1, 0.1, 0.1}, {2, 0, 0});
  scene.springs.push_back({0, 1, {}, {}, stiffness, damping, 2});
  if (shaped) add_fixed(scene, ball(0.1), {50, 0, 0});  // the scene then has contacts
  return scene;
}

void check_stiff(Suite& suite, double mass, double stiffness, bool shaped, const Variation& v) {
  Scene scene = sprung(mass, stiffness, 0, shaped);
  scene.bodies[1].velocity = {0.1, 0, 0};
  Trial trial(scene, v);
  double most = 0;
  for (int i = 0; i < 600; ++i) {
    trial.run(1.0 / 60);
    most = std::max(most, std::abs(trial.position(1).x - 2));
  }
  // A spring beyond the bound of an explicit step lets the body move by at most a step.
  const double amplitude = 0.1 * std::sqrt(mass / stiffness);
  const double step = 0.1 * trial.tick() / scene.substeps;
  suite.at_most(
      named(text("springs: %g N/m on %g kg%s", stiffness, mass, shaped ? ", shapes" : ""), v), most,
      std::max(1.5 * amplitude, 1.01 * step));
}

void check_damper(Suite& suite, double mass, double damping, const Variation& v) {
  Scene scene = sprung(mass, 0, damping, true);
  scene.bodies[1].velocity = {1, 0, 0};
  Trial trial(scene, v);
  trial.run(10);
  const double way = mass / damping * (1 - std::exp(-damping / mass * 10));
  suite.near(named(text("springs: damper of %g N s/m on %g kg", damping, mass), v),
             trial.position(1).x - 2, way, 0.005 * way + 1.01 * trial.tick() / scene.substeps);
}

void check_sag(Suite& suite, double stiffness, const Variation& v) {
  Scene scene = sprung(1, stiffness, 2 * std::sqrt(stiffness), true);
  scene.gravity = {kG, 0, 0};
  Trial trial(scene, v);
  trial.run(20);
  suite.near(named(text("springs: sag at %g N/m", stiffness), v),
             (trial.position(1).x - 2) * stiffness / kG, 1, 1e-4);
}

// A row of masses on springs hangs at rest: the sags add up.
void check_row(Suite& suite, double stiffness, const Variation& v) {
  Scene scene = earthly();
  add_anchor(scene, {});
  add_fixed(scene, ball(0.1), {50, 0, 0});
  std::uint32_t before = 0;
  constexpr int kMasses = 6;
  for (int i = 1; i <= kMasses; ++i) {
    const std::uint32_t body = add_ghost(scene, 1, {0.05, 0.05, 0.05}, {0, -0.5 * i, 0});
    scene.springs.push_back({before, body, {}, {}, stiffness, 2 * std::sqrt(stiffness), 0.5});
    before = body;
  }
  Trial trial(scene, v);
  trial.run(20);
  double sag = 0;
  for (int i = 1; i <= kMasses; ++i) sag += (kMasses - i + 1) * kG / stiffness;
  suite.near(named(text("springs: six masses on springs of %g N/m", stiffness), v),
             -trial.position(before).y, 0.5 * kMasses + sag, 1e-3 * sag + 1e-6);
}

// A door on a hinge at its edge. The frequency of its spring is that of free bodies, so the door
// swings slower, by the root of its inertia about the centre over that about the hinge.
void check_door(Suite& suite, const Variation& v) {
  constexpr double kHalf = 0.5, kThin = 0.005, kRest = 0.2;
  Scene scene = weightless();
  const std::uint32_t post = add_anchor(scene, {});
  const std::uint32_t door = add_ghost(scene, 1, {kHalf, kThin, kThin}, {kHalf, 0, 0});
  JointDef& hinge = join(scene, physics::JointKind::hinge, post, door, {}, {-kHalf, 0, 0});
  hinge.frequency = 1;
  hinge.damping_ratio = 0;
  hinge.rest = kRest;
  const double centre = scene.bodies[door].inertia.z;
  const double slower = std::sqrt(centre / (centre + kHalf * kHalf));
  Trial trial(scene, v);
  trial.run(0.25 / slower);  // a quarter of a swing
  const Vec3 at = trial.position(door);
  // 2 % of a quarter, and a tick of the swing at its rest
  const double tolerance = kRest * (0.02 + 2 * kPi * slower * trial.tick());
  suite.near(named("springs: door at its edge: angle after a quarter", v), std::atan2(at.y, at.x),
             kRest, tolerance);
}

// An arm on the spring of a hinge sinks until the torque of the spring carries its weight.
void check_servo(Suite& suite, double frequency, double damping_ratio, const Variation& v) {
  constexpr double kMass = 2, kHalf = 0.2, kReach = 1, kRest = 0.7;
  Scene scene = earthly();
  const std::uint32_t post = add_anchor(scene, {});
  const std::uint32_t arm = add_ghost(scene, kMass, {kHalf, kHalf, kHalf}, {kReach, 0, 0});
  JointDef& hinge = join(scene, physics::JointKind::hinge, post, arm, {}, {-kReach, 0, 0});
  hinge.frequency = frequency;
  hinge.damping_ratio = damping_ratio;
  hinge.rest = kRest;
  const double turn = 2 * kPi * frequency;
  const double stiffness = scene.bodies[arm].inertia.z * turn * turn;
  double low = -kPi / 2, high = kRest;
  for (int i = 0; i < 60; ++i) {
    const double angle = (low + high) / 2;
    const double torque = stiffness * (kRest - angle) - kMass * kG * kReach * std::cos(angle);
    (torque > 0 ? low : high) = angle;
  }
  Trial trial(scene, v);
  trial.run(60);
  const Vec3 at = trial.position(arm);
  suite.near(
      named(text("springs: arm on a hinge of %g Hz, damping ratio %g", frequency, damping_ratio),
            v),
      std::atan2(at.y, at.x), low, 1e-5);
}

}  // namespace

void check_springs(Suite& suite) {
  check_door(suite, {});
  for (const double damping_ratio : {0.3, 1.0, 4.0}) check_servo(suite, 5, damping_ratio, {});
  for (const Variation& v : variations(suite, 0.2)) check_servo(suite, 5, 1, v);
  for (const bool shaped : {false, true}) {
    for (const double mass : {1e-3, 1.0, 1e3}) {
      for (const double stiffness : {1.0, 1e3, 2.5e5, 1e9}) {
        check_stiff(suite, mass, stiffness, shaped, {});
      }
    }
    for (const Variation& v : variations(suite, 0.2)) check_stiff(suite, 1, 2.5e5, shaped, v);
  }
  for (const double damping : {1.0, 1e3, 1e6, 1e12}) {
    for (const double mass : {0.01, 1.0, 100.0}) check_damper(suite, mass, damping, {});
  }
  for (const Variation& v : variations(suite, 0.2)) {
    check_damper(suite, 1, 1e6, v);
    check_sag(suite, 1e4, v);
  }
  for (const double stiffness : {1e2, 1e6, 1e9}) {
    check_sag(suite, stiffness, {});
    check_row(suite, stiffness, {});
  }
}

}  // namespace orrery::field
