// Checks nets of bodies that joints tie together in many loops.
#include <algorithm>
#include <cmath>

#include "tests/field/bodies.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

using physics::JointKind;

constexpr double kMesh = 0.1;     // distance of neighbours
constexpr double kKnot = 0.05;    // mass of a body of the net
constexpr double kTop = 2;        // height of the net
constexpr double kRadius = 0.03;  // of a body of the net

enum class Hang : std::uint8_t { free, corners, edges };
constexpr const char* kHangs[] = {"free", "at its corners", "at two edges"};

// A level square net, and a ball that hits it from above.
struct Net {
  int side = 5;
  Hang hang = Hang::corners;
  bool boxes = false;      // balls otherwise
  bool mixed = false;      // ball joints, hinges and welds in turn; ball joints otherwise
  bool triangles = false;  // with diagonals
  double mass = 2;         // of the ball
  double speed = 5;        // of the ball
};

// Ties two bodies together half way.
void tie(Scene& scene, const Net& net, std::uint32_t a, std::uint32_t b) {
  constexpr JointKind kKinds[] = {JointKind::ball, JointKind::hinge, JointKind::weld};
  const JointKind kind = net.mixed ? kKinds[scene.joints.size() % 3] : JointKind::ball;
  const Vec3 half = 0.5 * (scene.bodies[b].position - scene.bodies[a].position);
  join(scene, kind, a, b, half, -half, {-half.z, 0, half.x});
}

Scene net_scene(const Net& net) {
  Scene scene = earthly();
  physics::PartDef knot = net.boxes ? cube(kRadius) : ball(kRadius);
  knot.density =
      kKnot / (net.boxes ? 8 * std::pow(kRadius, 3) : 4 * kPi / 3 * std::pow(kRadius, 3));
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(i * net.side + j); };
  const double middle = 0.5 * (net.side - 1);
  for (int i = 0; i < net.side; ++i) {
    for (int j = 0; j < net.side; ++j)
      add(scene, knot, {kMesh * (i - middle), kTop, kMesh * (j - middle)});
  }
  for (int i = 0; i < net.side; ++i) {
    for (int j = 0; j < net.side; ++j) {
      if (i + 1 < net.side) tie(scene, net, at(i, j), at(i + 1, j));
      if (j + 1 < net.side) tie(scene, net, at(i, j), at(i, j + 1));
      if (net.triangles && i + 1 < net.side && j + 1 < net.side)
        tie(scene, net, at(i, j), at(i + 1, j + 1));
    }
  }
  const std::uint32_t frame = add_anchor(scene, {});
  const int last = net.side - 1;
  for (int i = 0; i < net.side && net.hang != Hang::free; ++i) {
    for (const int j : {0, last}) {
      if (net.hang == Hang::corners && i != 0 && i != last) continue;
      join(scene, JointKind::ball, frame, at(i, j), scene.bodies[at(i, j)].position, {});
    }
  }
  physics::PartDef stone = ball(0.15);
  stone.density = net.mass / (4 * kPi / 3 * std::pow(0.15, 3));
  const std::uint32_t hit = add(scene, stone, {0, kTop + 0.45, 0.003});
  scene.bodies[hit].velocity = {0, -net.speed, 0};
  return scene;
}

// Checks that a net gains no energy, and that its joints close again. A level net would need an
// infinite tension to carry a weight, so that its joints give way.
void check_net(Suite& suite, const Net& net, const Variation& v) {
  const Scene scene = net_scene(net);
  Trial trial(scene, v);
  const double start = trial.energy(), hit = 0.5 * net.mass * net.speed * net.speed;
  double most = 0;
  for (int i = 0; i < 120; ++i) {
    trial.run(1.0 / 60);
    most = std::max(most, trial.energy() - start);
  }
  double gap = 0;
  for (const JointDef& joint : scene.joints) {
    const Pose a = trial.motion(joint.a).pose, b = trial.motion(joint.b).pose;
    gap = std::max(gap, length((b.position + rotate(b.orientation, joint.at_b)) -
                               (a.position + rotate(a.orientation, joint.at_a))));
  }
  const std::string name =
      named(text("nets: %d x %d %s, %s%s%s, hit by %g kg at %g m/s", net.side, net.side,
                 net.boxes ? "boxes" : "balls", kHangs[static_cast<int>(net.hang)],
                 net.triangles ? ", triangles" : "", net.mixed ? ", mixed joints" : "", net.mass,
                 net.speed),
            v);
  suite.at_most(name + ": gain, in energies of the hit", most / hit, 1e-3);
  suite.at_most(name + ": gap in meshes", gap / kMesh, 0.1);
}

