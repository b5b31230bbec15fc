// Checks impacts against the laws of conservation: rows, wedges, corners and off-centre hits.
#include <algorithm>
#include <cmath>

#include "tests/field/bodies.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

// A ball hits a row of others that touch: the last one leaves with its speed.
void check_row(Suite& suite, Convex kind, int count, double speed, const Variation& v) {
  Scene scene = weightless();
  const double reach = kind == Convex::capsule ? 0.05 : 0.1;
  const physics::PartDef part = with(convex(kind, 0.1), 0, 1);
  add(scene, part, {-1, 0, 0});
  scene.bodies[0].velocity = {speed, 0, 0};
  for (int i = 0; i < count; ++i) add(scene, part, {2 * reach * i, 0, 0});
  Trial trial(scene, v);
  const double before = trial.energy();
  trial.run(2 / speed);
  const std::string name =
      named(text("impacts: row of %d, %s at %g m/s", count, name_of(kind), speed), v);
  suite.within(name + ": last", trial.velocity(static_cast<std::size_t>(count)).x / speed, 0.95,
               1.0001);
  suite.within(name + ": energy", trial.energy() / before, 0.99, 1 + 1e-9);
  suite.near(name + ": momentum", trial.momentum().x / scene.bodies[0].mass / speed, 1, 1e-12);
}

// Two balls of different mass meet head on: the textbook's speeds.
void check_pair(Suite& suite, double ratio, double restitution, const Variation& v) {
  Scene scene = weightless();
  add(scene, with(ball(0.1), 0, restitution), {-1, 0, 0});
  physics::PartDef other = with(ball(0.1), 0, restitution);
  other.density *= ratio;
  add(scene, other, {0.5, 0, 0});
  scene.bodies[0].velocity = {3, 0, 0};
  Trial trial(scene, v);
  trial.run(1);
  const double right = 3 * (1 + restitution) / (1 + ratio);
  suite.near(named(text("impacts: balls of 1:%g, restitution %g", ratio, restitution), v),
             trial.velocity(1).x / right, 1, 1e-3);
}

// A ball bounces in a V without friction. Its energy stays.
void check_wedge(Suite& suite, double degrees, double restitution, const Variation& v) {
  Scene scene = earthly();
  const double angle = degrees * kPi / 180;
  for (const double side : {-1.0, 1.0}) {
    const Quat q = turn({0, 0, 1}, side * angle);
    const std::uint32_t wall =
        add_fixed(scene, with(box({5, 0.5, 2}), 0, restitution), rotate(q, {side * 5, -0.5, 0}));
    scene.bodies[wall].orientation = q;
  }
  const std::uint32_t body = add(scene, with(ball(0.2), 0, restitution), {0.3, 2, 0});
  Trial trial(scene, v);
  // Semi-implicit Euler keeps this energy in free fall.
  const auto energy = [&] {
    const double lag = trial.tick() / scene.substeps / 2;
    return trial.energy() +
           scene.bodies[body].mass * lag * dot(scene.gravity, trial.velocity(body));
  };
  const double before = energy();
  double most = 0;
  for (int i = 0; i < 1200; ++i) {
    trial.run(1.0 / 60);
    most = std::max(most, energy() / before);
  }
  const std::string name =
      named(text("impacts: V of %g degrees, restitution %g", degrees, restitution), v);
  suite.at_most(name + ": most energy", most, 1 + 1e-6);
  if (restitution == 1) suite.at_least(name + ": last energy", energy() / before, 0.9);
  suite.at_least(name + ": height", trial.position(body).y, 0);
}

