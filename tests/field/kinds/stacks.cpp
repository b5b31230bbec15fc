// Checks stacks, towers and heavy bodies on light ones.
#include <algorithm>
#include <cmath>

#include "tests/field/bodies.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

// Returns how far the bodies of a stack are below their places, and away from its axis.
struct Fault {
  double sunk = 0, aside = 0;
};
Fault fault_of(const Trial& trial, int count, double first, double pitch) {
  Fault fault;
  for (int i = 0; i < count; ++i) {
    const Vec3 p = trial.position(static_cast<std::size_t>(i) + 1);
    fault.sunk = std::max(fault.sunk, first + pitch * i - p.y);
    fault.aside = std::max(fault.aside, length({p.x, 0, p.z}));
  }
  return fault;
}

// A tower from an exact start does not fall.
void check_tower(Suite& suite, Convex kind, int count, double seconds, const Variation& v) {
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  for (int i = 0; i < count; ++i) add(scene, convex(kind, 0.5), {0, 0.5 + i, 0});
  Trial trial(scene, v);
  trial.run(seconds);
  const Fault fault = fault_of(trial, count, 0.5, 1);
  const std::string name =
      named(text("stacks: tower of %d of a %s, %g s", count, name_of(kind), seconds), v);
  suite.at_most(name + ": sunk", fault.sunk, 0.02 * count);
  suite.at_most(name + ": aside", fault.aside, 0.05);
}

// A tower of small cubes does not fall within a minute. The unit is their side.
void check_small_tower(Suite& suite, double side, int count) {
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  for (int i = 0; i < count; ++i) add(scene, cube(0.5 * side), {0, (0.5 + i) * side, 0});
  Trial trial(scene);
  trial.run(60);
  const Fault fault = fault_of(trial, count, 0.5 * side, side);
  const std::string name = text("stacks: %d cubes of %g cm", count, 100 * side);
  suite.at_most(name + ": sunk", fault.sunk / side, 0.02 * count);
  suite.at_most(name + ": aside", fault.aside / side, 0.5);
}

// A tower of crossed layers of three bars does not fall, and stops moving.
void check_bars(Suite& suite, double scale) {
  constexpr int kLayers = 18;
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  const Vec3 half = scale * Vec3{0.0375, 0.0075, 0.0125};
  for (int i = 0; i < kLayers; ++i) {
    for (int k = -1; k <= 1; ++k) {
      const double aside = 2 * half.z * k, y = half.y * (2 * i + 1);
      const bool turned = i % 2 == 1;
      add(scene, box(turned ? Vec3{half.z, half.y, half.x} : half),
          turned ? Vec3{aside, y, 0} : Vec3{0, y, aside});
    }
  }
  Trial trial(scene);
  trial.run(20);
  double moved = 0, fast = 0;
  for (std::size_t i = 1; i < scene.bodies.size(); ++i) {
    moved = std::max(moved, length(trial.position(i) - scene.bodies[i].position));
    fast = std::max(fast, length(trial.velocity(i)));
  }
  const std::string name = text("stacks: bars of %g cm, crossed", 7.5 * scale);
  suite.at_most(name + ": moved", moved / scale, 0.01);
  suite.at_most(name + ": speed", fast, 1e-3);
}

// Bodies dropped onto each other stay a stack.
void check_drop(Suite& suite, Convex kind, const Variation& v) {
  constexpr int kCount = 8;
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  for (int i = 0; i < kCount; ++i) add(scene, convex(kind, 0.5), {0, 0.5 + 1.1 * i, 0});
  Trial trial(scene, v);
  trial.run(10);
  const Fault fault = fault_of(trial, kCount, 0.5, 1);
  const std::string name = named(text("stacks: eight of a %s dropped", name_of(kind)), v);
  suite.at_most(name + ": sunk", fault.sunk, 0.05);
  suite.at_most(name + ": aside", fault.aside, 0.1);
}

// Plates of 10 cm that touch, or fall one after another, stay a stack of plates.
void check_plates(Suite& suite, double thickness, int count, bool fall, const Variation& v) {
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  for (int i = 0; i < count; ++i) {
    add(scene, box({0.05, 0.5 * thickness, 0.05}), {0, thickness * (i + 0.5) + 0.05 * fall * i, 0});
  }
  Trial trial(scene, v);
  trial.run(10);
  double most = 0, below = 0;
  for (int i = 0; i < count; ++i) {
    const double top = trial.position(static_cast<std::size_t>(i) + 1).y + 0.5 * thickness;
    most = std::max(most, 1 - (top - below) / thickness);
    below = top;
  }
  suite.at_most(named(text("stacks: %d plates of %g mm%s: deepest overlap by their thickness",
                           count, 1000 * thickness, fall ? ", dropped" : ""),
                      v),
                most, 0.1);
}

