// Owns the order of a tick: commands, substeps of kicks and drifts, state hash. Read this file
// first.
#include "common/world/step.h"

#include <algorithm>
#include <atomic>

#include "common/core/hash.h"
#include "common/physics/drift.h"
#include "common/world/apply.h"
#include "common/world/state_hash.h"

namespace orrery {
namespace {

// All bodies fly freely for time h. `position_share` of gravity h^2 goes into the position: 1/2 is
// exact; semi-implicit Euler, which moves with the new velocity, has 1.
void drift(World& world, double h, double position_share, Executor& executor) {
  const Vec3& g = world.controls.gravity;
  const Drift d{h, g, (position_share * h * h) * g};
  parallel_ranges(executor, world.bodies.tiles(), [&](std::uint32_t begin, std::uint32_t end) {
    drift_tiles(world.bodies, begin, end, d);
  });
}

// The same as the last pass of a tick: the sum of the body hashes comes with it.
std::uint64_t drift_and_hash(World& world, double h, double position_share, Executor& executor) {
  const Vec3& g = world.controls.gravity;
  const Drift d{h, g, (position_share * h * h) * g};
  std::atomic<std::uint64_t> sum{0};  // integers: the order of the additions does not matter
  parallel_ranges(executor, world.bodies.tiles(), [&](std::uint32_t begin, std::uint32_t end) {
    sum += drift_and_hash_tiles(world.bodies, begin, end, d);
  });
  return sum;
}

void kick(World& world, double h, KickOrder order) {
  if (!world.forces.empty()) kick(world.bodies, world.forces, h, order);
}

void substep(World& world, double h, Executor& executor) {
  switch (world.scene.integrator) {
    case Integrator::semi_implicit_euler:
      kick(world, h, KickOrder::forward);
      drift(world, h, 1, executor);
      return;
    case Integrator::velocity_verlet:
      kick(world, h / 2, KickOrder::forward);
      drift(world, h, 0.5, executor);
      kick(world, h / 2, KickOrder::backward);
      return;
    case Integrator::leapfrog:
      drift(world, h / 2, 0.5, executor);
      kick(world, h, KickOrder::forward);
      drift(world, h / 2, 0.5, executor);
      return;
  }
}

// The last substep of a tick: the same, with the sum of the body hashes of where it ends.
std::uint64_t last_substep(World& world, double h, Executor& executor) {
  switch (world.scene.integrator) {
    case Integrator::semi_implicit_euler:
      kick(world, h, KickOrder::forward);
      return drift_and_hash(world, h, 1, executor);
    case Integrator::velocity_verlet:
      if (world.forces.empty()) return drift_and_hash(world, h, 0.5, executor);
      kick(world, h / 2, KickOrder::forward);
      drift(world, h, 0.5, executor);
      kick(world, h / 2, KickOrder::backward);
      return sum_of_body_hashes(world.bodies, executor);
    case Integrator::leapfrog:
      drift(world, h / 2, 0.5, executor);
      kick(world, h, KickOrder::forward);
      return drift_and_hash(world, h / 2, 0.5, executor);
  }
  return 0;
}

}  // namespace

void step(World& world, std::span<const Command> commands, Executor& executor) {
  ORRERY_ASSERT(commands.size() <= limits::kCommandsPerTickMax);
  // world.applied is cleared before the commands are read.
  ORRERY_ASSERT(commands.empty() || commands.data() != world.applied.data());
  ORRERY_ASSERT(std::is_sorted(commands.begin(), commands.end(), comes_before));
  apply_commands(world, commands);
  const double h = world.tick_time / world.scene.substeps;
  for (std::uint32_t i = 1; i < world.scene.substeps; ++i) substep(world, h, executor);
  const std::uint64_t bodies = last_substep(world, h, executor);
  ++world.tick.value;
  world.hash = combined_hash(bodies, world.controls_hash);
}

}  // namespace orrery
