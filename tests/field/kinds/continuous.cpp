// Checks that fast bodies and their ends hit thin ones, and that sensors see them cross.
#include <cmath>

#include "tests/field/bodies.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

constexpr int kPhases = 8;

// A rod along z flies along x. One of its ends meets a thin post.
void check_rod(Suite& suite, bool is_box, double speed, double at, const Variation& v) {
  int hit = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    Scene scene = weightless();
    add_fixed(scene, box({0.05, 1, 0.05}), {0, 0, at});
    const std::uint32_t rod = add(scene, is_box ? box({0.02, 1, 0.02}) : capsule(0.02, 1),
                                  {-2.2 - speed * phase / 480, 0, 0});
    scene.bodies[rod].velocity = {speed, 0, 0};
    scene.bodies[rod].orientation = turn({1, 0, 0}, kPi / 2);
    Trial trial(scene, v);
    trial.run(8 / speed + 0.1);
    hit += trial.velocity(rod).x < 0.95 * speed;
  }
  suite.near(named(text("continuous: %s rod at %g m/s meets a post at %g m, of 8 phases",
                        is_box ? "box" : "capsule", speed, at),
                   v),
             hit, kPhases, 0);
}

// A body crosses a thin sensor: it begins and ends once.
void check_sensor(Suite& suite, Convex kind, double speed, bool sensor_moves, const Variation& v) {
  int seen = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    Scene scene = weightless();
    physics::PartDef gate = box({0.05, 1, 1});
    gate.filter.sensor = true;
    const std::uint32_t sensor =
        add(scene, gate, {}, sensor_moves ? BodyKind::kinematic : BodyKind::anchor);
    const std::uint32_t body = add(scene, convex(kind, 0.1), {-2 - speed * phase / 480, 0, 0});
    const std::uint32_t mover = sensor_moves ? sensor : body;
    if (sensor_moves) scene.bodies[sensor].position.x = 2 + speed * phase / 480;
    if (sensor_moves) scene.bodies[body].position.x = 0;
    scene.bodies[mover].velocity = {sensor_moves ? -speed : speed, 0, 0};
    Trial trial(scene, v);
    trial.run(8 / speed + 0.2);
    seen += trial.events(EventKind::sensor_begin) == 1 && trial.events(EventKind::sensor_end) == 1;
  }
  suite.near(named(text("continuous: %s at %g m/s crosses a %s, of 8 phases", name_of(kind), speed,
                        sensor_moves ? "sensor that moves" : "sensor"),
                   v),
             seen, kPhases, 0);
}

// Adds a body that turns, and flies along x from 2 m before the origin.
std::uint32_t add_flyer(Scene& scene, Convex kind, double speed, int phase) {
  const std::uint32_t body =
      add(scene, convex(kind, 0.1), {-2 - speed * phase / 480, 0.013, 0.017});
  scene.bodies[body].velocity = {speed, 0, 0};
  scene.bodies[body].angular_velocity = {0, 3, 1};
  return body;
}

// A body that flies at a thin fixed wall does not pass it.
void check_wall(Suite& suite, Convex kind, double speed, bool mesh, const Variation& v) {
  int stopped = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    Scene scene = weightless();
    const std::uint32_t wall = add_fixed(scene, mesh ? sheet(1, 1, 2, 2) : box({1, 0.005, 1}), {});
    scene.bodies[wall].orientation = turn({0, 0, 1}, kPi / 2);
    const std::uint32_t body = add_flyer(scene, kind, speed, phase);
    Trial trial(scene, v);
    trial.run(8 / speed);
    stopped += trial.position(body).x < 0;
  }
  suite.near(named(text("continuous: %s at %g m/s flies at a thin %s, of 8 phases", name_of(kind),
                        speed, mesh ? "mesh" : "wall"),
                   v),
             stopped, kPhases, 0);
}