// A body that is some times as high as wide is at rest on its narrow foot.
void check_tall(Suite& suite, Convex kind, double ratio, const Variation& v) {
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  const double height = 0.1 * ratio;
  const physics::PartDef part = kind == Convex::box    ? box({0.1, height, 0.1})
                                : kind == Convex::hull ? box_hull({0.1, height, 0.1})
                                                       : cylinder(0.1, height, 3);
  const std::uint32_t body = add(scene, part, {0, height + 0.005, 0});
  Trial trial(scene, v);
  trial.run(10);
  const std::string name =
      named(text("stacks: %s %g times as high as wide", name_of(kind), ratio), v);
  suite.at_most(name + ": speed", height * length(trial.motion(body).angular_velocity), 1e-3);
  suite.at_most(name + ": aside", length({trial.position(body).x, 0, trial.position(body).z}),
                3e-3);
}

// A heavy box on a light one.
void check_heavy(Suite& suite, double ratio, double sink, const Variation& v) {
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  add(scene, cube(0.5), {0, 0.5, 0});
  physics::PartDef heavy = cube(0.5);
  heavy.density *= ratio;
  add(scene, heavy, {0, 1.5, 0});
  Trial trial(scene, v);
  trial.run(20);
  const Fault fault = fault_of(trial, 2, 0.5, 1);
  const std::string name = named(text("stacks: %g times the mass on top", ratio), v);
  suite.at_most(name + ": sunk", fault.sunk, sink);
  suite.at_most(name + ": speed", length(trial.velocity(2)), 1e-3);
  suite.at_most(name + ": aside", fault.aside, 0.02);
}

// Braked wheels of hull cylinders hold a body on a slope.
void check_wheels(Suite& suite, const Variation& v) {
  Scene scene = earthly();
  constexpr double kTilt = 0.2;
  scene.gravity = kG * Vec3{std::sin(kTilt), -std::cos(kTilt), 0};
  add_floor(scene, 1);
  const std::uint32_t hull = add(scene, box({1, 0.2, 0.5}), {0, 0.5, 0});
  for (const double x : {-0.8, 0.8}) {
    for (const double z : {-0.7, 0.7}) {
      const std::uint32_t wheel = add(scene, with(cylinder(0.3, 0.1, 24), 1), {x, 0.3, z});
      scene.bodies[wheel].orientation = turn({1, 0, 0}, kPi / 2);
      join(scene, physics::JointKind::hinge, hull, wheel, {x, -0.2, z}, {}).motor_max = 1e6;
    }
  }
  Trial trial(scene, v);
  trial.run(2);
  const Vec3 before = trial.position(hull);
  trial.run(10);
  suite.at_most(named("stacks: braked wheels: creep in mm/s", v),
                100 * length(trial.position(hull) - before), 0.01);
}

}  // namespace

void check_stacks(Suite& suite) {
  for (const double seconds : {20.0, 60.0}) {
    if (seconds > 20 && !suite.all()) continue;
    for (const int count : {10, 20, 22, 30}) check_tower(suite, Convex::box, count, seconds, {});
    for (const Convex kind : {Convex::hull, Convex::cylinder}) {
      check_tower(suite, kind, 10, seconds, {});
    }
  }
  for (const Convex kind : {Convex::box, Convex::hull, Convex::cylinder}) {
    check_drop(suite, kind, {});
  }
  for (const Variation& v : variations(suite, 1)) {
    check_drop(suite, Convex::box, v);
    check_tower(suite, Convex::box, 10, 10, v);
    check_heavy(suite, 100, 0.005, v);
    if (suite.all()) check_heavy(suite, 1000, 0.03, v);
  }
  for (const double thickness : {0.05, 0.01, 0.005, 0.002}) {
    for (const int count : {3, 8, 20}) {
      for (const bool fall : {false, true}) check_plates(suite, thickness, count, fall, {});
    }
  }
  for (const Convex kind : {Convex::box, Convex::hull, Convex::cylinder}) {
    for (const double ratio : {4.0, 6.0, 8.0, 12.0}) check_tall(suite, kind, ratio, {});
    for (const Variation& v : variations(suite, 0.2)) check_tall(suite, kind, 9, v);
  }
  for (const double scale : {1.0, 4.0, 10.0}) check_bars(suite, scale);
  check_small_tower(suite, 0.1, 30);
  check_small_tower(suite, 0.02, 20);
  for (const double ratio : {10.0, 50.0, 200.0}) check_heavy(suite, ratio, 0.005, {});
  for (const double ratio : {300.0, 1000.0}) check_heavy(suite, ratio, 0.03, {});
  check_wheels(suite, {});
}

}  // namespace orrery::field