// A level bridge of 12 planks on two rows of joints, and three boxes that fall on it. It gains no
// energy.
void check_bridge(Suite& suite, JointKind kind, double mass, const Variation& v) {
  constexpr int kPlanks = 12;
  constexpr double kHalf = 0.21;  // of the distance of planks
  Scene scene = earthly();
  for (int i = 0; i < kPlanks; ++i) add(scene, box({0.2, 0.03, 0.6}), {2 * kHalf * i, 2, 0});
  const std::uint32_t banks = add_anchor(scene, {0, 2, 0});
  for (const double z : {-0.5, 0.5}) {
    join(scene, kind, banks, 0, {-kHalf, 0, z}, {-kHalf, 0, z});
    for (std::uint32_t i = 0; i + 1 < kPlanks; ++i)
      join(scene, kind, i, i + 1, {kHalf, 0, z}, {-kHalf, 0, z});
    join(scene, kind, banks, kPlanks - 1, {(2 * kPlanks - 1) * kHalf, 0, z}, {kHalf, 0, z});
  }
  physics::PartDef crate = cube(0.3);
  crate.density = mass / 0.216;
  for (int i = 0; i < 3; ++i)
    add(scene, crate, {kPlanks * kHalf * (i + 1) / 2, 2.6 + 0.2 * i, 0.1 * i});
  Trial trial(scene, v);
  const double start = trial.energy(), fall = 3 * mass * kG * 0.47;
  double most = 0;
  for (int i = 0; i < 120; ++i) {
    trial.run(1.0 / 60);
    most = std::max(most, trial.energy() - start);
  }
  suite.at_most(
      named(text("nets: level bridge on %s, boxes of %g kg: gain, in energies of the fall",
                 kind == JointKind::ball ? "ball joints" : "hinges", mass),
            v),
      most / fall, 1e-3);
}

// A ring of links on hinges that spins about its centre, without weight. It keeps its energy.
void check_ring(Suite& suite, JointKind kind, const Variation& v) {
  constexpr int kLinks = 20;
  constexpr double kLength = 0.1, kSpin = 5;
  Scene scene = weightless();
  const double radius = kLength / 2 / std::tan(kPi / kLinks);
  for (int i = 0; i < kLinks; ++i) {
    const double angle = 2 * kPi * i / kLinks;
    const Vec3 at{radius * std::cos(angle), radius * std::sin(angle), 0};
    BodyDef& link = scene.bodies[add(scene, capsule(0.005, kLength / 2 - 0.005), at)];
    link.orientation = turn({0, 0, 1}, angle);
    link.velocity = cross({0, 0, kSpin}, at);
    link.angular_velocity = {0, 0, kSpin};
  }
  for (std::uint32_t i = 0; i < kLinks; ++i) {
    join(scene, kind, i, (i + 1) % kLinks, {0, kLength / 2, 0}, {0, -kLength / 2, 0});
  }
  Trial trial(scene, v);
  const double start = trial.energy();
  trial.run(20);
  suite.near(named(text("nets: ring of links on %s: energy over the first",
                        kind == JointKind::ball ? "ball joints" : "hinges"),
                   v),
             trial.energy() / start, 1, 1e-6);
}

}  // namespace

void check_nets(Suite& suite) {
  for (const JointKind kind : {JointKind::ball, JointKind::hinge}) {
    for (const double mass : {20.0, 1700.0}) check_bridge(suite, kind, mass, {});
    check_ring(suite, kind, {});
  }
  for (const Hang hang : {Hang::free, Hang::corners, Hang::edges}) {
    for (const bool triangles : {false, true}) {
      check_net(suite, {5, hang, false, false, triangles, 2, 5}, {});
      check_net(suite, {3, hang, true, true, triangles, 2, 5}, {});
    }
    check_net(suite, {4, hang, false, false, false, 200, 5}, {});
    check_net(suite, {3, hang, false, false, true, 2, 50}, {});
    check_net(suite, {3, hang, false, false, true, 0.05, 20}, {});
  }
  for (const double mass : {50.0, 200.0}) {
    check_net(suite, {6, Hang::corners, false, false, false, mass, 1}, {});
  }
  for (const Variation& v : sizes(suite, kMesh)) check_net(suite, {5, Hang::edges}, v);
  if (!suite.all()) return;
  for (const Hang hang : {Hang::free, Hang::corners, Hang::edges}) {
    for (const bool mixed : {false, true}) {
      for (const double mass : {0.05, 2.0, 50.0}) {
        for (const double speed : {1.0, 5.0, 20.0, 50.0}) {
          check_net(suite, {5, hang, mixed, mixed, false, mass, speed}, {});
          check_net(suite, {4, hang, false, mixed, true, mass, speed}, {});
        }
      }
    }
    check_net(suite, {10, hang}, {});
    check_net(suite, {16, hang}, {});
  }
}

}  // namespace orrery::field
