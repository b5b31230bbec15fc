// Lists the cases of `bench field` about rolling, sliding, seams, movers and impacts.
#include <algorithm>
#include <cmath>

#include "common/core/rng.h"
#include "tests/bench/field/field.h"
#include "tests/bench/table.h"
#include "tests/field/trial.h"

namespace orrery::bench {
namespace {

using namespace field;

constexpr double kTiny = 1e-4;

// Returns the outcome of a number that should be `right`.
Outcome number(double value, double right, const char* form = "%.4g") {
  return {format(form, value), std::abs(value - right)};
}

// Runs a scene and returns the engine.
std::unique_ptr<Engine> ran(FieldMake make, const Scene& scene, double seconds) {
  auto engine = make(scene);
  engine->run(seconds);
  return engine;
}

Scene on_plane(const physics::PartDef& part, const Vec3& position) {
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  add(scene, part, position);
  return scene;
}

Outcome roll_capsule(FieldMake make) {
  Scene scene = on_plane(capsule(0.5, 0.5), {0, 0.5, 0});
  scene.bodies[1].orientation = turn({1, 0, 0}, kPi / 2);
  scene.bodies[1].velocity = {0.001, 0, 0};
  scene.bodies[1].angular_velocity = {0, 0, -0.002};
  return number(ran(make, scene, 20)->motion(1).velocity.x, 0.001);
}

Outcome roll_on_crate(FieldMake make) {
  Scene scene = on_plane(box({1.5, 0.5, 1.5}), {0, 0.5, 0});
  add(scene, ball(0.5), {0, 1.5, 0});
  scene.bodies[2].velocity = {0.01, 0, 0};
  scene.bodies[2].angular_velocity = {0, 0, -0.02};
  return number(ran(make, scene, 5)->motion(2).velocity.x, 0.01);
}

// Drops sticks and counts those that are ever faster than 4 m/s. Falling gives 3.96 m/s.
Outcome drop_pencils(FieldMake make, const physics::PartDef& part) {
  int fast = 0;
  double fastest = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SplitMix64 random(seed);
    double draws[7];
    for (double& draw : draws) draw = random.symmetric();
    Scene scene = on_plane(part, {0, 0.8, 0});
    scene.bodies[1].angular_velocity = {draws[0], draws[1], draws[2]};
    scene.bodies[1].orientation = normalized({draws[3], draws[4], draws[5], draws[6]});
    const auto engine = make(scene);
    double most = 0;
    for (int i = 0; i < 120; ++i) {
      engine->run(1.0 / 60);
      most = std::max(most, length(engine->motion(1).velocity));
    }
    fast += most > 4;
    fastest = std::max(fastest, most);
  }
  return {format("%d %% (%.3g m/s)", fast, fastest), static_cast<double>(fast)};
}

Outcome strike(FieldMake make) {
  Scene scene = weightless();
  add(scene, box({1, 0.5, 0.03}), {}, BodyKind::kinematic);
  scene.bodies[0].angular_velocity = {0, 5, 0};
  add(scene, ball(0.1), {0.8, 0, -0.5});
  const double speed = length(ran(make, scene, 1)->motion(1).velocity);
  return {format("%.2f", speed), std::max(0.0, 4 - speed)};
}

Outcome slide_plank(FieldMake make) {
  Scene scene = on_plane(box({1, 0.1, 0.1}), {0, 0.1, 0});
  scene.bodies[1].velocity = {2, 0, 2};
  const Vec3 p = ran(make, scene, 3)->motion(1).pose.position;
  return number(180 / kPi * std::atan2(p.z, p.x), 45, "%.2f");
}

Outcome miss(FieldMake make, const physics::PartDef& part) {
  double worst = 0;
  for (int phase = 0; phase < 8; ++phase) {
    Scene scene = weightless();
    add_fixed(scene, cube(1), {1.105, -1, 0});
    add(scene, part, {0, 2 + 0.02 * phase, 0});
    scene.bodies[1].velocity = {0, -10, 0};
    worst = std::max(worst, std::abs(ran(make, scene, 0.3)->motion(1).velocity.x));
  }
  return number(worst, 0);
}

Outcome cross_seam(FieldMake make) {
  Scene scene = earthly();
  for (const double x : {0.0, 2.0}) add_fixed(scene, with(box({1, 0.5, 2}), 0), {x, -0.5, 0});
  add(scene, with(cube(0.25), 0), {0, 0.25, 0});
  scene.bodies[2].velocity = {1, 0, 0};
  return number(ran(make, scene, 2)->motion(2).velocity.x, 1);
}

Outcome cross_meshes(FieldMake make) {
  Outcome outcome;
  for (int i = 0; i < 3; ++i) {
    Scene scene = earthly();
    for (const double x : {0.0, 2.0}) add_fixed(scene, with(sheet(1, 2, 2, 2), 0), {x, 0, 0});
    add(scene, with(i < 2 ? cube(0.25) : ball(0.25), 0), {0, 0.25, 0.013});
    const double speed = i == 0 ? 1 : 3;
    scene.bodies[2].velocity = {speed, 0, 0};
    const double x = ran(make, scene, 2 / speed)->motion(2).velocity.x;
    outcome.text += format("%s%.3f", i == 0 ? "" : "/", x);
    outcome.error = std::max(outcome.error, std::abs(x - speed));
  }
  return outcome;
}

Outcome swing_bat(FieldMake make) {
  int hits = 0;
  for (int phase = 0; phase < 8; ++phase) {
    Scene scene = weightless();
    add(scene, box({0.05, 1, 1}), {-3 - 20.0 * phase / 480, 0, 0}, BodyKind::kinematic);
    scene.bodies[0].velocity = {20, 0, 0};
    add(scene, ball(0.1), {});
    hits += ran(make, scene, 0.5)->motion(1).velocity.x > 15;
  }
  return number(hits, 8, "%.0f");
}

Outcome meet_post(FieldMake make) {
  int hits = 0;
  for (int phase = 0; phase < 8; ++phase) {
    Scene scene = weightless();
    add_fixed(scene, box({0.05, 1, 0.05}), {0, 0, 0.7});
    add(scene, capsule(0.02, 1), {-2.2 - 60.0 * phase / 480, 0, 0});
    scene.bodies[1].velocity = {60, 0, 0};
    scene.bodies[1].orientation = turn({1, 0, 0}, kPi / 2);
    hits += ran(make, scene, 0.3)->motion(1).velocity.x < 57;
  }
  return number(hits, 8, "%.0f");
}

// Only Orrery: Trial counts its events.
Outcome count_sensors(FieldMake make) {
  int seen = 0;
  for (int phase = 0; phase < 8; ++phase) {
    Scene scene = weightless();
    physics::PartDef gate = box({0.05, 1, 1});
    gate.filter.sensor = true;
    add_fixed(scene, gate, {});
    add(scene, ball(0.1), {-2 - 50.0 * phase / 480, 0, 0});
    scene.bodies[1].velocity = {50, 0, 0};
    const auto engine = ran(make, scene, 0.3);
    const auto& trial = dynamic_cast<const Trial&>(*engine);
    seen += trial.events(EventKind::sensor_begin) == 1 && trial.events(EventKind::sensor_end) == 1;
  }
  return number(seen, 8, "%.0f");
}

Outcome ride_turntable(FieldMake make) {
  Scene scene = earthly();
  add(scene, with(box({30, 0.1, 30}), 1), {0, -0.1, 0}, BodyKind::kinematic);
  scene.bodies[0].angular_velocity = {0, 2, 0};
  add(scene, with(cube(0.2), 1), {1, 0.2, 0});
  scene.bodies[1].velocity = {0, 0, -2};
  scene.bodies[1].angular_velocity = {0, 2, 0};
  const Vec3 p = ran(make, scene, 10)->motion(1).pose.position;
  return number(length({p.x, 0, p.z}), 1);
}

Outcome cradle(FieldMake make) {
  Scene scene = weightless();
  const physics::PartDef part = with(ball(0.1), 0, 1);
  add(scene, part, {-1, 0, 0});
  scene.bodies[0].velocity = {2, 0, 0};
  for (int i = 0; i < 4; ++i) add(scene, part, {0.2 * i, 0, 0});
  const auto engine = ran(make, scene, 1);
  double energy = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const Vec3 v = engine->motion(i).velocity;
    energy += dot(v, v) / 4;
  }
  const double last = engine->motion(4).velocity.x;
  return {format("%.2f, %.2f", last, energy), std::max(2 - last, std::abs(energy - 1))};
}

