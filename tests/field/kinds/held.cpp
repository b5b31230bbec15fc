// Checks impacts with bodies on joints against the laws of rigid bodies: the other bodies of the
// joints take part in the impact.
#include <algorithm>
#include <cmath>

#include "tests/field/suite.h"

namespace orrery::field {
namespace {

using physics::JointKind;

// A box of 10 x 100 x 40 cm that hangs on a hinge at its top, and a ball of 10 cm that flies at it,
// `depth` below the hinge.
struct Door {
  double mass;   // over that of the ball
  double depth;  // m
  double restitution;
  bool stopped = false;  // the hinge is at its limit, and the ball pushes against it
};

constexpr double kSpeed = 5;  // of the ball, m/s

// The ball reaches its speed after the impact, and the door its spin: J = (1 + e) u / (1/m + d^2/I)
// with the inertia I of the door about its hinge.
void check_door(Suite& suite, const Door& door, const Variation& v) {
  Scene scene = weightless();
  const std::uint32_t wall = add_anchor(scene, {0, 0, 0});
  const Vec3 half{0.05, 0.5, 0.2};
  const std::uint32_t ball_id =
      add(scene, with(ball(0.1), 0, door.restitution), {-0.5, -door.depth, 0});
  const double m = scene.bodies[ball_id].mass;
  physics::PartDef plank = with(box(half), 0, door.restitution);
  plank.density = door.mass * m / (8 * half.x * half.y * half.z);
  const std::uint32_t plank_id = add(scene, plank, {0, -half.y, 0});
  scene.bodies[ball_id].velocity = {kSpeed, 0, 0};
  JointDef& hinge = join(scene, JointKind::hinge, wall, plank_id, {}, {0, half.y, 0});
  hinge.limited = door.stopped;
  hinge.lower = -1;
  const double mass = door.mass * m;
  const double inertia = mass * ((half.x * half.x + half.y * half.y) / 3 + half.y * half.y);
  const double moved = door.stopped ? 0 : door.depth * door.depth / inertia;
  const double impulse = (1 + door.restitution) * kSpeed / (1 / m + moved);
  Trial trial(scene, v);
  trial.run(std::max(0.12, 3 * trial.tick()));
  const std::string name =
      named(text("held: %sdoor of %g times the mass, hit %g m below its hinge, restitution %g",
                 door.stopped ? "stopped " : "", door.mass, door.depth, door.restitution),
            v);
  suite.near(name + ": ball", trial.velocity(ball_id).x / kSpeed, 1 - impulse / m / kSpeed, 1e-3);
  if (!door.stopped)
    suite.near(name + ": spin", trial.motion(plank_id).angular_velocity.z * inertia,
               impulse * door.depth, 0.01 * impulse * door.depth);
}

// Five boxes, welded in a row, are hit at an end: they move as one rod.
void check_welded(Suite& suite, double restitution, const Variation& v) {
  constexpr int kCount = 5;
  Scene scene = weightless();
  const double half = 0.1;
  for (int i = 0; i < kCount; ++i) {
    add(scene, with(cube(half), 0, restitution), {0, 2 * half * (i - 2), 0});
    if (i > 0)
      join(scene, JointKind::weld, static_cast<std::uint32_t>(i - 1), static_cast<std::uint32_t>(i),
           {0, half, 0}, {0, -half, 0});
  }
  const std::uint32_t ball_id = add(scene, with(ball(0.1), 0, restitution), {-0.5, 4 * half, 0});
  scene.bodies[ball_id].velocity = {kSpeed, 0, 0};
  const double m = scene.bodies[ball_id].mass, mass = scene.bodies[0].mass * kCount;
  const double inertia = mass * (4 * half * half / 6 + 8 * half * half);
  const double arm = 4 * half;
  const double impulse = (1 + restitution) * kSpeed / (1 / m + 1 / mass + arm * arm / inertia);
  Trial trial(scene, v);
  trial.run(std::max(0.12, 3 * trial.tick()));
  const std::string name = named(text("held: welded rod, restitution %g", restitution), v);
  suite.near(name + ": ball", trial.velocity(ball_id).x / kSpeed, 1 - impulse / m / kSpeed, 1e-3);
  suite.near(name + ": spin", trial.motion(2).angular_velocity.z * inertia, -impulse * arm,
             0.01 * impulse * arm);
}

// A box of two welded halves falls flat on a floor and turns about the normal. Friction
// takes as much of its spin as from one box.
void check_twist(Suite& suite, double friction, double restitution, const Variation& v) {
  double spin[2];
  for (const bool welded : {false, true}) {
    Scene scene = weightless();
    add_fixed(scene, with(box({2, 0.1, 2}), friction, restitution), {0, -0.1, 0});
    const Vec3 half{0.2, welded ? 0.1 : 0.2, 0.2};
    for (int i = 0; i < 1 + welded; ++i) {
      const std::uint32_t id =
          add(scene, with(box(half), friction, restitution), {0, (1 + 2 * i) * half.y + 0.02, 0});
      scene.bodies[id].velocity = {0, -3, 0};
      scene.bodies[id].angular_velocity = {0, 5, 0};
    }
    if (welded) join(scene, JointKind::weld, 1, 2, {0, half.y, 0}, {0, -half.y, 0});
    Trial trial(scene, v);
    trial.run(std::max(0.1, 3 * trial.tick()));
    spin[welded] = trial.motion(1).angular_velocity.y;
  }
  suite.near(named(text("held: welded box twists with friction %g, restitution %g: spin", friction,
                        restitution),
                   v),
             spin[1], spin[0], 0.01);
}

// A ball that spins hits a plate of two welded halves at a slant. It leaves as from one plate.
void check_plate(Suite& suite, double friction, const Variation& v) {
  Vec3 velocity[2];
  for (const bool welded : {false, true}) {
    Scene scene = weightless();
    const std::uint32_t ball_id = add(scene, with(ball(0.1), friction, 1), {-0.1, 0.2, 0.1});
    scene.bodies[ball_id].velocity = {3, -kSpeed, 1};
    scene.bodies[ball_id].angular_velocity = {0, 0, 20};
    for (int i = 0; i < 1 + welded; ++i) {
      const double x = welded ? 0.5 * i - 0.25 : 0;
      add(scene, with(box({welded ? 0.25 : 0.5, 0.05, 0.5}), friction, 1), {x, 0, 0});
    }
    if (welded) join(scene, JointKind::weld, 1, 2, {0.25, 0, 0}, {-0.25, 0, 0});
    Trial trial(scene, v);
    trial.run(std::max(0.06, 3 * trial.tick()));
    velocity[welded] = trial.velocity(ball_id);
  }
  const double off = length(velocity[1] - velocity[0]);
  suite.at_most(
      named(text("held: ball and welded plate, friction %g: off, over speed", friction), v),
      off / kSpeed, 0.01);
}

// A free chain of bodies on joints is hit at its end. Momentum and angular momentum stay, as long
// as no body is so fast that continuous collision moves it back.
void check_free(Suite& suite, JointKind kind, int count, double restitution, const Variation& v) {
  Scene scene = weightless();
  const double half = 0.1, gap = kind == JointKind::distance ? 0.01 : 0;
  for (int i = 0; i < count; ++i) {
    add(scene, with(cube(half), 0.5, restitution), {(2 * half + gap) * i, 0, 0});
    if (i > 0)
      join(scene, kind, static_cast<std::uint32_t>(i - 1), static_cast<std::uint32_t>(i),
           {half, 0, 0}, {-half, 0, 0});
  }
  const std::uint32_t ball_id =
      add(scene, with(ball(0.1), 0.5, restitution), {2 * half * (count - 1) + 0.03, -0.4, 0.04});
  scene.bodies[ball_id].velocity = {0.3, 2, 0.1};
  Trial trial(scene, v);
  const Vec3 p = trial.momentum(), l = trial.angular_momentum();
  trial.run(1);
  const std::string name = named(text("held: free chain of %d, %s, restitution %g", count,
                                      physics::traits_of(kind).name, restitution),
                                 v);
  suite.near(name + ": momentum", length(trial.momentum() - p) / length(p), 0, 1e-11);
  suite.near(name + ": lever of the error in mm",
             1000 * length(trial.angular_momentum() - l) / length(p), 0, 1e-5);
}

// Newton's cradle: the last ball leaves with the speed of the first one, and the swing goes on.
void check_cradle(Suite& suite, JointKind kind, const Variation& v) {
  constexpr int kBalls = 5;
  const double r = 0.1, length = 1, angle = 0.5;
  Scene scene = earthly();
  const std::uint32_t beam = add_anchor(scene, {0, 0, 0});
  for (int i = 0; i < kBalls; ++i) {
    const double x = 2 * r * i, swung = i == 0 ? -angle : 0;
    const std::uint32_t id = add(scene, with(ball(r), 0, 1),
                                 {x + length * std::sin(swung), -length * std::cos(swung), 0});
    scene.bodies[id].orientation = turn({0, 0, 1}, swung);
    join(scene, kind, beam, id, {x, 0, 0}, {0, length, 0});
  }
  Trial trial(scene, v);
  const double m = scene.bodies[1].mass, low = -kBalls * m * kG * length;
  const double before = trial.energy() - low;
  double most = 0;
  for (int i = 0; i < 40; ++i) {
    trial.run(0.25);
    most = std::max(most, (trial.energy() - low) / before);
  }
  const std::string name = named(
      text("held: cradle on %s, ten seconds", kind == JointKind::hinge ? "hinges" : "ball joints"),
      v);
  suite.at_least(name + ": energy left", (trial.energy() - low) / before, 0.99);
  suite.at_most(name + ": most energy", most, 1.001);
}

}  // namespace

void check_held(Suite& suite) {
  for (const Variation& v : variations(suite, 0.1)) {
    check_door(suite, {10, 0.3, 1}, v);
    check_door(suite, {1, 0.5, 1, true}, v);
    check_welded(suite, 1, v);
    check_cradle(suite, JointKind::hinge, v);
  }
  for (const double mass : {0.1, 1.0, 100.0}) {
    for (const double depth : {0.3, 0.66, 0.9}) {
      for (const double restitution : {0.5, 1.0}) check_door(suite, {mass, depth, restitution}, {});
    }
    check_door(suite, {mass, 0.5, 0.5, true}, {});
  }
  check_welded(suite, 0.5, {});
  for (const double friction : {0.01, 0.1, 0.5}) check_twist(suite, friction, 0.5, {});
  for (const double friction : {0.05, 0.2}) check_plate(suite, friction, {});
  check_cradle(suite, JointKind::ball, {});
  for (const JointKind kind : {JointKind::distance, JointKind::ball, JointKind::hinge,
                               JointKind::slider, JointKind::weld}) {
    for (const int count : {2, 6}) {
      for (const double restitution : {0.0, 1.0}) check_free(suite, kind, count, restitution, {});
    }
  }
}

}  // namespace orrery::field
