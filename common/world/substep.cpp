// Owns what each integrator does in a substep: an order of kicks, in which forces change
// velocities, and drifts, in which bodies fly and turn freely.
#include "common/world/substep.h"

#include <atomic>

#include "common/physics/drift.h"
#include "common/world/state_hash.h"

namespace orrery {
namespace {

// Whether a pass is the last of a tick, which the sum of the body hashes comes with.
enum class Pass : bool { inner, last };

void kick(World& world, double h, KickOrder order = KickOrder::forward) {
  if (!world.forces.empty()) kick(world.bodies, world.forces, h, order);
}

std::uint64_t drift(World& world, const Drift& d, Pass pass, Executor& executor) {
  std::atomic<std::uint64_t> sum{0};  // integers: the order of the additions does not matter
  parallel_ranges(executor, world.bodies.tiles(), [&](std::uint32_t begin, std::uint32_t end) {
    if (pass == Pass::last) {
      sum += drift_and_hash_tiles(world.bodies, begin, end, d);
    } else {
      drift_tiles(world.bodies, begin, end, d);
    }
  });
  return sum;
}

// Uniform gravity is part of the drift. `position_share` of gravity h^2 goes into the position: 1/2
// is exact, 1 is what moving with the new velocity gives, 0 with the old one.
std::uint64_t drift(World& world, double h, double position_share, Pass pass, Executor& executor) {
  const Vec3& g = world.controls.gravity;
  return drift(world, Drift{h, g, (position_share * h * h) * g}, pass, executor);
}

// The hash of where a kick has left the bodies.
std::uint64_t hash_after_kick(const World& world, Pass pass, Executor& executor) {
  return pass == Pass::last ? sum_of_body_hashes(world.bodies, executor) : 0;
}

// v1 = v0 + h a(x0), x1 = x0 + h v1. What contacts do belongs between the two: they see the
// velocities that the forces have given, and change them before anything moves.
std::uint64_t semi_implicit_euler(World& world, double h, Pass pass, Executor& executor) {
  kick(world, h);
  return drift(world, h, 1, pass, executor);
}

// Kick h/2, drift h, kick h/2. The two kicks go through the forces in opposite orders.
std::uint64_t velocity_verlet(World& world, double h, Pass pass, Executor& executor) {
  if (world.forces.empty()) return drift(world, h, 0.5, pass, executor);
  kick(world, h / 2, KickOrder::forward);
  drift(world, h, 0.5, Pass::inner, executor);
  kick(world, h / 2, KickOrder::backward);
  return hash_after_kick(world, pass, executor);
}

// Drift h/2, kick h, drift h/2.
std::uint64_t leapfrog_dkd(World& world, double h, Pass pass, Executor& executor) {
  drift(world, h / 2, 0.5, Pass::inner, executor);
  kick(world, h);
  return drift(world, h / 2, 0.5, pass, executor);
}

std::uint64_t substep(World& world, double h, Pass pass, Executor& executor) {
  ORRERY_ASSERT(h > 0);
  switch (world.scene.integrator) {
    case Integrator::semi_implicit_euler:
      return semi_implicit_euler(world, h, pass, executor);
    case Integrator::velocity_verlet:
      return velocity_verlet(world, h, pass, executor);
    case Integrator::leapfrog_dkd:
      return leapfrog_dkd(world, h, pass, executor);
  }
  return 0;
}

}  // namespace

void advance(World& world, double h, Executor& executor) {
  substep(world, h, Pass::inner, executor);
}

std::uint64_t advance_and_hash(World& world, double h, Executor& executor) {
  return substep(world, h, Pass::last, executor);
}

}  // namespace orrery
