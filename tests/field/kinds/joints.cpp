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

// A chain of 10 links of 1 g and 1 cm, with a weight at its end. The links are slim rods.
struct Loaded {
  JointKind kind = JointKind::ball;
  double weight = 1;
  double angle = 0.5;  // from the vertical, at the start
  double push = 0;     // speed of the weight
};

Scene loaded_chain(const Loaded& loaded) {
  constexpr double kLink = 0.01, kSide = 0.02;
  Scene scene = earthly();
  const Quat lean = turn({0, 0, 1}, loaded.angle);
  const Vec3 down = rotate(lean, {0, -1, 0});
  std::uint32_t before = add_anchor(scene, {});
  Vec3 at;
  for (int i = 0; i < 10; ++i) {
    const std::uint32_t link =
        add_ghost(scene, 0.001, {0.001, kLink / 2, 0.001}, (kLink * (i + 0.5)) * down);
    scene.bodies[link].orientation = lean;
    join(scene, loaded.kind, before, link, at, {0, kLink / 2, 0});
    before = link;
    at = {0, -kLink / 2, 0};
  }
  const std::uint32_t weight =
      add_ghost(scene, loaded.weight, {kSide, kSide, kSide}, (10 * kLink + kSide) * down);
  scene.bodies[weight].orientation = lean;
  scene.bodies[weight].velocity = {loaded.push, 0, 0};
  join(scene, loaded.kind, before, weight, at, {0, kSide, 0});
  return scene;
}

// Returns the largest distance of the two points of a joint.
double widest_gap(const Scene& scene, const Trial& trial) {
  double most = 0;
  for (const JointDef& joint : scene.joints) {
    const Pose a = trial.motion(joint.a).pose, b = trial.motion(joint.b).pose;
    const Vec3 apart = (b.position + rotate(b.orientation, joint.at_b)) -
                       (a.position + rotate(a.orientation, joint.at_a));
    most = std::max(most, length(apart));
  }
  return most;
}

// A chain holds its weight, and both swing without friction: they keep their energy. `smooth`: the
// links swing with the weight. Else they also whip, too fast for a substep.
void check_loaded(Suite& suite, const char* start, const Loaded& loaded, bool smooth,
                  const Variation& v) {
  const Scene scene = loaded_chain(loaded);
  Trial trial(scene, v);
  const double before = trial.energy(), unit = loaded.weight * kG * 0.12;
  double gap = 0, most = 0, least = 0;
  for (int i = 0; i < 600; ++i) {
    trial.run(1.0 / 60);
    gap = std::max(gap, widest_gap(scene, trial));
    most = std::max(most, (trial.energy() - before) / unit);
    least = std::min(least, (trial.energy() - before) / unit);
  }
  const std::string name = named(text("joints: %g kg on a chain of %ss of 1 g, %s", loaded.weight,
                                      kKinds[static_cast<int>(loaded.kind)], start),
                                 v);
  suite.at_most(name + ": gap of the joints in links", gap / 0.01, 1e-4);
  if (!smooth) return;
  const double phase = std::sqrt(kG / 0.12) * trial.tick() / 4;  // of the swing in a substep
  suite.at_most(name + ": gain of energy", most, phase * phase);
  suite.at_least(name + ": loss of energy", least, -1e-2);
}

void check_loaded_chains(Suite& suite) {
  for (const double weight : {0.01, 0.1, 1.0, 30.0, 1000.0}) {
    for (const JointKind kind : {JointKind::ball, JointKind::hinge})
      check_loaded(suite, "that swings", {kind, weight, 0.5, 0}, true, {});
    check_loaded(suite, "that is pushed", {JointKind::ball, weight, 0, 0.3}, true, {});
    check_loaded(suite, "from the side", {JointKind::ball, weight, kPi / 2, 0}, false, {});
  }
  for (const Variation& v : variations(suite, 0.01)) {
    for (const double weight : {1.0, 1000.0}) {
      check_loaded(suite, "that swings", {JointKind::ball, weight, 0.5, 0}, true, v);
      if (v.rate >= 30)
        check_loaded(suite, "from the side", {JointKind::ball, weight, kPi / 2, 0}, false, v);
    }
  }
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
  check_loaded_chains(suite);
}

}  // namespace orrery::field
