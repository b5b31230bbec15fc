// Lists the cases of `bench field` about rest: dice, stacks, towers, mass ratios and sleep.
#include <algorithm>
#include <cmath>

#include "common/core/rng.h"
#include "tests/bench/field/field.h"
#include "tests/bench/table.h"
#include "tests/field/scenes.h"

namespace orrery::bench {
namespace {

using namespace field;

Scene ground() {
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  return scene;
}

// Drops dice of 16 mm. Measures the tilt from lying on a face, and the depth in the ground.
Outcome throw_dice(FieldMake make, int count) {
  constexpr double kHalf = 0.008;
  Scene scene = ground();
  SplitMix64 random(1);
  for (int i = 0; i < count; ++i) {
    add(scene, cube(kHalf), {0.06 * (i % 4), 0.1 + 0.01 * i, 0.06 * (i / 4)});
    BodyDef& die = scene.bodies.back();
    double draws[4];
    for (double& draw : draws) draw = random.symmetric();
    die.velocity = {0.1, 0, 0.05};
    die.angular_velocity = {8, 3, -5};
    die.orientation = count == 1 ? Quat{0.36, 0.48, 0, 0.8}
                                 : normalized({draws[0], draws[1], draws[2], draws[3]});
  }
  const auto engine = make(scene);
  engine->run(4);
  double tilt = 0, deep = 0;
  for (int i = 1; i <= count; ++i) {
    const Pose pose = engine->motion(static_cast<std::size_t>(i)).pose;
    const Vec3 up = rotate_back(pose.orientation, {0, 1, 0});
    const double most = std::max({std::abs(up.x), std::abs(up.y), std::abs(up.z)});
    tilt = std::max(tilt, 180 / kPi * std::acos(std::min(1.0, most)));
    const double reach = kHalf * (std::abs(up.x) + std::abs(up.y) + std::abs(up.z));
    deep = std::max(deep, 1000 * (reach - pose.position.y));
  }
  return {format("%.2f, %.2f", tilt, deep), std::max(tilt, deep)};
}

// Eight boxes of 1 m, dropped by 0.1 m each, in a scene with the unit 1 cm.
Outcome centimetres(FieldMake make) {
  Scene scene = ground();
  scene.gravity = {0, -981, 0};
  physics::PartDef part = cube(50);
  part.density = 0.001;
  for (int i = 0; i < 8; ++i) add(scene, part, {0, 50.0 + 110 * i, 0});
  const auto engine = make(scene);
  engine->run(10);
  double overlap = 0;
  for (int i = 0; i < 8; ++i) {
    const double y = engine->motion(static_cast<std::size_t>(i) + 1).pose.position.y;
    const double below = i == 0 ? -50 : engine->motion(static_cast<std::size_t>(i)).pose.position.y;
    overlap = std::max(overlap, std::abs(y - below - 100));
  }
  return {format(overlap < 20 ? "%.3g" : "fell, %.3g", overlap), overlap};
}

Outcome throw_up(FieldMake make) {
  Scene scene = ground();
  scene.gravity = {0, -0.0057, 0};
  scene.sleeping = true;
  add(scene, ball(0.02), {0, 0.5, 0});
  scene.bodies[1].velocity = {0, 0.3, 0};
  const auto engine = make(scene);
  engine->run(100);
  const double y = engine->motion(1).pose.position.y, right = 0.5 + 30 - 0.0057 * 5000;
  return {format("%.2f", y), std::abs(y - right)};
}

Outcome heavy_on_light(FieldMake make, double ratio) {
  Scene scene = ground();
  add(scene, cube(0.5), {0, 0.5, 0});
  physics::PartDef heavy = cube(0.5);
  heavy.density *= ratio;
  add(scene, heavy, {0, 1.5, 0});
  const auto engine = make(scene);
  engine->run(20);
  const double sunk = 100 * (1.5 - engine->motion(2).pose.position.y);
  return {format("%.2f (%.2g m/s)", sunk, length(engine->motion(2).velocity)), std::abs(sunk)};
}

// The error is 0 for an upright tower, and 1 for a fallen one. Chaotic, and a single run.
Outcome tower(FieldMake make, int count) {
  Scene scene = ground();
  for (int i = 0; i < count; ++i) add(scene, cube(0.5), {0, 0.5 + i, 0});
  const auto engine = make(scene);
  const auto top = static_cast<std::size_t>(count);
  for (int second = 1; second <= 60; ++second) {
    engine->run(1);
    const double sunk = count - 0.5 - engine->motion(top).pose.position.y;
    if (sunk > 1) return {format("fell at %d s", second), 1};
  }
  const Vec3 p = engine->motion(top).pose.position;
  return {format("stands, sinks %.0f mm, leans %.0f mm", 1000 * (count - 0.5 - p.y),
                 1000 * length({p.x, 0, p.z})),
          0};
}

Outcome creep(FieldMake make) {
  constexpr double kTilt = 20 * kPi / 180;
  Scene scene = ground();
  scene.gravity = kG * Vec3{std::sin(kTilt), -std::cos(kTilt), 0};
  add(scene, cube(0.5), {0, 0.5, 0});
  const auto engine = make(scene);
  engine->run(10);
  const double x = 1000 * engine->motion(1).pose.position.x;
  return {format("%.3f", x), std::abs(x)};
}

}  // namespace

std::vector<FieldCase> pile_cases() {
  const auto dice = [](int count) {
    return [=](FieldMake make) { return throw_dice(make, count); };
  };
  const auto heavy = [](double ratio) {
    return [=](FieldMake make) { return heavy_on_light(make, ratio); };
  };
  const auto boxes = [](int count) { return [=](FieldMake make) { return tower(make, count); }; };
  return {
      {"die of 16 mm, dropped, 4 s: tilt in degrees, mm deep",
       "0, 0",
       0.05,
       {"0, 0.07", 0.07},
       dice(1)},
      {"12 dice on a plane: tilt, mm deep at rest", "0, 0", 0.05, {"0.03, 0.08", 0.08}, dice(12)},
      {"stack of 8 in centimetres: overlap, cm", "0", 0.05, {"0.39", 0.39}, centimetres},
      {"thrown up at 0.0057 m/s2, with sleep: m at 100 s", "2.0", 0.02, {"8.2", 6.2}, throw_up},
      {"100 times the mass on top, 20 s: sunk, cm", "0", 0.05, {"3.5", 3.5}, heavy(100)},
      {"1000 times the mass on top", "0", 0.05, {"34", 34}, heavy(1000)},
      {"tower of 20 boxes of 1 m, exact start, 60 s", "stands", 0, {"stands", 0}, boxes(20)},
      {"tower of 22", "stands", 0, {"stands", 0}, boxes(22)},
      {"tower of 30", "stands", 0, {"stands, sinks 242 mm", 0}, boxes(30)},
      {"block of 1 m on 20 degrees, friction 0.5, 10 s: creep, mm",
       "0",
       0.01,
       {"0.14", 0.14},
       creep},
  };
}

}  // namespace orrery::bench