// A body passes a mesh if it flies at the inner side of it.
void check_back(Suite& suite, Convex kind, double speed, const Variation& v) {
  int passed = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    Scene scene = weightless();
    const std::uint32_t wall = add_fixed(scene, sheet(1, 1, 2, 2), {});
    scene.bodies[wall].orientation = turn({0, 0, 1}, -kPi / 2);
    const std::uint32_t body = add_flyer(scene, kind, speed, phase);
    Trial trial(scene, v);
    trial.run(8 / speed);
    passed += trial.position(body).x > 2 && trial.velocity(body).x >= speed;
  }
  suite.near(named(text("continuous: %s at %g m/s passes a mesh from behind, of 8 phases",
                        name_of(kind), speed),
                   v),
             passed, kPhases, 0);
}

// Two bodies fly at each other.
void check_pair(Suite& suite, Convex kind, double speed, const Variation& v) {
  int hit = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    Scene scene = weightless();
    for (const double side : {-1.0, 1.0}) {
      const std::uint32_t body =
          add(scene, convex(kind, 0.1), {side * (2 + speed * phase / 480), 0.01 * side, 0});
      scene.bodies[body].velocity = {-side * speed, 0, 0};
    }
    Trial trial(scene, v);
    trial.run(8 / speed + 0.1);
    hit += std::abs(trial.velocity(0).x) < 0.9 * speed;
  }
  suite.near(named(text("continuous: two of a %s fly at each other at %g m/s, of 8 phases",
                        name_of(kind), speed),
                   v),
             hit, kPhases, 0);
}

// A rod that turns fast sweeps a thin post.
void check_swing(Suite& suite, BodyKind kind, double spin, const Variation& v) {
  int hit = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    Scene scene = weightless();
    const std::uint32_t rod = add(scene, capsule(0.02, 1), {}, kind);
    scene.bodies[rod].angular_velocity = {0, 0, spin};
    scene.bodies[rod].orientation = turn({0, 0, 1}, -spin * phase / 480);
    const std::uint32_t post =
        add(scene, ball(0.03), {-0.9 * std::sin(1.0), 0.9 * std::cos(1.0), 0},
            kind == BodyKind::kinematic ? BodyKind::rigid : BodyKind::anchor);
    Trial trial(scene, v);
    trial.run(2 / spin + 0.1);
    hit += kind == BodyKind::kinematic ? length(trial.velocity(post)) > 0.1 * spin
                                       : length(trial.motion(rod).angular_velocity) < 0.95 * spin;
  }
  suite.near(named(text("continuous: %s rod of %g rad/s sweeps a post, of 8 phases",
                        kind == BodyKind::kinematic ? "kinematic" : "free", spin),
                   v),
             hit, kPhases, 0);
}

}  // namespace

void check_continuous(Suite& suite) {
  for (const bool is_box : {false, true}) {
    for (const double speed : {5.0, 60.0, 200.0}) {
      for (const double at : {0.0, 0.7, 0.95}) check_rod(suite, is_box, speed, at, {});
    }
  }
  for (const Convex kind : kConvex) {
    for (const double speed : {1.0, 50.0, 200.0}) {
      for (const bool moves : {false, true}) check_sensor(suite, kind, speed, moves, {});
    }
    for (const double speed : {5.0, 50.0, 300.0}) {
      check_pair(suite, kind, speed, {});
      check_back(suite, kind, speed, {});
      for (const bool mesh : {false, true}) check_wall(suite, kind, speed, mesh, {});
    }
  }
  for (const double spin : {5.0, 30.0, 100.0}) {
    check_swing(suite, BodyKind::kinematic, spin, {});
    check_swing(suite, BodyKind::rigid, spin, {});
  }
  if (!suite.all()) return;
  for (const Variation& v : variations(suite, 0.2)) {
    check_rod(suite, false, 60, 0.7, v);
    check_sensor(suite, Convex::ball, 50, false, v);
    check_wall(suite, Convex::box, 50, false, v);
    check_pair(suite, Convex::ball, 50, v);
  }
}

}  // namespace orrery::field
