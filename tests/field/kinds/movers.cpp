// Checks that kinematic bodies act on others with their whole motion.
#include <algorithm>
#include <cmath>

#include "tests/field/bodies.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

// A blade that turns about y at 5 rad/s strikes a body at rest 0.8 m from its axis.
void check_blade(Suite& suite, Convex kind, const Variation& v) {
  Scene scene = weightless();
  const std::uint32_t blade = add(scene, box({1, 0.5, 0.03}), {}, BodyKind::kinematic);
  scene.bodies[blade].angular_velocity = {0, 5, 0};
  const std::uint32_t body = add(scene, convex(kind, 0.1), {0.8, 0, -0.5});
  Trial trial(scene, v);
  trial.run(1);
  const double speed = length(trial.velocity(body));
  suite.within(named(text("movers: blade strikes a %s", name_of(kind)), v), speed, 3, 8);
}

// A bat at some speed meets a body at rest: it pushes the body, at every phase of the tick.
void check_bat(Suite& suite, Convex kind, double speed, const Variation& v) {
  int struck = 0;
  for (int phase = 0; phase < 8; ++phase) {
    Scene scene = weightless();
    const std::uint32_t bat =
        add(scene, box({0.05, 1, 1}), {-3 - speed * phase / 480, 0, 0}, BodyKind::kinematic);
    scene.bodies[bat].velocity = {speed, 0, 0};
    const std::uint32_t body = add(scene, convex(kind, 0.1), {});
    Trial trial(scene, v);
    trial.run((4 + speed * phase / 480) / speed + 0.1);
    struck += trial.velocity(body).x > 0.95 * speed;
  }
  suite.near(
      named(text("movers: bat at %g m/s strikes a %s, of 8 phases", speed, name_of(kind)), v),
      struck, 8, 0);
}

// A lift carries a body up and down, and lets it neither sink nor fly.
void check_lift(Suite& suite, Convex kind, double speed, const Variation& v) {
  Scene scene = earthly();
  const std::uint32_t lift = add(scene, box({2, 0.1, 2}), {0, -0.1, 0}, BodyKind::kinematic);
  scene.bodies[lift].velocity = {0, speed, 0};
  const std::uint32_t body = add(scene, convex(kind, 0.2), {0, 0.2, 0});
  scene.bodies[body].velocity = {0, speed, 0};
  Trial trial(scene, v);
  trial.run(5);
  suite.near(named(text("movers: %s on a lift of %g m/s", name_of(kind), speed), v),
             trial.position(body).y - trial.position(lift).y, 0.3, 0.006);
}

// A wall that moves slowly pushes a body over a floor at its own speed.
void check_wall(Suite& suite, Convex kind, const Variation& v) {
  Scene scene = earthly();
  const std::uint32_t wall = add(scene, box({0.1, 1, 1}), {-0.5, 0, 0}, BodyKind::kinematic);
  scene.bodies[wall].velocity = {0.7, 0, 0};
  add_floor(scene);
  scene.bodies.back().position.y -= 0.2;
  const std::uint32_t body = add(scene, convex(kind, 0.2), {});
  Trial trial(scene, v);
  trial.run(3);
  const double reach = kind == Convex::capsule ? 0.1 : 0.2;
  const std::string name = named(text("movers: %s before a wall", name_of(kind)), v);
  suite.at_least(name, trial.position(body).x - trial.position(wall).x, 0.1 + 0.98 * reach);
  suite.near(name + ": speed", trial.velocity(body).x / 0.7, 1, 0.02);
}

}  // namespace

void check_movers(Suite& suite) {
  for (const Convex kind : kConvex) {
    for (const Variation& v : variations(suite, 0.2)) {
      if (kind != Convex::ball && !suite.all() && v.rate == 60 && v.length != 1) continue;
      check_blade(suite, kind, v);
      check_bat(suite, kind, 20, v);
    }
    for (const double speed : {0.5, 5.0, 60.0, 200.0}) check_bat(suite, kind, speed, {});
    for (const double speed : {-3.0, 0.01, 2.0}) check_lift(suite, kind, speed, {});
    check_wall(suite, kind, {});
    if (!suite.all()) continue;
    for (const Variation& v : variations(suite, 0.2)) {
      check_lift(suite, kind, 1, v);
      check_wall(suite, kind, v);
    }
  }
}

}  // namespace orrery::field
