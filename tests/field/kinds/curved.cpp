// Checks bodies that roll or slide on curved ground: their energy must not grow. Prisms must rest.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "tests/field/suite.h"

namespace orrery::field {
namespace {

// Returns a turn of the axis of a capsule or cylinder, y, to z.
Quat along_z() { return turn({1, 0, 0}, kPi / 2); }

// A trough of radius r about z, of strips up to 80 degrees from its lowest line, which is at 0.
physics::PartDef trough(double r, int strips, double friction) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::mesh;
  for (int i = 0; i <= strips; ++i) {
    const double angle = 1.4 * (2.0 * i / strips - 1);
    for (const double z : {-r, r})
      part.points.push_back({r * std::sin(angle), r - r * std::cos(angle), z});
  }
  for (std::uint32_t i = 0; i < 2 * static_cast<std::uint32_t>(strips); i += 2) {
    part.triangles.push_back({i, i + 1, i + 2});
    part.triangles.push_back({i + 2, i + 1, i + 3});
  }
  return with(part, friction);
}

// A round bowl of the radius of curvature r at its lowest point, as a height field of 2 r.
physics::PartDef bowl(double r, int columns) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::height_field;
  part.columns = static_cast<std::uint32_t>(columns);
  part.spacing = 2 * r / (columns - 1);
  part.pose.position = {-r, 0, -r};
  for (int row = 0; row < columns; ++row) {
    for (int column = 0; column < columns; ++column) {
      const double x = column * part.spacing - r, z = row * part.spacing - r;
      part.heights.push_back((x * x + z * z) / (2 * r));
    }
  }
  return with(part, 1);
}

// Checks that the energy of a swing never exceeds the first value, and keeps a share. `rest` is the
// same scene with the bodies at their lowest places.
void check_swing(Suite& suite, const std::string& name, const Scene& scene, const Scene& rest,
                 double seconds, double share, const Variation& v) {
  const double lowest = Trial(rest, v).energy();
  Trial trial(scene, v);
  const double all = trial.energy() - lowest;
  double most = 0;
  constexpr int kLooks = 200;
  for (int i = 0; i < kLooks; ++i) {
    trial.run(seconds / kLooks);
    most = std::max(most, (trial.energy() - lowest) / all);
  }
  suite.at_most(named("curved: " + name + ": most energy", v), most, 1.01);
  suite.at_least(named("curved: " + name + ": energy that is left", v),
                 (trial.energy() - lowest) / all, share);
}

// A ball or a capsule along z in a trough of 30 times its radius, half a radian from the lowest
// line. Each inner edge of angle a takes the share sin(a)^2 of its kinetic energy: in this time,
// about 10 % of the swing. Without friction it slides.
void check_trough(Suite& suite, bool is_capsule, double friction, const Variation& v) {
  constexpr double kRadius = 3, kSmall = 0.1;
  const auto at = [&](double angle) {
    Scene scene = earthly();
    add_fixed(scene, trough(kRadius, 120, friction), {});
    const physics::PartDef part = is_capsule ? capsule(kSmall, 3 * kSmall) : ball(kSmall);
    const double r = kRadius - kSmall;
    const std::uint32_t body =
        add(scene, with(part, friction), {r * std::sin(angle), kRadius - r * std::cos(angle), 0});
    scene.bodies[body].orientation = along_z();
    return scene;
  };
  check_swing(
      suite,
      text("%s %s in a trough", is_capsule ? "capsule" : "ball", friction > 0 ? "rolls" : "slides"),
      at(0.5), at(0), 10, 0.8, v);
}

void check_bowl(Suite& suite, const Variation& v) {
  const auto at = [](double x) {
    Scene scene = earthly();
    add_fixed(scene, bowl(3, 121), {});
    add(scene, with(ball(0.1), 1), {x, x * x / 6 + 0.1 * std::sqrt(1 + x * x / 9), 0});
    return scene;
  };
  check_swing(suite, "ball in a bowl of a height field", at(1), at(0), 10, 0.8, v);
}

// A capsule of half the radius of its trough swings by 0.05 rad: far less than its own size.
void check_close(Suite& suite, const Variation& v) {
  const auto at = [](double angle) {
    Scene scene = earthly();
    constexpr int kStrips = 200;
    add_fixed(scene, trough(1, kStrips, 0), {});
    const double r = std::cos(1.4 / kStrips) - 0.5;  // strips are flat, so they are nearer
    const std::uint32_t body =
        add(scene, with(capsule(0.5, 0.4), 0), {r * std::sin(angle), 1 - r * std::cos(angle), 0});
    scene.bodies[body].orientation = along_z();
    return scene;
  };
  check_swing(suite, "capsule close to its trough", at(0.05), at(0), 30, 0.5, v);
}

