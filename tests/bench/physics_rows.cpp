// Measures speed and errors of ticks without contacts, compared with ODE and the limits of the
// machine.
#include <hwy/targets.h>

#include <cmath>
#include <string>

#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/bench/machine.h"
#include "tests/bench/ode_peer.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"

namespace orrery::bench {
namespace {

World world_of(const char* scene) { return World(built_in_scene(scene).value()); }

void step_often(World& world, int ticks, Executor& executor) {
  for (int i = 0; i < ticks; ++i) step(world, {}, executor);
}

// Restricts the dispatch to one instruction set, or allows all with 0.
void use_target(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace

void print_free_rows() {
  constexpr int kTicks = 2000;
  constexpr int kPeerTicks = 40;
  World world = world_of("free:10000");
  OdePeer ode(world.scene());
  OdePeer quick_ode(world.scene());
  SerialExecutor serial;
  Best ours, theirs, theirs_quick;
  step_often(world, 10, serial);
  for (int round = 0; round < kRounds; ++round) {
    ours.run([&] { step_often(world, kTicks, serial); });
    theirs.run([&] {
      for (int i = 0; i < kPeerTicks; ++i) ode.step(world.tick_time());
    });
    theirs_quick.run([&] {
      for (int i = 0; i < kPeerTicks; ++i) quick_ode.quick_step(world.tick_time());
    });
  }
  const double rate = kTicks / ours.seconds();
  const double step_rate = kPeerTicks / theirs.seconds();
  const double quick_rate = kPeerTicks / theirs_quick.seconds();
  print_row("free:10000, ticks per CPU second, state hash included", "27,000", format("%.0f", rate),
            "one thread");
  print_row("the same, times ODE (no geometries, no hash)", "20",
            format("%.1f", rate / std::max(step_rate, quick_rate)),
            format("dWorldStep %.0f, dWorldQuickStep %.0f steps/s", step_rate, quick_rate));
  const double per_body = ours.seconds() / kTicks / 10000;
  const double limit = divider_seconds_per_body();
  print_row("the same, times the limit of the divider", "at most 3",
            format("%.2f", per_body / limit),
            format("%.2f ns a body; 6 divisions and 1 root: %.2f ns", 1e9 * per_body, 1e9 * limit));
}

void print_target_rows() {
  constexpr int kTicks = 300;
  World world = world_of("free:10000");
  SerialExecutor serial;
  const std::int64_t all = hwy::SupportedTargets();
  const std::int64_t compiled = HWY_TARGETS & ~HWY_SSSE3;  // as in physics/wide/wide_targets.h
  for (std::int64_t rest = all & compiled; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    use_target(target);
    Best best;
    for (int round = 0; round < kRounds; ++round) {
      best.run([&] { step_often(world, kTicks, serial); });
    }
    print_row(format("free:10000, ticks per CPU second, %s forced", hwy::TargetName(target)), "-",
              format("%.0f", kTicks / best.seconds()),
              format("%.2f ns a body", 1e9 * best.seconds() / kTicks / 10000));
  }
  use_target(0);
}

void print_million_rows() {
  constexpr int kTicks = 20;
  // A step reads and writes 13 numbers of state for each body, and reads 4 constants.
  constexpr double kBytesPerBody = (2 * 13 + 4) * sizeof(double);
  World world = world_of("free:1000000");
  SerialExecutor serial;
  step_often(world, 2, serial);
  Best ours;
  double bandwidth = 0;
  for (int round = 0; round < kRounds; ++round) {
    ours.run([&] { step_often(world, kTicks, serial); });
    if (round % 2 == 0) bandwidth = std::max(bandwidth, memory_bytes_per_second());
  }
  const double moved = kBytesPerBody * 1e6 * kTicks / ours.seconds();
  print_row("free:1000000, share of the in-place memory bandwidth", "70 %",
            format("%.0f %%", 100 * moved / bandwidth),
            format("%.0f ticks/s, 240 B a body: %.1f of %.1f GB/s", kTicks / ours.seconds(),
                   1e-9 * moved, 1e-9 * bandwidth));
}

void print_error_rows() {
  constexpr int kTicks = 300;
  const double t = 5;
  SerialExecutor serial;
  World flying = world_of("free:1000");
  World tied = world_of("tethers:1000");
  step_often(flying, kTicks, serial);
  step_often(tied, kTicks, serial);
  double flight_error = 0;
  double tether_error = 0;
  const double w = std::sqrt(20.0);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const BodyDef& free_def = flying.scene().bodies[i];
    const Vec3& g = flying.scene().gravity;
    const Vec3 parabola = free_def.position + t * free_def.velocity + (t * t / 2) * g;
    flight_error = std::max(flight_error, length(flying.bodies().position(i) - parabola));
    // The body oscillates about the rest point anchor + g/ω².
    const BodyDef& def = tied.scene().bodies[i];
    const Vec3 rest = tied.scene().tethers[i].anchor + (1 / (w * w)) * tied.scene().gravity;
    const Vec3 exact =
        rest + std::cos(w * t) * (def.position - rest) + (std::sin(w * t) / w) * def.velocity;
    tether_error = std::max(tether_error, length(tied.bodies().position(i) - exact));
  }
  print_row("free:1000, worst error after 5 s", "1e-10 m", format("%.1e m", flight_error),
            "parabola");
  print_row("tethers:1000, worst error after 5 s", "1e-11 m", format("%.1e m", tether_error),
            "harmonic oscillation about the shifted rest point");
}

}  // namespace orrery::bench
