// Checks that a body that passes another without touching it is not pushed.
#include <algorithm>
#include <cmath>

#include "common/core/rng.h"
#include "tests/field/bodies.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

// A body falls past the upper edge of a box, with a gap. The table of phases shifts the start
// within a tick.
void check_fall(Suite& suite, Convex kind, double gap, double speed, const Variation& v) {
  double worst = 0;
  for (int phase = 0; phase < 8; ++phase) {
    Scene scene = weightless();
    const double reach = kind == Convex::capsule ? 0.05 : 0.1;
    add_fixed(scene, cube(1), {1 + reach + gap, -1, 0});
    const std::uint32_t body = add(scene, convex(kind, 0.1), {0, 2 + 0.02 * phase * speed / 10, 0});
    scene.bodies[body].velocity = {0, -speed, 0};
    Trial trial(scene, v);
    trial.run(3 / speed);
    const BodyMotion m = trial.motion(body);
    worst = std::max({worst, length(m.velocity - Vec3{0, -speed, 0}), length(m.angular_velocity)});
  }
  suite.at_most(
      named(text("misses: %s at %g m/s falls %g mm beside a box", name_of(kind), speed, 1000 * gap),
            v),
      worst, 1e-9);
}

// Two bodies pass each other, at 64 phases of a tick.
void check_pass(Suite& suite, Convex a, Convex b, double gap, double speed, const Variation& v) {
  double worst = 0;
  for (int phase = 0; phase < 64; ++phase) {
    Scene scene = weightless();
    const auto reach = [](Convex kind) { return kind == Convex::capsule ? 0.05 : 0.1; };
    add(scene, convex(a, 0.1), {0, -1 - speed * phase / 1920, 0});
    add(scene, convex(b, 0.1), {reach(a) + reach(b) + gap, 1, 0});
    scene.bodies[0].velocity = {0, speed, 0};
    scene.bodies[1].velocity = {0, -speed, 0};
    Trial trial(scene, v);
    trial.run(3 / speed + 0.1);
    worst = std::max(worst, length(trial.velocity(0) - Vec3{0, speed, 0}));
  }
  suite.at_most(named(text("misses: %s passes a %s at %g mm and %g m/s", name_of(a), name_of(b),
                           1000 * gap, speed),
                      v),
                worst, 1e-9);
}

// Two bodies of random kinds, sizes and motions that fly close by each other.
struct Flyby {
  explicit Flyby(std::uint64_t seed) : scene(weightless()) {
    SplitMix64 random(seed);
    const auto vector = [&](double most) {
      Vec3 v;
      v.x = most * random.symmetric();
      v.y = most * random.symmetric();
      v.z = most * random.symmetric();
      return v;
    };
    const double other = 0.1 * std::exp(std::log(10.0) * random.symmetric());
    const double speed = std::exp(std::log(10.0) * (1 + random.symmetric()));
    const double spin = 30 * (1 + random.symmetric());
    for (const double size : {0.1, other}) {
      const auto kind = kConvex[random.below(static_cast<std::uint32_t>(std::size(kConvex)))];
      const Vec3 velocity = vector(speed), aside = vector(0.1 + other);
      const std::uint32_t id = add(scene, convex(kind, size), aside - 0.1 * velocity);
      const Vec3 axis = vector(1);
      scene.bodies[id].orientation = normalized({axis.x, axis.y, axis.z, random.symmetric()});
      scene.bodies[id].velocity = velocity;
      scene.bodies[id].angular_velocity = vector(spin);
    }
  }

  // Returns true if the bodies change their velocities within a quarter of a second.
  bool meet(std::uint32_t rate) {
    scene.tick_rate = rate;
    Trial trial(scene);
    trial.run(0.25);
    const double change = length(trial.velocity(0) - scene.bodies[0].velocity);
    return change > 1e-9 * length(scene.bodies[0].velocity);
  }

  Scene scene;
};

// Random bodies that miss each other at 3,840 ticks per second miss at 60, too.
void check_flybys(Suite& suite, int seeds) {
  int missed = 0, pushed = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Flyby flyby(static_cast<std::uint64_t>(seed));
    const bool met = flyby.meet(3840);
    missed += !met;
    pushed += !met && flyby.meet(60);
  }
  const std::string name = text("misses: %d random pairs", seeds);
  suite.near(name + ": pushed without a touch", pushed, 0, 0);
  suite.near(name + ": share that misses", missed / static_cast<double>(seeds), 0.5, 0.45);
}

// A ball flies just over the edge of a table and falls on.
void check_edge(Suite& suite, Convex kind, const Variation& v) {
  double worst = 0;
  for (int phase = 0; phase < 8; ++phase) {
    Scene scene = weightless();
    add_fixed(scene, cube(1), {0, -1, 0});
    const double reach = 0.1, gap = 0.004;
    // It passes over the edge x = 1 on a slant that stays clear of it.
    const Vec3 velocity{8, -4, 0};
    const Vec3 clear = (std::sqrt(3.0) * reach + gap) / std::sqrt(80.0) * Vec3{4, 8, 0};
    const std::uint32_t body =
        add(scene, convex(kind, reach),
            Vec3{1, 0, 0} + clear + -0.3 * velocity + -0.02 * phase * velocity);
    scene.bodies[body].velocity = velocity;
    Trial trial(scene, v);
    trial.run(0.8);
    worst = std::max(worst, length(trial.velocity(body) - velocity));
  }
  suite.at_most(named(text("misses: %s flies over an edge", name_of(kind)), v), worst, 1e-9);
}

// A body falls past a box, bounces just below it, and rises past it again. When it hits the floor,
// a plane between the two bodies must not push it.
void check_return(Suite& suite, Convex kind, double speed) {
  double worst = 0;
  for (int phase = 0; phase < 8; ++phase) {
    Scene scene = weightless();
    const double reach = kind == Convex::capsule ? 0.05 : 0.1, gap = 0.002;
    add_fixed(scene, with(cube(0.1), 0, 1), {0.1 + reach + gap, 0, 0});
    add_fixed(scene, with(cube(1), 0, 1), {0, -0.301 - 1, 0});
    const double start = 0.5 + 0.002 * phase * speed;
    const std::uint32_t body = add(scene, with(convex(kind, 0.1), 0, 1), {0, start, 0});
    scene.bodies[body].velocity = {0, -speed, 0};
    Trial trial(scene);
    trial.run(2 / speed);
    const BodyMotion m = trial.motion(body);
    worst = std::max({worst, length(m.velocity - Vec3{0, speed, 0}), length(m.angular_velocity)});
  }
  suite.at_most(text("misses: %s at %g m/s bounces beside a box", name_of(kind), speed), worst,
                1e-6);
}

}  // namespace

void check_misses(Suite& suite) {
  for (const Convex kind : kConvex) {
    for (const double gap : {0.0005, 0.005, 0.019}) {
      for (const double speed : {1.0, 10.0, 40.0}) check_fall(suite, kind, gap, speed, {});
    }
    for (const Variation& v : variations(suite, 0.2)) check_fall(suite, kind, 0.005, 10, v);
    for (const Convex other : kConvex) {
      for (const double speed : {1.0, 5.0, 20.0, 80.0}) {
        for (const double gap : {0.0005, 0.01}) check_pass(suite, kind, other, gap, speed, {});
      }
    }
    check_edge(suite, kind, {});
    for (const double speed : {0.5, 1.0, 2.0}) check_return(suite, kind, speed);
  }
  check_flybys(suite, suite.all() ? 4000 : 300);
}

}  // namespace orrery::field