Outcome wedge(FieldMake make) {
  Scene scene = earthly();
  for (const double side : {-1.0, 1.0}) {
    const Quat q = turn({0, 0, 1}, side * kPi / 6);
    add_fixed(scene, with(box({5, 0.5, 2}), 0, 1), rotate(q, {side * 5, -0.5, 0}));
    scene.bodies.back().orientation = q;
  }
  add(scene, with(ball(0.2), 0, 1), {0.3, 2, 0});
  const auto engine = make(scene);
  const auto energy = [&] {
    const BodyMotion m = engine->motion(2);
    return (dot(m.velocity, m.velocity) / 2 + kG * m.pose.position.y) / (2 * kG);
  };
  double most = 0;
  for (int i = 0; i < 1200; ++i) {
    engine->run(1.0 / 60);
    most = std::max(most, energy());
  }
  const double last = energy();
  return {format("%.3f, %.3f", most, last), std::max(most - 1, 1 - last)};
}

// Returns the error of the angular momentum after a ball hit a plank, as a lever in mm.
Outcome hit_plank(FieldMake make) {
  Outcome outcome;
  for (const double speed : {3.0, 10.0}) {
    Scene scene = weightless();
    add(scene, box({0.1, 1, 0.1}), {});
    add(scene, ball(0.1), {-1, 0.6, 0.02});
    scene.bodies[1].velocity = {speed, 0, 0};
    const auto engine = make(scene);
    const BodyDef& plank = scene.bodies[0];
    const auto momentum = [&] {
      const BodyMotion a = engine->motion(0), b = engine->motion(1);
      const Vec3 spin =
          rotate(a.pose.orientation,
                 scaled(plank.inertia, rotate_back(a.pose.orientation, a.angular_velocity)));
      return plank.mass * cross(a.pose.position, a.velocity) + spin +
             scene.bodies[1].mass * cross(b.pose.position, b.velocity) +
             scene.bodies[1].inertia.x * b.angular_velocity;
    };
    const Vec3 before = momentum();
    engine->run(3 / speed);
    const double lever = 1000 * length(momentum() - before) / (scene.bodies[1].mass * speed);
    outcome.text += format("%s%.2g", outcome.text.empty() ? "" : ", ", lever);
    outcome.error = std::max(outcome.error, lever);
  }
  return outcome;
}

