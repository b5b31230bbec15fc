// Checks that dice and crates end flat on the ground, at every size.
#include <algorithm>
#include <cmath>
#include <span>

#include "common/core/rng.h"
#include "tests/field/bodies.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

// Returns how far a cube is from lying on a face, in degrees.
double tilt(const Quat& q) {
  const Vec3 up = rotate_back(q, {0, 1, 0});
  const double most = std::max({std::abs(up.x), std::abs(up.y), std::abs(up.z)});
  return 180 / kPi * std::acos(std::min(1.0, most));
}

// Returns how deep the lowest corner of a cube is below y = 0.
double depth(const Pose& pose, double half) {
  const Vec3 up = rotate_back(pose.orientation, {0, 1, 0});
  return half * (std::abs(up.x) + std::abs(up.y) + std::abs(up.z)) - pose.position.y;
}

// Returns a cube with bevelled edges and corners.
physics::PartDef bevelled(double half) {
  std::vector<Vec3> points;
  const double in = 0.8 * half;
  for (int i = 0; i < 8; ++i) {
    const Vec3 sign{i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0};
    points.push_back(scaled(sign, {half, in, in}));
    points.push_back(scaled(sign, {in, half, in}));
    points.push_back(scaled(sign, {in, in, half}));
  }
  return hull(points);
}

enum class Die { box, hull, bevelled };
constexpr const char* kDice[] = {"box", "hull", "bevelled cube"};

void add_dice(Scene& scene, Die kind, int count, std::uint64_t seed) {
  constexpr double kHalf = 0.008;
  SplitMix64 random(seed);
  const auto any = [&](double size) {
    Vec3 v;
    v.x = size * random.symmetric();
    v.y = size * random.symmetric();
    v.z = size * random.symmetric();
    return v;
  };
  for (int i = 0; i < count; ++i) {
    const physics::PartDef part = kind == Die::box    ? cube(kHalf)
                                  : kind == Die::hull ? box_hull({kHalf, kHalf, kHalf})
                                                      : bevelled(kHalf);
    const std::uint32_t die =
        add(scene, part, {0.06 * (i % 4 - 1.5), 0.1 + 0.01 * i, 0.06 * (i / 4 - 1.0)});
    BodyDef& body = scene.bodies[die];
    body.velocity = any(0.1);
    body.angular_velocity = any(8);
    const Vec3 axis = any(1);
    body.orientation = normalized({axis.x, axis.y, axis.z, random.symmetric()});
  }
}

void check_throw(Suite& suite, Die kind, bool on_box, int count, std::uint64_t seed,
                 const Variation& v) {
  Scene scene = earthly();
  if (on_box) {
    add_floor(scene);
  } else {
    add_fixed(scene, plane(), {});
  }
  add_dice(scene, kind, count, seed);
  Trial trial(scene, v);
  trial.run(4);
  double tilted = 0, deep = 0, fast = 0;
  for (int i = 1; i <= count; ++i) {
    const BodyMotion m = trial.motion(static_cast<std::size_t>(i));
    tilted = std::max(tilted, tilt(m.pose.orientation));
    if (kind != Die::bevelled) deep = std::max(deep, depth(m.pose, 0.008));
    fast = std::max(fast, length(m.velocity));
  }
  const std::string name =
      named(text("dice: %d of a %s on a %s, seed %llu", count, kDice[static_cast<int>(kind)],
                 on_box ? "box" : "plane", static_cast<unsigned long long>(seed)),
            v);
  // A bevelled cube may also rest on a bevel, so only its rest counts.
  if (kind != Die::bevelled) {
    suite.at_most(name + ": tilt in degrees", tilted, 0.3);
    suite.at_most(name + ": depth in mm", 1000 * deep, 0.1);
  }
  suite.at_most(name + ": speed at rest", fast, 1e-3);
}

// A plate of 10 x 1.5 x 5 cm that falls with a tilt ends flat: all its corners are then within the
// margin of contacts.
void check_plate(Suite& suite, bool is_hull, const Variation& v) {
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  const Vec3 half{0.05, 0.0075, 0.025};
  const std::uint32_t plate = add(scene, is_hull ? box_hull(half) : box(half), {0, 0.1, 0});
  scene.bodies[plate].orientation = normalized({0.2, 0.1, 0.15, 1});
  Trial trial(scene, v);
  trial.run(4);
  const BodyMotion m = trial.motion(plate);
  const std::string name = named(text("dice: plate, %s", is_hull ? "hull" : "box"), v);
  suite.at_most(name + ": tilt in degrees", tilt(m.pose.orientation), 0.3);
  suite.near(name + ": depth in mm", 1000 * (half.y - m.pose.position.y), 0, 0.1);
  suite.at_most(name + ": speed at rest", length(m.velocity), 1e-3);
}

