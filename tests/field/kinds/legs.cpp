// Checks bodies on joints that stand on something or carry something: tables, cars, swings.
#include <algorithm>
#include <cmath>

#include "tests/field/bodies.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

using physics::JointKind;

// Checks that no body moves farther than `moves` in 10 s, and that all are at rest then.
void check_rest(Suite& suite, const std::string& name, const Scene& scene, double moves,
                const Variation& v) {
  Trial trial(scene, v);
  trial.run(10);
  double moved = 0, fast = 0;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].kind == BodyKind::anchor) continue;
    moved = std::max(moved, length(trial.position(i) - scene.bodies[i].position));
    fast = std::max(fast, length(trial.velocity(i)));
  }
  suite.at_most(named(name + ": moved", v), moved, moves);
  suite.at_most(named(name + ": speed", v), fast, 1e-3);
}

// A table of 80 cm with four legs of 70 cm that joints hold, and a box of some times the mass of
// its top on it. A leg has a 23rd of the mass of the top.
void check_table(Suite& suite, JointKind kind, double load, const Variation& v) {
  Scene scene = earthly();
  add_floor(scene);
  const std::uint32_t top = add(scene, box({0.4, 0.02, 0.4}), {0, 0.72, 0});
  for (const double x : {-0.36, 0.36}) {
    for (const double z : {-0.36, 0.36}) {
      const std::uint32_t leg = add(scene, box({0.02, 0.35, 0.02}), {x, 0.35, z});
      JointDef& joint = join(scene, kind, top, leg, {x, -0.02, z}, {0, 0.35, 0});
      if (kind == JointKind::hinge) joint.motor_max = 1e4;  // a brake
    }
  }
  if (load > 0) {
    physics::PartDef weight = cube(0.15);
    weight.density *= load * 4 * 0.4 * 0.4 * 0.02 / (0.15 * 0.15 * 0.15 * 4);
    add(scene, weight, {0, 0.89, 0});
  }
  check_rest(suite,
             text("legs: table on %s legs with %g times its mass",
                  kind == JointKind::weld ? "welded" : "braked", load),
             scene, 0.005, v);
}

// A car of 1 t on four braked wheels of 5 kg, with a load.
void check_car(Suite& suite, double load, const Variation& v) {
  Scene scene = earthly();
  add_floor(scene);
  physics::PartDef chassis = box({1.5, 0.25, 0.75});
  chassis.density = 1000 / (8 * 1.5 * 0.25 * 0.75);
  const std::uint32_t body = add(scene, chassis, {0, 0.65, 0});
  for (const double x : {-1.0, 1.0}) {
    for (const double z : {-0.9, 0.9}) {
      physics::PartDef wheel = ball(0.3);
      wheel.density = 5 / (4.0 / 3 * kPi * 0.3 * 0.3 * 0.3);
      const std::uint32_t at = add(scene, wheel, {x, 0.3, z});
      JointDef& axle = join(scene, JointKind::hinge, body, at, {x, -0.35, z}, {});
      axle.motor_max = 1e4;
    }
  }
  if (load > 0) {
    physics::PartDef crate = cube(0.45);
    crate.density = load / (8 * 0.45 * 0.45 * 0.45);
    add(scene, crate, {0, 1.35, 0});
  }
  // A load of 300 wheels on each wheel sinks by 8 mm (common/physics/TOLERANCES.md).
  check_rest(suite, text("legs: car of 1 t with %g kg", load), scene, load > 1000 ? 0.01 : 0.005,
             v);
}

// A seat of 4 kg on four ropes of 2 m or on four rods, with a box on it.
void check_swing(Suite& suite, bool rods, double load, const Variation& v) {
  Scene scene = earthly();
  const std::uint32_t beam = add_anchor(scene, {0, 2, 0});
  physics::PartDef seat = box({0.25, 0.02, 0.2});
  seat.density = 4 / (8 * 0.25 * 0.02 * 0.2);
  const std::uint32_t body = add(scene, seat, {});
  for (const double x : {-0.25, 0.25}) {
    for (const double z : {-0.2, 0.2}) {
      if (!rods) {
        join(scene, JointKind::distance, beam, body, {x, 0, z}, {x, 0, z}).rest = 2;
        continue;
      }
      const std::uint32_t rod = add(scene, capsule(0.01, 0.98), {x, 1, z});
      join(scene, JointKind::ball, beam, rod, {x, 0, z}, {0, 1, 0});
      join(scene, JointKind::ball, rod, body, {0, -1, 0}, {x, 0, z});
    }
  }
  physics::PartDef box = cube(0.15);
  box.density = load / (8 * 0.15 * 0.15 * 0.15);
  add(scene, box, {0, 0.17, 0});
  check_rest(suite, text("legs: swing on %s with %g kg", rods ? "rods" : "ropes", load), scene,
             0.01, v);
}

// A shelf on a hinge rests on its limit, or hangs on a brake, and carries a box of some times its
// mass.
void check_shelf(Suite& suite, bool brake, double load, const Variation& v) {
  Scene scene = earthly();
  const std::uint32_t wall = add_anchor(scene, {});
  const std::uint32_t shelf = add(scene, box({0.25, 0.02, 0.2}), {0.26, 0, 0});
  JointDef& hinge = join(scene, JointKind::hinge, wall, shelf, {0.01, 0, 0}, {-0.25, 0, 0});
  if (brake) {
    hinge.motor_max = 1e5;
  } else {
    hinge.limited = true;
    hinge.upper = 1;
  }
  physics::PartDef weight = cube(0.1);
  weight.density *= load * 0.25 * 0.02 * 0.2 / (0.1 * 0.1 * 0.1);
  add(scene, weight, {0.3, 0.12, 0});
  check_rest(suite,
             text("legs: shelf on a %s with %g times its mass", brake ? "brake" : "limit", load),
             scene, 0.005, v);
}

}  // namespace

void check_legs(Suite& suite) {
  for (const Variation& v : sizes(suite, 1)) {
    check_table(suite, JointKind::weld, 0, v);
    check_car(suite, 0, v);
  }
  for (const Variation& v : rates(suite)) check_table(suite, JointKind::weld, 1, v);
  check_table(suite, JointKind::hinge, 1, {});
  for (const double load : {5.0, 20.0}) check_table(suite, JointKind::weld, load, {});
  for (const double load : {1000.0, 5000.0}) check_car(suite, load, {});
  for (const double load : {20.0, 60.0, 80.0, 200.0}) check_swing(suite, false, load, {});
  for (const double load : {5.0, 20.0, 40.0}) check_swing(suite, true, load, {});
  for (const double load : {1.0, 10.0, 30.0}) {
    check_shelf(suite, false, load, {});
    check_shelf(suite, true, load, {});
  }
}

}  // namespace orrery::field
