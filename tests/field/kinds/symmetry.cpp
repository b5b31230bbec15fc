// Checks that a mirrored, turned, scaled or shifted scene moves as the scene itself does.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/core/rng.h"
#include "tests/field/bodies.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

// Bodies of every shape that fall onto a floor and each other.
Scene heap() {
  Scene scene = earthly();
  add_floor(scene);
  int i = 0;
  for (const Convex kind : kConvex) {
    const std::uint32_t body =
        add(scene, convex(kind, 0.2), {0.45 * i - 0.9, 0.5 + 0.1 * i, 0.03 * i});
    scene.bodies[body].velocity = {0.5 - 0.3 * i, 0, 0.2};
    scene.bodies[body].angular_velocity = {1, 0.5 * i, -1};
    scene.bodies[body].orientation = normalized({0.1 * i, 0.2, 0.3, 1});
    ++i;
  }
  return scene;
}

// A stack of all shapes with flat sides, dropped onto a floor.
Scene stack() {
  Scene scene = earthly();
  add_floor(scene);
  int i = 0;
  for (const Convex kind : {Convex::box, Convex::hull, Convex::cylinder, Convex::box}) {
    add(scene, convex(kind, 0.2), {0, 0.2 + 0.42 * i++, 0});
  }
  return scene;
}

// One body that falls onto a floor, turns and slides.
Scene one(Convex kind) {
  Scene scene = earthly();
  add_floor(scene);
  const std::uint32_t body = add(scene, convex(kind, 0.2), {0, 0.6, 0});
  scene.bodies[body].velocity = {0.5, 0, 0.2};
  scene.bodies[body].angular_velocity = {1, 0.5, -1};
  scene.bodies[body].orientation = normalized({0.1, 0.2, 0.3, 1});
  return scene;
}

// A rag of hinges with limits, a spring and a motor.
Scene rag() {
  Scene scene = earthly();
  const std::uint32_t anchor = add_anchor(scene, {});
  std::uint32_t before = anchor;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t link = add(scene, capsule(0.03, 0.1), {0.15 + 0.3 * i, 0, 0});
    scene.bodies[link].orientation = turn({0, 0, 1}, kPi / 2);
    const Vec3 at = i == 0 ? Vec3{} : Vec3{0, -0.15, 0};
    JointDef& joint = join(scene, i == 2 ? physics::JointKind::ball : physics::JointKind::hinge,
                           before, link, at, {0, 0.15, 0});
    if (i == 1) {
      joint.limited = true;
      joint.lower = -0.4;
      joint.upper = 0.4;
    }
    if (i == 3) {
      joint.frequency = 2;
      joint.damping_ratio = 0.3;
      joint.rest = 0.5;
    }
    before = link;
  }
  return scene;
}

void compare(Suite& suite, const char* what, const Scene& scene, const Variation& v,
             double most = 1e-6) {
  Trial plain(scene), varied(scene, v);
  double worst = 0;
  for (int i = 0; i < 60; ++i) {
    plain.run(1.0 / 60);
    varied.run(1.0 / 60);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      if (scene.bodies[b].kind == BodyKind::anchor) continue;
      worst = std::max(worst, length(plain.position(b) - varied.position(b)));
    }
  }
  suite.at_most(named(text("symmetry: %s", what), v), worst, most);
}

// In a unit of length that is a power of two, all numbers have the same digits.
void compare_units(Suite& suite, const char* what, const Scene& scene) {
  for (const int exponent : {-9, -1, 1, 10}) {
    Variation v;
    v.name = text("in units of 2^%d m", -exponent);
    v.length = std::ldexp(1.0, exponent);
    v.units = true;
    compare(suite, what, scene, v, 0);
  }
}

}  // namespace

void check_symmetry(Suite& suite) {
  std::vector<std::pair<const char*, Scene>> scenes{{"heap", heap()}, {"rag", rag()}};
  for (const Convex kind : kConvex) scenes.emplace_back(name_of(kind), one(kind));
  compare_units(suite, "stack", stack());
  for (const auto& [what, scene] : scenes) {
    compare_units(suite, what, scene);
    for (const auto& list : {sizes(suite, 0.2), frames(suite), drifts(suite)}) {
      for (const Variation& v : list) {
        if (v.ticks_follow) compare(suite, what, scene, v);
      }
    }
  }
}

}  // namespace orrery::field
