// Checks brakes, servos, limits and driven loops against statics.
#include <algorithm>
#include <cmath>

#include "tests/field/suite.h"

namespace orrery::field {
namespace {

using physics::JointKind;

// Follows an angle about z over any number of turns.
class Angle {
 public:
  Angle(Trial& trial, std::size_t body) : trial_(trial), body_(body) {}
  double run(double seconds, double every = 1.0 / 120) {
    for (double t = 0; t < seconds - 1e-9; t += every) {
      trial_.run(every);
      const Quat q = trial_.motion(body_).pose.orientation;
      angle_ += std::remainder(2 * std::atan2(q.z, q.w) - angle_, 2 * kPi);
      largest_ = std::max(largest_, std::abs(angle_));
    }
    return angle_;
  }
  double largest() const { return largest_; }

 private:
  Trial& trial_;
  std::size_t body_;
  double angle_ = 0, largest_ = 0;
};

// An arm of 0.1 m and 1 kg on a hinge with a brake. A brake of 1e6 N m holds any load.
void check_brake(Suite& suite, double mass, double torque, const Variation& v) {
  Scene scene = earthly();
  add_anchor(scene, {});
  add_ghost(scene, mass, {0.05, 0.01, 0.01}, {0.05, 0, 0});
  join(scene, JointKind::hinge, 0, 1, {}, {-0.05, 0, 0}).motor_max = torque;
  Trial trial(scene, v);
  Angle angle(trial, 1);
  suite.near(named(text("motors: brake of %g N m under %g kg", torque, mass), v), angle.run(3), 0,
             1e-6);
}

// A brake that is just too weak lets the arm fall; one that is just strong enough holds.
void check_slip(Suite& suite, const Variation& v) {
  for (const double share : {0.97, 1.03}) {
    Scene scene = earthly();
    add_anchor(scene, {});
    add_ghost(scene, 1, {0.05, 0.01, 0.01}, {0.05, 0, 0});
    join(scene, JointKind::hinge, 0, 1, {}, {-0.05, 0, 0}).motor_max = share * kG * 0.05;
    Trial trial(scene, v);
    Angle angle(trial, 1);
    const double turned = angle.run(1);
    const std::string name = named(text("motors: brake of %g times the load", share), v);
    if (share > 1) {
      suite.near(name, turned, 0, 1e-6);
    } else {
      suite.at_most(name, turned, -0.1);
    }
  }
}

void check_lift(Suite& suite, double mass, double speed, const Variation& v) {
  Scene scene = earthly();
  add_anchor(scene, {});
  add_ghost(scene, mass, {0.5, 0.5, 0.5}, {});
  JointDef& joint = join(scene, JointKind::slider, 0, 1, {}, {}, {0, 1, 0});
  joint.motor_max = 1e4 * mass;
  joint.motor_speed = speed;
  scene.bodies[1].velocity = {0, speed, 0};
  Trial trial(scene, v);
  trial.run(10);
  suite.near(named(text("motors: lift of %g kg at %g m/s", mass, speed), v),
             trial.position(1).y - 10 * speed, 0, 1e-4);
}

// A step response overshoots by exp(-pi z / sqrt(1 - z^2)) = 0.527 at z = 0.2.
void check_servo(Suite& suite, double rest, const Variation& v) {
  Scene scene = weightless();
  add_anchor(scene, {});
  add_ghost(scene, 1, {0.3, 0.05, 0.2}, {});
  JointDef& joint = join(scene, JointKind::hinge, 0, 1, {}, {});
  joint.frequency = 1;
  joint.damping_ratio = 0.2;
  joint.rest = rest;
  Trial trial(scene, v);
  Angle angle(trial, 1);
  const double end = angle.run(10);
  const std::string name = named(text("motors: servo to %g", rest), v);
  suite.near(name, end, rest, 1e-4 * std::abs(rest) + 1e-6);
  suite.near(name + ": overshoot", angle.largest() / std::abs(rest), 1.527,
             v.rate < 60 ? 0.1 : 0.02);
}

void check_limit(Suite& suite, double limit, double spin, const Variation& v) {
  Scene scene = earthly();
  add_anchor(scene, {});
  add_ghost(scene, 1, {0.5, 0.05, 0.2}, {0.5, 0, 0});
  scene.bodies[1].velocity = {0, 0.5 * spin, 0};
  scene.bodies[1].angular_velocity = {0, 0, spin};
  JointDef& joint = join(scene, JointKind::hinge, 0, 1, {}, {-0.5, 0, 0});
  joint.limited = true;
  joint.lower = -limit;
  joint.upper = limit;
  Trial trial(scene, v);
  Angle angle(trial, 1);
  angle.run(3);
  suite.at_most(named(text("motors: limit of %g at %g rad/s", limit, spin), v), angle.largest(),
                limit + 0.005);
}

// A square of four bars, of which one is fixed: a parallelogram that a motor turns.
Scene parallelogram(double size, double torque, double speed) {
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
  return scene;
}

void check_loop(Suite& suite, double size, double torque, double speed, const Variation& v) {
  const double half = size / 2;
  Trial trial(parallelogram(size, torque, speed), v);
  Angle angle(trial, 1);
  suite.near(named(text("motors: four bars of %g m at %g rad/s", size, speed), v),
             angle.run(10, 1.0 / 60) / (10 * speed), 1, 0.005);
  const auto end = [&](std::size_t body, const Vec3& at) {
    const Pose pose = trial.motion(body).pose;
    return pose.position + rotate(pose.orientation, at);
  };
  const double gap = length(end(2, {half, 0, 0}) - end(3, {0, half, 0}));
  suite.at_most(named(text("motors: four bars of %g m at %g rad/s: gap", size, speed), v),
                gap / size, 0.01);
}

// Runs a scene in which a motor presses body 1 against a limit at `limit`, and returns by how much
// its angle misses this limit in the last two seconds.
double miss(const Scene& scene, double limit, const Variation& v) {
  Trial trial(scene, v);
  Angle angle(trial, 1);
  angle.run(4);
  double most = 0;
  for (int i = 0; i < 120; ++i) {
    most = std::max(most, std::abs(angle.run(1.0 / 60) - limit));
  }
  return most;
}

// A motor lifts a platform with a box on it to its limit. Both then stay at rest.
void check_pressed_lift(Suite& suite, double force, const Variation& v) {
  Scene scene = earthly();
  add_anchor(scene, {});
  add(scene, box({1, 0.5, 1}), {});
  add(scene, cube(0.5), {0.3, 1, 0});
  JointDef& joint = join(scene, JointKind::slider, 0, 1, {}, {}, {0, 1, 0});
  joint.limited = true;
  joint.upper = 0.3;
  joint.motor_max = force;
  joint.motor_speed = 0.5;
  Trial trial(scene, v);
  trial.run(4);
  const double start = trial.position(2).y;
  double error = 0, creep = 0;
  for (int i = 0; i < 120; ++i) {
    trial.run(1.0 / 60);
    error = std::max(error, std::abs(trial.position(1).y - 0.3));
    creep = std::max(creep, std::abs(trial.position(2).y - start));
  }
  const std::string name = named(text("motors: lift pressed by %g N", force), v);
  suite.at_most(name, error, 1e-6);
  suite.at_most(name + ": box on it", creep, 1e-4);
}

// A chain of arms. The motor of each presses it against its limit.
void check_pressed_arms(Suite& suite, std::uint32_t arms, double torque, double speed,
                        const Variation& v) {
  Scene scene = earthly();
  add_anchor(scene, {});
  for (std::uint32_t i = 0; i < arms; ++i) {
    add_ghost(scene, 1, {0.5, 0.05, 0.2}, {0.5 + i, 0, 0});
    JointDef& joint =
        join(scene, JointKind::hinge, i, i + 1, {i > 0 ? 0.5 : 0.0, 0, 0}, {-0.5, 0, 0});
    joint.limited = true;
    joint.lower = -0.7;
    joint.upper = 0.5;
    joint.motor_max = torque;
    joint.motor_speed = i % 2 == 0 ? speed : -speed;
  }
  suite.at_most(
      named(text("motors: %u arms pressed by %g N m at %g rad/s", arms, torque, speed), v),
      miss(scene, speed > 0 ? 0.5 : -0.7, v), 1e-6);
}

// A motor turns a parallelogram until the limit of another hinge stops it.
void check_pressed_loop(Suite& suite, std::size_t stop, double torque, const Variation& v) {
  Scene scene = parallelogram(1, torque, 2);
  scene.joints[stop].limited = true;
  scene.joints[stop].lower = -0.4;
  scene.joints[stop].upper = 0.4;
  suite.at_most(
      named(text("motors: four bars pressed by %g N m against hinge %zu", torque, stop), v),
      miss(scene, 0.4, v), 1e-6);
}

}  // namespace

void check_motors(Suite& suite) {
  for (const Variation& v : variations(suite, 0.1)) {
    check_brake(suite, 1, 1e6, v);
    check_servo(suite, 2.356, v);
    check_slip(suite, v);
  }
  for (const Variation& v : variations(suite, 1)) {
    check_lift(suite, 1000, 0, v);
    check_limit(suite, 3.1, 10, v);
    check_loop(suite, 1, 1e5, 2, v);
    check_pressed_lift(suite, 2e5, v);
    check_pressed_arms(suite, 1, 500, 4, v);
    check_pressed_arms(suite, 3, 1e4, 4, v);
    check_pressed_loop(suite, 3, 2e4, v);
  }
  for (const double mass : {1e-3, 1e3}) check_brake(suite, mass, 1e6, {});
  for (const double speed : {-0.5, 0.1}) check_lift(suite, 1, speed, {});
  for (const double rest : {0.1, -2.356, 3.14159, 7.0}) check_servo(suite, rest, {});
  for (const double limit : {0.5, 3.14, 7.0}) {
    for (const double spin : {-10.0, 3.0, 50.0}) check_limit(suite, limit, spin, {});
  }
  for (const double most : {5e3, 1e6}) {
    for (const double speed : {-100.0, 8.0}) check_pressed_arms(suite, 1, most, speed, {});
    for (const std::size_t stop : {0, 1, 2, 3}) check_pressed_loop(suite, stop, most, {});
  }
  check_loop(suite, 0.1, 1e3, 6, {});
  check_loop(suite, 0.01, 1e3, 2, {});
  for (const Variation& v : drifts(suite)) check_brake(suite, 1, 1e6, v);
}

}  // namespace orrery::field
