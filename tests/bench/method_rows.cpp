// Measures the cost and the error of each integrator of a world.
#include <cmath>

#include "common/world/scenes/methods.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/bench/machine.h"
#include "tests/bench/ode_peer.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"

namespace orrery::bench {
namespace {

World tethers_by(Integrator integrator, const char* spec) {
  Scene scene = built_in_scene(spec).value();
  scene.integrator = integrator;
  return World(scene);
}

void step_often(World& world, int ticks) {
  SerialExecutor serial;
  for (int i = 0; i < ticks; ++i) step(world, {}, serial);
}

// Returns the largest error after 5 s. The exact path oscillates about the rest point anchor +
// g/ω².
double error_of(Integrator integrator) {
  World world = tethers_by(integrator, "tethers:500");
  step_often(world, 300);
  const double t = 5;
  const double w = std::sqrt(20.0);
  double worst = 0;
  for (std::uint32_t i = 0; i < world.scene().bodies.size(); ++i) {
    const BodyDef& def = world.scene().bodies[i];
    const Vec3 rest = world.scene().tethers[i].anchor + (1 / (w * w)) * world.scene().gravity;
    const Vec3 exact =
        rest + std::cos(w * t) * (def.position - rest) + (std::sin(w * t) / w) * def.velocity;
    worst = std::max(worst, length(world.bodies().position(i) - exact));
  }
  return worst;
}

}  // namespace

void print_tether_rows() {
  constexpr int kTicks = 1000;
  constexpr int kPeerTicks = 40;
  World exact = tethers_by(Integrator::kinematic, "tethers:10000");
  World leapfrog = tethers_by(Integrator::leapfrog_dkd, "tethers:10000");
  World free = World(built_in_scene("free:10000").value());
  OdePeer ode(exact.scene());
  OdePeer quick_ode(exact.scene());
  Best ours, swung, flown, theirs, theirs_quick;
  for (int round = 0; round < kRounds; ++round) {
    ours.run([&] { step_often(exact, kTicks); });
    swung.run([&] { step_often(leapfrog, kTicks / 5); });
    flown.run([&] { step_often(free, kTicks); });
    theirs.run([&] {
      for (int i = 0; i < kPeerTicks; ++i) ode.step(exact.tick_time());
    });
    theirs_quick.run([&] {
      for (int i = 0; i < kPeerTicks; ++i) quick_ode.quick_step(exact.tick_time());
    });
  }
  const double rate = kTicks / ours.seconds();
  const double peer = kPeerTicks / std::min(theirs.seconds(), theirs_quick.seconds());
  print_row("tethers:10000, kinematic, ticks per CPU second, state hash included", "25,000",
            format("%.0f", rate), format("%.2f ns a body", 1e5 / rate));
  print_row("the same, times ODE (no geometries, no hash)", "47", format("%.1f", rate / peer),
            format("%.0f steps/s", peer));
  print_row("the same, share of free:10000", "-",
            format("%.0f %%", 100 * flown.seconds() / ours.seconds()),
            format("%.0f ticks/s", kTicks / flown.seconds()));
  print_row("the same, times leapfrog-dkd", "-",
            format("%.1f", rate * swung.seconds() / (kTicks / 5)),
            format("%.0f ticks/s", kTicks / 5 / swung.seconds()));
}

void print_method_rows() {
  constexpr int kTicks = 50;
  // A step reads and writes 13 numbers of state for each body, and reads 4 constants.
  constexpr double kBytesPerBody = (2 * 13 + 4) * sizeof(double);
  const double limit = 1e9 * kBytesPerBody / memory_bytes_per_second();
  for (std::size_t i = 0; i < kIntegrators; ++i) {
    const auto integrator = static_cast<Integrator>(i);
    World world = tethers_by(integrator, "tethers:10000");
    step_often(world, 2);
    Best best;
    for (int round = 0; round < kRounds; ++round) best.run([&] { step_often(world, kTicks); });
    print_row(format("tethers:10000, %s, a body and step", name_of(integrator).data()), "-",
              format("%.1f ns", 1e9 * best.seconds() / kTicks / 10000),
              format("memory alone: %.1f ns; %.1e m from the exact path after 5 s", limit,
                     error_of(integrator)));
  }
}

}  // namespace orrery::bench
