// Checks that slim bodies gain no energy when they fall and hit the ground.
#include <algorithm>
#include <cmath>

#include "common/core/rng.h"
#include "common/world/report/contact_report.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

enum class Stick { capsule, box, cylinder };
constexpr const char* kSticks[] = {"capsule", "box", "cylinder"};

// Returns a stick of 18 cm along y.
physics::PartDef stick(Stick kind, double slimness) {
  const double half = 0.09, r = half / slimness;
  if (kind == Stick::box) return box({r, half, r});
  if (kind == Stick::cylinder) return cylinder(r, half, 12);
  return capsule(r, half - r);
}

// Drops a stick from 0.8 m and compares its energy with that at the start.
void check_drop(Suite& suite, Stick kind, double slimness, double restitution, std::uint64_t seed,
                const Variation& v) {
  SplitMix64 random(seed);
  Scene scene = earthly();
  add_fixed(scene, with(plane(), 0.5, restitution), {});
  const std::uint32_t body = add(scene, stick(kind, slimness), {0, 0.8, 0});
  BodyDef& b = scene.bodies[body];
  double draws[7];
  for (double& draw : draws) draw = random.symmetric();
  b.angular_velocity = {5 * draws[0], 5 * draws[1], 5 * draws[2]};
  b.orientation = normalized({draws[3], draws[4], draws[5], draws[6]});
  Trial trial(scene, v);
  const double before = trial.energy(), scale = b.mass * kG * 0.8;
  double most = 0, fastest = 0;
  for (int i = 0; i < 120; ++i) {
    trial.run(1.0 / 60);
    most = std::max(most, trial.energy() - before);
    fastest = std::max(fastest, length(trial.velocity(body)));
  }
  const std::string name =
      named(text("pencils: %s of 1:%g, restitution %g, seed %llu", kSticks[static_cast<int>(kind)],
                 slimness, restitution, static_cast<unsigned long long>(seed)),
            v);
  suite.at_most(name + ": fastest", fastest, 4);
  suite.at_most(name + ": gain of energy", most / scale, 1e-3);
}

// Forty pencils of 7 mm fall into a box and lie there. Overlaps are exact.
void check_heap(Suite& suite, const Variation& v) {
  constexpr double kRadius = 0.0035, kHalf = 0.0875;
  Scene scene = earthly();
  add_fixed(scene, plane(), {});
  for (const double side : {-1.0, 1.0}) {
    add_fixed(scene, box({0.11, 0.03, 0.003}), {0, 0.03, 0.035 * side});
    add_fixed(scene, box({0.003, 0.03, 0.04}), {0.1 * side, 0.03, 0});
  }
  SplitMix64 random(7);
  for (int i = 0; i < 40; ++i) {
    const bool round = i % 2 == 0;
    const std::uint32_t body =
        add(scene, round ? capsule(kRadius, kHalf - kRadius) : cylinder(kRadius, kHalf, 6),
            {0.002 * random.symmetric(), 0.03 + 0.012 * (i / 5), 0.0125 * (i % 5 - 2)});
    scene.bodies[body].orientation = turn({0, 0, 1}, kPi / 2 + 0.01 * random.symmetric());
  }
  Trial trial(scene, v);
  trial.run(15);
  SerialExecutor executor;
  const ContactReport report = report_contacts(trial.world(), executor);
  const double unit = 2 * kRadius * v.length;
  const std::string name = named("pencils: heap of forty: deepest overlap by their thickness", v);
  suite.at_most(name, report.deepest_overlap / unit, 0.25);
  suite.at_most(name + ": bears its load", report.deepest_overlap / unit, 0.4);
}

}  // namespace

void check_pencils(Suite& suite) {
  check_heap(suite, {});
  const std::uint64_t seeds = suite.all() ? 30 : 3;
  for (const Stick kind : {Stick::capsule, Stick::box, Stick::cylinder}) {
    for (const double slimness : {5.0, 22.5, 100.0, 1000.0}) {
      for (const double restitution : {0.0, 0.9}) {
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
          check_drop(suite, kind, slimness, restitution, seed, {});
        }
      }
    }
    for (const Variation& v : variations(suite, 0.18)) {
      for (std::uint64_t seed = 1; seed <= (suite.all() ? 5 : 1); ++seed) {
        check_drop(suite, kind, 22.5, 0, seed, v);
      }
    }
  }
}

}  // namespace orrery::field
