// Checks that friction opposes sliding, and carries bodies on turntables and belts.
#include <cmath>

#include "tests/field/suite.h"

namespace orrery::field {
namespace {

enum class Shape { box, hull, capsule, ball, cylinder };
constexpr const char* kShapes[] = {"box", "hull", "capsule", "ball", "cylinder"};

// A plank without spin that slides on a plane goes straight on. Slides differ by direction.
void check_plank(Suite& suite, bool is_hull, double degrees, const Variation& v) {
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  const Vec3 half{1, 0.1, 0.1};
  const std::uint32_t plank = add(scene, is_hull ? box_hull(half) : box(half), {0, 0.1, 0});
  const double angle = degrees * kPi / 180;
  scene.bodies[plank].velocity = 2.83 * Vec3{std::cos(angle), 0, std::sin(angle)};
  Trial trial(scene, v);
  trial.run(3);
  const Vec3 path = trial.position(plank);
  const std::string name =
      named(text("friction: %s plank at %g degrees", is_hull ? "hull" : "box", degrees), v);
  suite.near(name, 180 / kPi * std::atan2(path.z, path.x), degrees, 1);
  const double way = 2.83 * 2.83 / (2 * 0.5 * kG);
  const double h = v.tick_time() / v.time();
  suite.near(name + ": way", length({path.x, 0, path.z}) / way, 1, 0.01 + 2.83 * h / way);
}

// A body at rest relative to a turntable stays where it is, if friction holds it.
void check_turntable(Suite& suite, Shape kind, double radius, double rate, const Variation& v) {
  Scene scene = earthly();
  const std::uint32_t table =
      add(scene, with(box({30, 0.1, 30}), 1), {0, -0.1, 0}, BodyKind::kinematic);
  scene.bodies[table].angular_velocity = {0, rate, 0};
  const physics::PartDef part = kind == Shape::box    ? cube(0.2)
                                : kind == Shape::hull ? box_hull({0.2, 0.2, 0.2})
                                                      : cylinder(0.2, 0.2, 16);
  const std::uint32_t body = add(scene, with(part, 1), {radius, 0.2, 0});
  scene.bodies[body].velocity = {0, 0, -rate * radius};
  scene.bodies[body].angular_velocity = {0, rate, 0};
  Trial trial(scene, v);
  trial.run(10);
  const Vec3 p = trial.position(body);
  suite.near(named(text("friction: %s at %g m on a turntable of %g rad/s",
                        kShapes[static_cast<int>(kind)], radius, rate),
                   v),
             length({p.x, 0, p.z}), radius, 0.01 * radius);
}

// A ball that rolls on a turntable moves on a circle, at 2/7 of the turntable's rate.
void check_orbit(Suite& suite, const Variation& v) {
  Scene scene = earthly();
  const std::uint32_t table =
      add(scene, with(box({30, 0.1, 30}), 1), {0, -0.1, 0}, BodyKind::kinematic);
  constexpr double kRate = 2, kRadius = 0.2, kShare = 2.0 / 7;
  scene.bodies[table].angular_velocity = {0, kRate, 0};
  const std::uint32_t body = add(scene, with(ball(kRadius), 1), {1, kRadius, 0});
  // It starts at (1, 0) with velocity kShare * rate along -z: a circle about the centre. Contact
  // without slip: v + w x (-r y) = (table's velocity there).
  const double speed = kShare * kRate, slip = kRate - speed;
  scene.bodies[body].velocity = {0, 0, -speed};
  // w x (0, -r, 0) = (r wz, 0, -r wx): -speed - r wx = -rate.
  scene.bodies[body].angular_velocity = {slip / kRadius, 0, 0};
  Trial trial(scene, v);
  double error = 0;
  for (int i = 0; i < 60; ++i) {
    trial.run(0.1);
    const Vec3 p = trial.position(body);
    error = std::max(error, std::abs(length({p.x, 0, p.z}) - 1));
  }
  suite.at_most(named("friction: ball that orbits on a turntable", v), error,
                v.rate < 60 || !v.ticks_follow ? 0.1 : 0.02);
}

// A block on a slope stays, or slides with a constant acceleration.
void check_slope(Suite& suite, Shape kind, double friction, const Variation& v) {
  constexpr double kTilt = 20 * kPi / 180;
  Scene scene = earthly();
  scene.gravity = kG * Vec3{std::sin(kTilt), -std::cos(kTilt), 0};
  add_fixed(scene, with(plane(), friction), {});
  const physics::PartDef part = kind == Shape::box    ? cube(0.5)
                                : kind == Shape::hull ? box_hull({0.5, 0.5, 0.5})
                                                      : cylinder(0.5, 0.5, 16);
  const std::uint32_t body = add(scene, with(part, friction), {0, 0.5, 0});
  Trial trial(scene, v);
  const std::string name = named(
      text("friction: %s on a slope, friction %g", kShapes[static_cast<int>(kind)], friction), v);
  if (friction > std::tan(kTilt)) {
    trial.run(10);
    suite.near(name + ": creep in mm", 1000 * trial.position(body).x, 0, 0.01);
    return;
  }
  trial.run(1);
  const double before = trial.velocity(body).x;
  trial.run(1);
  const double right = kG * (std::sin(kTilt) - friction * std::cos(kTilt));
  suite.near(name, (trial.velocity(body).x - before) / right, 1, 1e-3);
}

// A ball that slips into rolling keeps 5/7 of its speed.
void check_slip(Suite& suite, const Variation& v) {
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  const std::uint32_t body = add(scene, ball(0.5), {0, 0.5, 0});
  scene.bodies[body].velocity = {7, 0, 0};
  Trial trial(scene, v);
  trial.run(5);
  suite.near(named("friction: ball that slips into rolling", v), trial.velocity(body).x, 5, 5e-3);
}

// A moving floor carries a body at its own speed.
void check_belt(Suite& suite, Shape kind, const Variation& v) {
  Scene scene = earthly();
  const std::uint32_t belt = add(scene, box({100, 1, 100}), {0, -1, 0}, BodyKind::kinematic);
  scene.bodies[belt].velocity = {2, 0, 1};
  const physics::PartDef part = kind == Shape::box    ? cube(0.2)
                                : kind == Shape::hull ? box_hull({0.2, 0.2, 0.2})
                                                      : cylinder(0.2, 0.2, 16);
  const std::uint32_t body = add(scene, part, {0, 0.2, 0});
  Trial trial(scene, v);
  trial.run(2);
  suite.near(named(text("friction: %s on a belt", kShapes[static_cast<int>(kind)]), v),
             length(trial.velocity(body) - Vec3{2, 0, 1}), 0, 1e-3);
}

}  // namespace

void check_friction(Suite& suite) {
  for (const double degrees : {0.0, 10.0, 45.0, 80.0, 90.0, -160.0}) {
    for (const bool is_hull : {false, true}) check_plank(suite, is_hull, degrees, {});
  }
  for (const Shape kind : {Shape::box, Shape::hull, Shape::cylinder}) {
    check_turntable(suite, kind, 3, 1, {});
    check_turntable(suite, kind, 0.5, 3.5, {});
    for (const double friction : {0.5, 0.2}) check_slope(suite, kind, friction, {});
    check_belt(suite, kind, {});
  }
  for (const Variation& v : variations(suite, 0.2)) {
    check_plank(suite, false, 45, v);
    check_slip(suite, v);
    for (const Shape kind : {Shape::box, Shape::hull, Shape::cylinder}) {
      if (kind != Shape::box && !suite.all()) continue;
      check_turntable(suite, kind, 1, 2, v);
      check_belt(suite, kind, v);
    }
    check_orbit(suite, v);
  }
  for (const Variation& v : variations(suite, 1)) {
    for (const double friction : {0.5, 0.2}) check_slope(suite, Shape::box, friction, v);
  }
}

}  // namespace orrery::field
