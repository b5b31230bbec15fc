// Owns the order of a tick of bodies that touch: scripts, wake and sleep, find contacts, then
// substeps of kick, solve, drift and relax, then bounces, then what has passed through something is
// put back.
#include "common/world/contact_tick.h"

#include <algorithm>
#include <cmath>

#include "common/physics/drift.h"
#include "common/world/script.h"
#include "common/world/sleep.h"
#include "common/world/state_hash.h"

namespace orrery {
namespace {

void find_contacts(World& world, Executor& executor) {
  find_pairs(world, executor);
  Collision& c = *world.collision;
  ContactInput input{world.bodies, c.shapes, c.shape_of, c.broad_phase.pairs()};
  if (c.sleeping) input.taken_out = c.sleeping->contacts().size();
  c.solver.update(input, executor);
  collect_events(world);
}

// Semi-implicit Euler with the contacts between its kick, uniform gravity included, and its drift;
// what pushing bodies apart has added to their velocities is taken out again behind it.
void substep(World& world, double h, Executor& executor) {
  ContactSolver& solver = world.collision->solver;
  if (!world.forces.empty()) kick(world.bodies, world.forces, h, KickOrder::forward);
  kick_uniformly(world.bodies, h * world.controls.gravity);
  solver.solve(world.bodies, h, executor);
  const Drift still{h, {}, {}};  // without gravity
  parallel_ranges(executor, world.bodies.tiles(), [&](std::uint32_t begin, std::uint32_t end) {
    drift_tiles(world.bodies, begin, end, still);
  });
  solver.relax(world.bodies, h, executor);
}

// A hit turns speed into spin: without a bound where a body is small and fast. It is twice that of
// the spins that enter a world, so what no contact touches never meets it.
void bound_spins(Bodies& bodies) {
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    const Vec3 inverse = bodies.inverse_inertia(slot);
    const double least = std::min({inverse.x, inverse.y, inverse.z});
    if (least == 0) continue;
    const double most = 2 * limits::kAngularSpeedMax / least;
    const Vec3 m = bodies.angular_momentum(slot);
    if (std::max({std::abs(m.x), std::abs(m.y), std::abs(m.z)}) <= most) continue;
    bodies.set_angular_momentum(slot, {std::clamp(m.x, -most, most), std::clamp(m.y, -most, most),
                                       std::clamp(m.z, -most, most)});
  }
}

}  // namespace

std::uint64_t advance_touching(World& world, double h, Executor& executor) {
  ORRERY_ASSERT(world.collision);
  Collision& c = *world.collision;
  run_scripts(world);
  find_contacts(world, executor);
  c.continuous.begin(world.bodies);
  for (std::uint32_t i = 0; i < world.scene.substeps; ++i) substep(world, h, executor);
  c.solver.finish(world.bodies, executor);
  bound_spins(world.bodies);
  c.continuous.finish(world.bodies, c.shapes, c.shape_of, c.broad_phase.index(), executor);
  return sum_of_body_hashes(world.bodies, executor) + hash_collision(world, executor);
}

}  // namespace orrery