// The coin lies on a side of its polygon. Friction there must stop the spin within 0.4 s, so only
// the lean counts.
Outcome spin_coin(FieldMake make) {
  constexpr double kRadius = 0.012;
  Scene scene = on_plane(cylinder(kRadius, 0.001, 32), {0, kRadius * std::cos(kPi / 32), 0});
  scene.bodies[1].orientation = turn({1, 0, 0}, kPi / 2 + 0.0349) * turn({0, 1, 0}, kPi / 32);
  scene.bodies[1].angular_velocity = {0, 30, 0};
  const auto engine = ran(make, scene, 2);
  const BodyMotion m = engine->motion(1);
  const Vec3 axis = rotate(m.pose.orientation, {0, 1, 0});
  const double lean = 180 / kPi * std::asin(std::min(1.0, std::abs(axis.y)));
  return {format("lean %.1f, spin %.1f of 30", lean, m.angular_velocity.y),
          std::max(0.0, lean - 3)};
}

}  // namespace

std::vector<FieldCase> contact_cases() {
  return {
      {"capsule rolls at 0.001 m/s on a plane, 20 s: m/s",
       "0.001",
       1e-5,
       {"0.001", 1e-5},
       roll_capsule},
      {"ball rolls at 0.01 m/s on a crate, 5 s: m/s", "0.01", 1e-4, {"0.01", 1e-4}, roll_on_crate},
      {"100 capsule pencils fall 0.8 m: share above 4 m/s",
       "0",
       0,
       {"0", 0},
       [](FieldMake make) { return drop_pencils(make, capsule(0.004, 0.086)); }},
      {"100 box pencils",
       "0",
       0,
       {"5 % (4.09 m/s)", 5},
       [](FieldMake make) {
         return drop_pencils(make, box({0.004, 0.09, 0.004}));
       }},
      {"driven blade hits a ball: m/s", "4 or more", 0, {"5.04", 0}, strike},
      {"plank slides at 45 degrees: path", "45", 0.1, {"56.7", 11.7}, slide_plank},
      {"ball falls 5 mm beside a box, worst of 8 phases: sideways m/s",
       "0",
       1e-9,
       {"3.15", 3.15},
       [](FieldMake make) { return miss(make, ball(0.1)); }},
      {"box falls 5 mm beside a box",
       "0",
       1e-9,
       {},
       [](FieldMake make) { return miss(make, cube(0.1)); }},
      {"frictionless box crosses the seam of two boxes at 1 m/s",
       "1",
       kTiny,
       {"-0.301", 1.301},
       cross_seam},
      {"seam of two meshes: box at 1, box at 3, ball at 3 m/s",
       "1/3/3",
       1e-3,
       {"-0.09/3.0/1.94", 1.09},
       cross_meshes},
      {"box on a turntable of 2 rad/s, 10 s: radius", "1", 1e-3, {"25.6", 24.6}, ride_turntable},
  };
}

std::vector<FieldCase> impact_cases() {
  return {
      {"bat at 20 m/s hits a ball, of 8 phases", "8", 0, {"5", 3}, swing_bat},
      {"rod at 60 m/s, its end meets a post, of 8 phases", "8", 0, {"8", 0}, meet_post},
      {"ball at 50 m/s through a sensor: begin and end, of 8 phases",
       "8",
       0,
       {"8", 0},
       count_sensors,
       {"8", 0},
       {"8", 0},
       false},
      {"ball hits a row of four, restitution 1: last m/s, energy",
       "2, 1",
       0.01,
       {"1.16, 0.62", 0.84},
       cradle},
      {"elastic ball in a V of 30 degrees, 20 s: energy, most and last",
       "1, 1",
       0.01,
       {"1.30, 1.21", 0.30},
       wedge},
      {"off-centre hits at 3, 10 m/s: lever of the error of the angular momentum, mm",
       "0, 0",
       1e-6,
       {"15, 22", 22},
       hit_plank},
      {"coin of 32 sides spun on edge with a lean of 2 degrees, 2 s: lean",
       "at most 3",
       0,
       {"78", 75},
       spin_coin,
       {"2.9", 0},
       {"2.3", 0},
       false},
  };
}

}  // namespace orrery::bench