// Two balls that a joint holds together slide in a bowl.
void check_linked(Suite& suite, physics::JointKind kind, const Variation& v) {
  const auto at = [kind](double x) {
    Scene scene = earthly();
    add_fixed(scene, with(bowl(3, 121), 0), {});
    const double square = x * x + 0.15 * 0.15;
    const double y = square / 6 + 0.1 * std::sqrt(1 + square / 9);
    const std::uint32_t a = add(scene, with(ball(0.1), 0), {x, y, -0.15});
    const std::uint32_t b = add(scene, with(ball(0.1), 0), {x, y, 0.15});
    JointDef& joint = join(scene, kind, a, b, {0, 0, 0.15}, {0, 0, -0.15});
    if (kind == physics::JointKind::distance) {
      joint.at_a = joint.at_b = {};
      joint.rest = 0.3;
    }
    return scene;
  };
  check_swing(suite,
              text("balls on a %s in a bowl", kind == physics::JointKind::weld ? "weld" : "rod"),
              at(1), at(0), 10, 0.5, v);
}

// A plank rocks on a log without slipping.
void check_plank(Suite& suite, const Variation& v) {
  const auto at = [](double a) {
    constexpr double kLog = 0.25, kHalf = 0.01;
    Scene scene = earthly();
    const std::uint32_t log = add_fixed(scene, with(capsule(kLog, kLog), 1), {});
    scene.bodies[log].orientation = along_z();
    const Vec3 up{-std::sin(a), std::cos(a), 0}, along{std::cos(a), std::sin(a), 0};
    const std::uint32_t plank =
        add(scene, with(box({0.5, kHalf, 0.1}), 1), (kLog + kHalf) * up + kLog * a * along);
    scene.bodies[plank].orientation = turn({0, 0, 1}, a);
    return scene;
  };
  check_swing(suite, "plank on a log", at(0.3), at(0), 10, 0.9, v);
}

// A ball with a heavy bottom rocks on the ground. Its largest tilt stays the same.
void check_roly_poly(Suite& suite, const Variation& v) {
  constexpr double kRadius = 0.5, kTilt = 0.5, kSeconds = 20;
  Scene scene = earthly();
  add_fixed(scene, with(plane(), 1), {});
  physics::PartDef hollow = with(ball(kRadius), 1), weight = ball(0.3 * kRadius);
  hollow.density = 100;
  weight.density = 5000;
  weight.pose.position = {0, -0.6 * kRadius, 0};
  const std::uint32_t body = add(scene, hollow, {0, kRadius, 0});
  scene.shapes[scene.bodies[body].shape].parts.push_back(weight);
  scene.bodies[body].orientation = turn({0, 0, 1}, kTilt);
  Trial trial(scene, v);
  trial.run(0.8 * kSeconds);
  double most = 0;
  constexpr int kLooks = 100;
  for (int i = 0; i < kLooks; ++i) {
    trial.run(0.2 * kSeconds / kLooks);
    const Vec3 up = rotate(trial.motion(body).pose.orientation, {0, 1, 0});
    most = std::max(most, std::acos(std::min(up.y, 1.0)));
  }
  suite.near(named("curved: roly-poly: largest tilt", v), most, kTilt, 0.01);
}

// A prism that was tilted by 2 degrees, or rolls, soon rests on one of its sides.
void check_prism(Suite& suite, int sides, double speed, const Variation& v) {
  constexpr double kRadius = 0.5;
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  const std::uint32_t prism = add(scene, cylinder(kRadius, kRadius, sides), {0, 1.02 * kRadius, 0});
  scene.bodies[prism].orientation = turn({0, 0, 1}, 0.04) * along_z();
  scene.bodies[prism].velocity = {speed, 0, 0};
  Trial trial(scene, v);
  trial.run(15);
  suite.at_most(named(text("curved: lying prism of %d sides at %g m/s: speed", sides, speed), v),
                length(trial.velocity(prism)), 1e-3);
}

}  // namespace

void check_curved(Suite& suite) {
  for (const bool is_capsule : {false, true}) {
    for (const double friction : {0.0, 1.0}) check_trough(suite, is_capsule, friction, {});
  }
  for (const Variation& v : sizes(suite, 0.1)) check_trough(suite, false, 1, v);
  for (const Variation& v : rates(suite)) {
    check_trough(suite, false, 1, v);
    check_plank(suite, v);
  }
  for (const Variation& v : sizes(suite, 0.1)) check_plank(suite, v);
  check_bowl(suite, {});
  check_close(suite, {});
  check_linked(suite, physics::JointKind::weld, {});
  check_linked(suite, physics::JointKind::distance, {});
  check_plank(suite, {});
  check_roly_poly(suite, {});
  for (const int sides : {24, 28}) {
    check_prism(suite, sides, 0, {});
    check_prism(suite, sides, 0.2, {});
  }
  for (const Variation& v : sizes(suite, 0.5)) check_prism(suite, 24, 0, v);
}

}  // namespace orrery::field