// A rod or plank is hit off its centre. Momentum and angular momentum stay exactly.
void check_lever(Suite& suite, Convex kind, double speed, double restitution, const Variation& v) {
  Scene scene = weightless();
  add(scene, with(box({0.1, 1, 0.1}), 0.5, restitution), {});
  add(scene, with(convex(kind, 0.1), 0.5, restitution), {-1, 0.6, 0.02});
  scene.bodies[1].velocity = {speed, 0, 0};
  Trial trial(scene, v);
  const Vec3 p = trial.momentum(), l = trial.angular_momentum();
  const double before = trial.energy();
  double most = 0;
  for (int i = 0; i < 60; ++i) {
    trial.run(0.03 / speed);
    most = std::max(most, trial.energy() / before);
  }
  const std::string name =
      named(text("impacts: %s at %g m/s hits a plank off its centre, restitution %g", name_of(kind),
                 speed, restitution),
            v);
  suite.near(name + ": momentum", length(trial.momentum() - p) / length(p), 0, 1e-11);
  suite.near(name + ": lever of the error in mm",
             1000 * length(trial.angular_momentum() - l) / length(p), 0, 1e-6);
  suite.at_most(name + ": energy", most, 1 + 1e-9);
}

// A dropped body with a restitution rises to its square.
void check_bounce(Suite& suite, Convex kind, double restitution, const Variation& v) {
  Scene scene = earthly();
  add_fixed(scene, with(plane(), 0.5, restitution), {});
  const physics::PartDef part = with(convex(kind, 0.2), 0.5, restitution);
  const std::uint32_t body = add(scene, part, {0, 1.2, 0});
  Trial trial(scene, v);
  double top = 0;
  for (int i = 0; i < 240; ++i) {
    trial.run(1.0 / 240);
    if (i > 110) top = std::max(top, trial.position(body).y - 0.2);
  }
  const double h = trial.tick() / scene.substeps;
  suite.near(named(text("impacts: %s bounces, restitution %g", name_of(kind), restitution), v), top,
             restitution * restitution, 0.01 + 5 * h);
}

// A body that falls from a small height rises to the square of its restitution, too. The energy of
// a bounce may be too small for the present distance; then it bounces in the next tick.
void check_low_bounce(Suite& suite, Convex kind, double height) {
  const double restitution = 0.3;
  Scene scene = earthly();
  add_fixed(scene, with(plane(), 0.5, restitution), {});
  const physics::PartDef part = with(convex(kind, 0.2), 0.5, restitution);
  const std::uint32_t body = add(scene, part, {0, 0.2 + height, 0});
  Trial trial(scene);
  const double fall = std::sqrt(2 * height / kG);
  trial.run(fall);
  double top = 0;
  for (double time = 0; time < 2 * restitution * fall; time += trial.tick()) {
    trial.run(trial.tick());
    top = std::max(top, trial.position(body).y - 0.2);
  }
  suite.near(text("impacts: %s bounces from %g mm", name_of(kind), 1000 * height),
             top / (restitution * restitution * height), 1, 0.02);
}

}  // namespace

void check_impacts(Suite& suite) {
  for (const Variation& v : variations(suite, 0.2)) {
    check_row(suite, Convex::ball, 4, 2, v);
    check_wedge(suite, 30, 1, v);
    check_lever(suite, Convex::ball, 3, 0, v);
    check_lever(suite, Convex::ball, 3, 1, v);
    check_pair(suite, 3, 0.8, v);
    check_bounce(suite, Convex::ball, 1, v);
  }
  for (const int count : {1, 2, 8, 20}) check_row(suite, Convex::ball, count, 2, {});
  for (const Convex kind : {Convex::capsule, Convex::box, Convex::hull}) {
    check_row(suite, kind, 4, 2, {});
  }
  for (const double speed : {0.5, 20.0}) check_row(suite, Convex::ball, 4, speed, {});
  for (const double ratio : {0.01, 1.0, 100.0}) {
    for (const double restitution : {0.5, 1.0}) check_pair(suite, ratio, restitution, {});
  }
  for (const double degrees : {10.0, 45.0, 60.0}) {
    for (const double restitution : {0.5, 1.0}) check_wedge(suite, degrees, restitution, {});
  }
  for (const Convex kind : kConvex) {
    for (const double speed : {3.0, 10.0, 40.0}) {
      for (const double restitution : {0.0, 0.5, 1.0})
        check_lever(suite, kind, speed, restitution, {});
    }
    for (const double restitution : {0.3, 0.8}) {
      check_bounce(suite, kind, restitution, {});
    }
    for (const double height : {0.02, 0.05, 0.1}) check_low_bounce(suite, kind, height);
  }
}

}  // namespace orrery::field
