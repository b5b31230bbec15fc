// Checks that bodies on joints swing past a floor as they do without one.
#include <algorithm>
#include <cmath>

#include "tests/field/suite.h"

namespace orrery::field {
namespace {

using physics::JointKind;

constexpr const char* kKinds[] = {"distance joint", "ball joint", "hinge"};

// A bob of radius 0.1 that hangs 1 m below a joint and swings by 0.5 rad along x. Its lowest point
// is `gap` above a floor without friction.
Scene pendulum(JointKind kind, double gap, bool on_box) {
  Scene scene = earthly();
  const std::uint32_t anchor = add_anchor(scene, {0, 2, 0});
  const std::uint32_t bob = add(scene, with(ball(0.1), 0), {std::sin(0.5), 2 - std::cos(0.5), 0});
  const double top = 2 - 1 - 0.1 - gap;
  if (on_box) {
    add_fixed(scene, with(box({5, 1, 5}), 0), {0, top - 1, 0});
  } else {
    add_fixed(scene, with(plane(), 0), {0, top, 0});
  }
  if (kind == JointKind::distance) {
    join(scene, kind, anchor, bob, {}, {}).rest = 1;
    return scene;
  }
  scene.bodies[bob].orientation = turn({0, 0, 1}, 0.5);
  join(scene, kind, anchor, bob, {}, {0, 1, 0});
  return scene;
}

// Returns the largest angle in the last four seconds.
double amplitude(Trial& trial, double seconds) {
  trial.run(seconds - 4);
  double most = 0;
  for (int i = 0; i < 240; ++i) {
    trial.run(1.0 / 60);
    const Vec3 p = trial.position(1) - Vec3{0, 2, 0};
    most = std::max(most, std::abs(std::atan2(p.x, -p.y)));
  }
  return most;
}

void check_swing(Suite& suite, JointKind kind, double gap, bool on_box, const Variation& v) {
  Trial trial(pendulum(kind, gap, on_box), v);
  const std::string name = text("joints: %s %g mm over a %s", kKinds[static_cast<int>(kind)],
                                1000 * gap, on_box ? "box" : "plane");
  const double tolerance = v.rate < 60 || !v.ticks_follow ? 0.02 : 2e-3;
  suite.near(named(name, v), amplitude(trial, 20), 0.5, tolerance);
  if (suite.all())
    suite.near(named(name, v) + ": after a minute", amplitude(trial, 40), 0.5, tolerance);
}

// A chain of links hangs from an anchor and lies partly on the ground. It gains no energy, and the
// links on the ground stop moving. The others swing on: their joints have no friction.
void check_chain(Suite& suite, const Variation& v) {
  Scene scene = earthly();
  add_floor(scene);
  std::uint32_t before = add_anchor(scene, {0, 0.5, 0});
  for (int i = 0; i < 12; ++i) {
    const std::uint32_t link = add(scene, capsule(0.02, 0.03), {0.05 + 0.1 * i, 0.5, 0});
    scene.bodies[link].orientation = turn({0, 0, 1}, kPi / 2);
    const Vec3 at = i == 0 ? Vec3{} : Vec3{0, -0.05, 0};
    join(scene, JointKind::ball, before, link, at, {0, 0.05, 0});
    before = link;
  }
  Trial trial(scene, v);
  const double start = trial.energy();
  double most = 0;
  for (int i = 0; i < 1800; ++i) {
    trial.run(1.0 / 60);
    most = std::max(most, trial.energy() - start);
  }
  const double weight = kG * scene.bodies[2].mass;
  suite.at_most(named("joints: chain that falls on a floor: gain of energy", v), most / weight,
                1e-3);
  double fast = 0;
  for (std::size_t i = 2; i < scene.bodies.size(); ++i) {
    if (trial.position(i).y < 0.025) fast = std::max(fast, length(trial.velocity(i)));
  }
  suite.at_most(named("joints: chain that falls on a floor: speed after 30 s", v), fast, 0.02);
}

}  // namespace

void check_joints(Suite& suite) {
  for (const JointKind kind : {JointKind::distance, JointKind::ball, JointKind::hinge}) {
    for (const double gap : {0.0002, 0.005, 0.019, 0.021, 0.1}) {
      for (const bool on_box : {false, true}) check_swing(suite, kind, gap, on_box, {});
    }
    for (const Variation& v : variations(suite, 0.2)) check_swing(suite, kind, 0.005, false, v);
    for (const Variation& v : drifts(suite)) check_swing(suite, kind, 0.005, true, v);
  }
  for (const Variation& v : variations(suite, 0.04)) check_chain(suite, v);
}

}  // namespace orrery::field
