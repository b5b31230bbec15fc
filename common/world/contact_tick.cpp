// Advances a world with contacts or joints by one tick.
//
// The order is: scripts, broad phase, wake and sleep, narrow phase, impacts, substeps, continuous
// collision, crossings of sensors, joints that break. A substep is kick, solve, drift and relax.
// Continuous collision moves back each fast body that passed through another body.
#include "common/world/contact_tick.h"

#include "common/physics/motion/drift.h"
#include "common/world/commands/drives.h"
#include "common/world/image/state_hash.h"
#include "common/world/script.h"
#include "common/world/sleep.h"

namespace orrery {
namespace {

void find_contacts(MutableWorld& world, const physics::Substep& step, Executor& executor) {
  find_pairs(world, executor);
  Collision& c = *world.collision;
  physics::ContactInput input{{world.bodies, c.shapes, c.shape_of}, c.broad_phase.pairs()};
  if (c.sleeping) input.extracted = c.sleeping->contacts().size();
  input.step = step;
  input.filters_changed = c.filters_changed;
  c.filters_changed = false;
  c.solver.update(input, executor);
  collect_events(world);
}

// Runs semi-implicit Euler with contacts. Gravity and thrusts come before the springs, so that an
// implicit spring rests where it carries them. Contacts are solved after all kicks and before the
// drift. After the drift, relax() removes the speed that pushing
// bodies apart has added.
void substep(MutableWorld& world, const physics::Substep& step, Executor& executor) {
  const double h = step.h;
  ORRERY_ASSERT(h > 0);
  physics::ContactSolver& solver = world.collision->solver;
  physics::limit_thrusts(world.bodies, world.scene.command_limits, h, world.forces);
  const auto for_tiles = [&](auto pass) {
    parallel_ranges(executor, world.bodies.tiles(), physics::kTilesLeast, pass);
  };
  for_tiles([&](std::uint32_t begin, std::uint32_t end) {
    physics::kick_uniformly(world.bodies, begin, end, h * world.controls.gravity);
  });
  physics::kick_thrusters(world.bodies, world.forces, h);
  if (!world.forces.empty())
    physics::kick(world.bodies, world.forces, h, physics::KickOrder::forward);
  solver.solve(world.bodies, step, executor);
  const physics::Drift still{h, {}, {}};  // without gravity, which the kick applied
  for_tiles([&](std::uint32_t begin, std::uint32_t end) {
    physics::drift_tiles(world.bodies, begin, end, still);
  });
  Collision& c = *world.collision;
  solver.relax(world.bodies, {world.bodies, c.shapes, c.shape_of}, step, executor);
}

}  // namespace

std::uint64_t advance_with_contacts(MutableWorld& world, Executor& executor) {
  ORRERY_ASSERT(world.collision && world.scene.integrator == Integrator::semi_implicit_euler);
  ORRERY_ASSERT(world.scene.sleeping == world.collision->sleeping.has_value());
  Collision& c = *world.collision;
  run_scripts(world);
  start_ways(world);
  const double h = world.substep_time;
  const physics::Substep step{h, world.controls.gravity, world.scene.substeps * h};
  find_contacts(world, step, executor);
  c.continuous.begin(world.bodies);
  c.solver.strike(world.bodies, step, executor);
  for (std::uint32_t i = 0; i < world.scene.substeps; ++i) {
    continue_ways(world, i);
    substep(world, step, executor);
  }
  c.solver.finish(world.bodies, executor);
  c.continuous.finish(world.bodies, c.shapes, c.shape_of, c.broad_phase.index(),
                      c.solver.joints().separate(), step, executor);
  c.crossings.find(c.continuous, {world.bodies, c.shapes, c.shape_of}, c.broad_phase.index(),
                   c.solver.joints().separate(), executor);
  add_crossings(world);
  break_overloaded_joints(world);
  finish_ways(world);
  return sum_of_body_hashes(world.bodies, executor) + hash_collision(world, executor);
}

}  // namespace orrery