// A box of 1 m, or a body of this size on feet, falls flat. By symmetry it goes straight down, and
// does not turn.
void check_flat_fall(Suite& suite, const std::string& what, std::span<const physics::PartDef> feet,
                     double height, double restitution) {
  Scene scene = earthly();
  add_fixed(scene, with(plane(), 0.5, restitution), {});
  const std::uint32_t shape = add_shape(scene, with(feet[0], 0.5, restitution));
  for (const physics::PartDef& foot : feet.subspan(1)) {
    scene.shapes[shape].parts.push_back(with(foot, 0.5, restitution));
  }
  const std::size_t body = scene.bodies.size();
  scene.bodies.push_back(shaped_body(scene, shape, {0, height, 0}));
  Trial trial(scene);
  double aside = 0, spin = 0;
  for (int i = 0; i < 300; ++i) {
    trial.run(trial.tick());
    const BodyMotion m = trial.motion(body);
    aside = std::max(aside, length({m.velocity.x, 0, m.velocity.z}));
    spin = std::max(spin, length(m.angular_velocity));
  }
  const Vec3 end = trial.position(body);
  const std::string name = text("dice: %s falls flat, restitution %g", what.c_str(), restitution);
  suite.at_most(name + ": speed aside", aside, 0.04);
  suite.at_most(name + ": spin", spin, 0.2);
  suite.at_most(name + ": aside", length({end.x, 0, end.z}), 0.02);
}

// A body on four balls falls flat at 4.12 m/s, and slides on. Friction takes 0.1 of the impulse of
// the floor.
void check_sliding_fall(Suite& suite) {
  Scene scene = earthly();
  add_fixed(scene, with(plane(), 0.1, 0.5), {});
  ShapeDef shape;
  for (int i = 0; i < 4; ++i) {
    shape.parts.push_back(with(ball(0.1), 0.1, 0.5));
    shape.parts.back().pose.position = {i % 2 == 0 ? -0.5 : 0.5, 0, i < 2 ? -0.5 : 0.5};
  }
  scene.shapes.push_back(shape);
  const std::size_t body = scene.bodies.size();
  const auto index = static_cast<std::uint32_t>(scene.shapes.size() - 1);
  scene.bodies.push_back(shaped_body(scene, index, {0, 0.15, 0}));
  scene.bodies[body].velocity = {5, -4, 0};
  Trial trial(scene);
  trial.run(3 * trial.tick());
  suite.near("dice: body on four balls falls flat and slides", trial.velocity(body).x, 4.38, 0.02);
}

void check_flat_falls(Suite& suite) {
  check_sliding_fall(suite);
  for (const double restitution : {0.0, 0.5}) {
    for (const Convex kind : {Convex::box, Convex::hull, Convex::cylinder}) {
      const physics::PartDef part = convex(kind, 0.5);
      check_flat_fall(suite, name_of(kind), {&part, 1}, 3, restitution);
    }
    for (const Convex kind : {Convex::ball, Convex::capsule, Convex::box}) {
      std::vector<physics::PartDef> feet(4, convex(kind, 0.15));
      for (int i = 0; i < 4; ++i) {
        feet[i].pose.position = {i < 2 ? 0.5 - i : 0.0, 0, i < 2 ? 0.0 : 2.5 - i};
      }
      check_flat_fall(suite, text("body on feet, each a %s,", name_of(kind)), feet, 1.15,
                      restitution);
    }
  }
}

}  // namespace

void check_dice(Suite& suite) {
  for (const Die kind : {Die::box, Die::hull, Die::bevelled}) {
    for (const bool on_box : {false, true}) {
      const std::uint64_t seeds = suite.all() ? 20 : 3;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        check_throw(suite, kind, on_box, 1, seed, {});
      }
      check_throw(suite, kind, on_box, 12, 1, {});
    }
    for (const Variation& v : variations(suite, 0.016)) {
      check_throw(suite, kind, false, 1, 1, v);
      if (suite.all()) check_throw(suite, kind, true, 12, 2, v);
    }
    for (const Variation& v : drifts(suite)) check_throw(suite, kind, true, 1, 1, v);
  }
  for (const Variation& v : variations(suite, 0.015)) {
    for (const bool is_hull : {false, true}) check_plate(suite, is_hull, v);
  }
  check_flat_falls(suite);
}

}  // namespace orrery::field
