// Lists the cases of `bench field` about joints, springs and free spin.
#include <algorithm>
#include <cmath>

#include "tests/bench/field/field.h"
#include "tests/bench/table.h"
#include "tests/field/scenes.h"

namespace orrery::bench {
namespace {

using namespace field;
using physics::JointKind;

// Follows the angle of a body about z over any number of turns.
struct Angle {
  double now = 0, largest = 0;
  void run(Engine& engine, std::size_t body, double seconds) {
    for (int i = 0; i < std::lround(60 * seconds); ++i) {
      engine.run(1.0 / 60);
      const Quat q = engine.motion(body).pose.orientation;
      now += std::remainder(2 * std::atan2(q.z, q.w) - now, 2 * kPi);
      largest = std::max(largest, std::abs(now));
    }
  }
};

Outcome number(double value, double right, const char* form = "%.4g") {
  return {format(form, value), std::abs(value - right)};
}

Outcome pendulum(FieldMake make) {
  Scene scene = earthly();
  add_anchor(scene, {0, 2, 0});
  add(scene, with(ball(0.1), 0), {std::sin(0.5), 2 - std::cos(0.5), 0});
  add_fixed(scene, with(plane(), 0), {0, 0.895, 0});
  join(scene, JointKind::distance, 0, 1, {}, {}).rest = 1;
  const auto engine = make(scene);
  engine->run(57);
  double most = 0;
  for (int i = 0; i < 180; ++i) {
    engine->run(1.0 / 60);
    const Vec3 p = engine->motion(1).pose.position - Vec3{0, 2, 0};
    most = std::max(most, std::abs(std::atan2(p.x, -p.y)));
  }
  return number(most, 0.5);
}

Outcome brake(FieldMake make) {
  Scene scene = earthly();
  add_anchor(scene, {});
  add_ghost(scene, 1, {0.05, 0.01, 0.01}, {0.05, 0, 0});
  join(scene, JointKind::hinge, 0, 1, {}, {-0.05, 0, 0}).motor_max = 1e6;
  const auto engine = make(scene);
  Angle angle;
  angle.run(*engine, 1, 3);
  return number(angle.now, 0, "%.1e");
}

Outcome lift(FieldMake make) {
  Scene scene = earthly();
  add_anchor(scene, {});
  add_ghost(scene, 1000, {0.5, 0.5, 0.5}, {});
  join(scene, JointKind::slider, 0, 1, {}, {}, {0, 1, 0}).motor_max = 1e7;
  const auto engine = make(scene);
  engine->run(10);
  return number(engine->motion(1).pose.position.y, 0, "%.1e");
}

Outcome servo(FieldMake make) {
  Scene scene = weightless();
  add_anchor(scene, {});
  add_ghost(scene, 1, {0.3, 0.05, 0.2}, {});
  JointDef& joint = join(scene, JointKind::hinge, 0, 1, {}, {});
  joint.frequency = 1;
  joint.damping_ratio = 0.2;
  joint.rest = 2.356;
  const auto engine = make(scene);
  Angle angle;
  angle.run(*engine, 1, 10);
  return number(angle.now, 2.356, "%.5f");
}

Outcome limit(FieldMake make) {
  Scene scene = earthly();
  add_anchor(scene, {});
  add_ghost(scene, 1, {0.5, 0.05, 0.2}, {0.5, 0, 0});
  scene.bodies[1].velocity = {0, 5, 0};
  scene.bodies[1].angular_velocity = {0, 0, 10};
  JointDef& joint = join(scene, JointKind::hinge, 0, 1, {}, {-0.5, 0, 0});
  joint.limited = true;
  joint.lower = -3.1;
  joint.upper = 3.1;
  const auto engine = make(scene);
  Angle angle;
  angle.run(*engine, 1, 3);
  return {format("%.4f", angle.largest), std::max(0.0, angle.largest - 3.1)};
}

// A square of four bars, of which one is fixed.
Outcome four_bar(FieldMake make, double size, double torque, double speed) {
  Scene scene = earthly();
  const double half = size / 2, thin = 0.05 * size;
  add_anchor(scene, {});
  add_ghost(scene, 1, {thin, half, thin}, {-half, half, 0});
  add_ghost(scene, 1, {half, thin, thin}, {0, size, 0});
  add_ghost(scene, 1, {thin, half, thin}, {half, half, 0});
  JointDef& motor = join(scene, JointKind::hinge, 0, 1, {-half, 0, 0}, {0, -half, 0});
  motor.motor_max = torque;
  motor.motor_speed = speed;
  join(scene, JointKind::hinge, 1, 2, {0, half, 0}, {-half, 0, 0});
  join(scene, JointKind::hinge, 2, 3, {half, 0, 0}, {0, half, 0});
  join(scene, JointKind::hinge, 0, 3, {half, 0, 0}, {0, -half, 0});
  const auto engine = make(scene);
  Angle angle;
  angle.run(*engine, 1, 10);
  const auto end = [&](std::size_t body, const Vec3& at) {
    const Pose pose = engine->motion(body).pose;
    return pose.position + rotate(pose.orientation, at);
  };
  const double gap = 1000 * length(end(2, {half, 0, 0}) - end(3, {0, half, 0}));
  return {format("%.2f, %.2f", angle.now, gap), std::abs(angle.now - 10 * speed)};
}

Outcome spring(FieldMake make) {
  Scene scene = weightless();
  add_anchor(scene, {});
  add_ghost(scene, 1, {0.5, 0.5, 0.5}, {2, 0, 0});
  scene.bodies[1].velocity = {0.1, 0, 0};
  scene.springs.push_back({0, 1, {}, {}, 250000, 0, 2});
  const auto engine = make(scene);
  double most = 0;
  for (int i = 0; i < 600; ++i) {
    engine->run(1.0 / 60);
    most = std::max(most, 1000 * std::abs(engine->motion(1).pose.position.x - 2));
  }
  return {format("%.4f", most), std::max(0.0, most - 0.2)};
}

Outcome damper(FieldMake make) {
  Scene scene = weightless();
  add_anchor(scene, {});
  add_ghost(scene, 1, {0.5, 0.5, 0.5}, {2, 0, 0});
  scene.bodies[1].velocity = {1, 0, 0};
  scene.springs.push_back({0, 1, {}, {}, 0, 1e6, 2});
  const auto engine = make(scene);
  engine->run(10);
  return number(engine->motion(1).pose.position.x, 2, "%.6f");
}

Outcome arrow(FieldMake make) {
  Scene scene = weightless();
  add(scene, box({0.09, 0.004, 0.004}), {});
  scene.bodies[0].angular_velocity = {20, 100, 0};
  const auto engine = make(scene);
  double least = 1e300, most = -1e300, across = 0;
  for (int i = 0; i < 600; ++i) {
    engine->run(1.0 / 60);
    const BodyMotion m = engine->motion(0);
    const double axial = dot(m.angular_velocity, rotate(m.pose.orientation, {1, 0, 0}));
    least = std::min(least, axial);
    most = std::max(most, axial);
    across = std::sqrt(std::max(0.0, dot(m.angular_velocity, m.angular_velocity) - axial * axial));
  }
  return {format("%.3g to %.3g; %.3g", least, most, across),
          std::max({std::abs(least - 20), std::abs(most - 20), std::abs(across - 100)})};
}

}  // namespace

std::vector<FieldCase> joint_cases() {
  return {
      {"pendulum 5 mm over a floor, 60 s: amplitude", "0.5", 2e-3, {"0.4997", 3e-4}, pendulum},
      {"hinge brake of 1e6 N m, 3 s: angle", "0", 1e-6, {"-0.0034", 3.4e-3}, brake},
      {"slider brake under 1 t, 10 s: m", "0", 1e-6, {"0", 0}, lift},
      {"hinge spring to 2.356, damping ratio 0.2, 10 s: turned",
       "2.356",
       1e-4,
       {"326", 324},
       servo,
       {"350", 348},
       {"326", 324},
       false},
      {"hinge limit 3.1 hit at 10 rad/s: angle", "at most 3.1", 1e-3, {"3.103", 3e-3}, limit},
      {"four bars of 1 m, 1e5 N m at 2 rad/s, 10 s: turned, gap in mm",
       "20, 0",
       0.01,
       {"20.0, 10", 0.05},
       [](FieldMake make) { return four_bar(make, 1, 1e5, 2); }},
      {"four bars of 0.1 m, 1e3 N m at 6 rad/s",
       "60, 0",
       0.03,
       {"60.6", 0.6},
       [](FieldMake make) { return four_bar(make, 0.1, 1e3, 6); }},
      {"spring of 250 kN/m on 1 kg at 0.1 m/s: largest, mm",
       "at most 0.2",
       0,
       {"0.0005", 0},
       spring,
       {"1.68", 1.48},
       {"0.007", 0},
       false},
      {"damper of 1e6 N s/m on 1 kg at 1 m/s: m after 10 s",
       "2",
       1e-4,
       {"2", 0},
       damper,
       {"2", 0},
       {"2", 0},
       false},
      {"slim rod that spins freely, 10 s: axial; across",
       "20; 100",
       1e-6,
       {"20; 0.03", 99.97},
       arrow},
  };
}

}  // namespace orrery::bench
