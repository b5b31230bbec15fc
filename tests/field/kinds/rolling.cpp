// Checks that bodies roll as they should: at constant speed on level ground, and by 5/7 on a slope.
#include <cmath>

#include "tests/field/suite.h"

namespace orrery::field {
namespace {

// The ground under a body of radius 0.5. Its top is at y = 0.
enum class Ground { plane, box, mesh, crate, moving };
constexpr const char* kGrounds[] = {"a plane", "a box", "a mesh", "a crate", "a moving floor"};

std::uint32_t add_ground(Scene& scene, Ground ground) {
  switch (ground) {
    case Ground::plane:
      return add_fixed(scene, plane(), {});
    case Ground::box:
      return add_floor(scene);
    case Ground::mesh:
      return add_fixed(scene, sheet(40, 40, 40, 40), {0.013, 0, 0.017});
    case Ground::crate:  // heavy and wide, on a fixed floor
      add_fixed(scene, box({100, 1, 100}), {0, -2, 0});
      return add(scene, box({30, 0.5, 3}), {0, -0.5, 0});
    case Ground::moving: {
      const std::uint32_t floor = add(scene, box({100, 1, 100}), {0, -1, 0}, BodyKind::kinematic);
      scene.bodies[floor].velocity = {0.5, 0, 0.25};
      return floor;
    }
  }
  return 0;
}

// A ball or a capsule across its way that rolls along x at a speed relative to the ground.
struct Roller {
  Scene scene = earthly();
  std::uint32_t ground = 0, body = 0;

  Roller(bool is_capsule, Ground on, double speed) {
    ground = add_ground(scene, on);
    body = add(scene, is_capsule ? capsule(0.5, 0.5) : ball(0.5), {0, 0.5, 0});
    BodyDef& b = scene.bodies[body];
    if (is_capsule) b.orientation = turn({1, 0, 0}, kPi / 2);
    b.velocity = scene.bodies[ground].velocity + Vec3{speed, 0, 0};
    b.angular_velocity = {0, 0, -speed / 0.5};
  }
};

void check_level(Suite& suite, bool is_capsule, Ground on, double speed, const Variation& v) {
  const Roller roller(is_capsule, on, speed);
  Trial trial(roller.scene, v);
  const double seconds = std::min(20.0, 15 / speed);
  trial.run(seconds);
  const Vec3 gone = trial.velocity(roller.body) - trial.velocity(roller.ground);
  const std::string name =
      named(text("rolling: %s at %g m/s on %s", is_capsule ? "capsule" : "ball", speed,
                 kGrounds[static_cast<int>(on)]),
            v);
  suite.near(name + ": speed", gone.x / speed, 1, 1e-3);
  suite.near(name + ": aside", length({0, gone.y, gone.z}) / speed, 0, 1e-3);
}

void check_slope(Suite& suite, bool is_capsule, const Variation& v) {
  Roller roller(is_capsule, Ground::plane, 0);
  constexpr double kTilt = 0.2;
  roller.scene.gravity = kG * Vec3{std::sin(kTilt), -std::cos(kTilt), 0};
  Trial trial(roller.scene, v);
  // The motion begins within the first tick, so compare two later times.
  trial.run(1);
  const double before = trial.velocity(roller.body).x;
  trial.run(2);
  const double gained = trial.velocity(roller.body).x - before;
  const BodyDef& b = roller.scene.bodies[roller.body];
  const double along = is_capsule ? std::min({b.inertia.x, b.inertia.y, b.inertia.z}) : b.inertia.x;
  const double right = 2 * kG * std::sin(kTilt) / (1 + along / (b.mass * 0.25));
  suite.near(named(text("rolling: %s down a slope", is_capsule ? "capsule" : "ball"), v),
             gained / right, 1, v.rate == 10 ? 0.1 : 2e-3);
}

// A ball of unit radius at rest stays there.
void check_rest(Suite& suite, const Variation& v) {
  const Roller roller(true, Ground::plane, 0);
  Trial trial(roller.scene, v);
  trial.run(10);
  suite.near(named("rolling: capsule at rest", v), length(trial.velocity(roller.body)), 0, 1e-6);
}

}  // namespace

void check_rolling(Suite& suite) {
  for (const bool is_capsule : {false, true}) {
    for (const Variation& v : variations(suite, 1)) {
      check_level(suite, is_capsule, Ground::plane, 0.001, v);
      check_slope(suite, is_capsule, v);
    }
    for (const Ground on : {Ground::box, Ground::mesh, Ground::crate, Ground::moving}) {
      for (const double speed : {0.001, 0.01, 0.3, 3.0}) {
        if (on == Ground::crate && speed > 0.3) continue;  // the crate gives way
        check_level(suite, is_capsule, on, speed, {});
        if (!suite.all()) continue;
        for (const Variation& v : variations(suite, 1))
          check_level(suite, is_capsule, on, speed, v);
      }
    }
    for (const Variation& v : drifts(suite)) check_level(suite, is_capsule, Ground::box, 0.01, v);
  }
  for (const Variation& v : variations(suite, 1)) check_rest(suite, v);
}

}  // namespace orrery::field
