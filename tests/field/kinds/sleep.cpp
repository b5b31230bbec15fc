// Checks that only bodies at rest fall asleep, at every size and weight.
#include <cmath>

#include "tests/field/bodies.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

// A ball that is thrown up under little weight comes down again.
void check_throw(Suite& suite, double gravity, const Variation& v) {
  Scene scene = earthly();
  scene.gravity = {0, -gravity, 0};
  scene.sleeping = true;
  add_fixed(scene, plane(), {});
  const double up = 52.6 * gravity, radius = 0.02;
  const std::uint32_t body = add(scene, ball(radius), {0, 0.5, 0});
  scene.bodies[body].velocity = {0, up, 0};
  Trial trial(scene, v);
  trial.run(100);
  const double right = 0.5 + up * 100 - gravity * 5000;
  suite.near(named(text("sleep: ball thrown up at %g m/s2", gravity), v),
             trial.position(body).y - right, 0, 0.01 * (1 + std::abs(right)));
}

// A body on a slope that slides slowly, or that rolls slowly, does not fall asleep.
void check_slow(Suite& suite, double speed, const Variation& v) {
  Scene scene = earthly();
  scene.sleeping = true;
  add_fixed(scene, plane(), {});
  const std::uint32_t body = add(scene, ball(0.5), {0, 0.5, 0});
  scene.bodies[body].velocity = {speed, 0, 0};
  scene.bodies[body].angular_velocity = {0, 0, -2 * speed};
  Trial trial(scene, v);
  trial.run(10);
  suite.near(named(text("sleep: ball rolls at %g m/s", speed), v), trial.position(body).x,
             10 * speed, 0.01 * speed);
}

// Bodies at rest fall asleep, without moving.
void check_rest(Suite& suite, Convex kind, const Variation& v) {
  Scene scene = earthly();
  scene.sleeping = true;
  add_floor(scene);
  for (int i = 0; i < 3; ++i) add(scene, convex(kind, 0.2), {0, 0.21 + 0.41 * i, 0});
  Trial trial(scene, v);
  trial.run(20);
  if (kind != Convex::ball && kind != Convex::capsule) {
    suite.near(named(text("sleep: three of a %s at rest", name_of(kind)), v), trial.position(3).y,
               1.0, 0.01);
  }
  suite.near(named(text("sleep: three of a %s: asleep", name_of(kind)), v),
             trial.world().collision()->sleeping->count(), 3, 0);
}

// A pendulum at the top of its swing is not at rest.
void check_swing(Suite& suite, const Variation& v) {
  Scene scene = earthly();
  scene.gravity = {0, -0.01, 0};
  scene.sleeping = true;
  add_anchor(scene, {});
  const std::uint32_t bob = add(scene, ball(0.1), {std::sin(0.3), -std::cos(0.3), 0});
  join(scene, physics::JointKind::distance, 0, bob, {}, {}).rest = 1;
  Trial trial(scene, v);
  trial.run(100);
  double most = 0;
  for (int i = 0; i < 80; ++i) {
    trial.run(1);
    most = std::max(most, std::abs(trial.position(bob).x));
  }
  suite.near(named("sleep: slow pendulum", v), most, std::sin(0.3), 0.01);
}

}  // namespace

void check_sleep(Suite& suite) {
  for (const double gravity : {1e-5, 0.0057, 1.62}) check_throw(suite, gravity, {});
  for (const Variation& v : variations(suite, 0.04)) {
    if (v.rate <= 120 || suite.all()) check_throw(suite, 0.0057, v);
  }
  for (const double speed : {0.002, 0.02, 0.2}) check_slow(suite, speed, {});
  for (const Variation& v : variations(suite, 1)) check_slow(suite, 0.02, v);
  for (const Convex kind : {Convex::box, Convex::hull, Convex::cylinder}) {
    for (const Variation& v : variations(suite, 0.4)) check_rest(suite, kind, v);
  }
  for (const Variation& v : variations(suite, 0.2)) check_swing(suite, v);
}

}  // namespace orrery::field
