// Derives the forces of a world from the scene, the living bodies and the controls.
#include "common/world/world_forces.h"

#include <algorithm>

#include "common/physics/motion/force_points.h"
#include "common/physics/motion/stiff_springs.h"

namespace orrery {
namespace {

// Returns true if the slot still holds the body that the scene put there.
bool original(const World& world, std::uint32_t slot) {
  return world.bodies().alive(slot) && world.controls().generations[slot] == 0;
}

// Returns physics::Looseness from the scene body, because a sleeping body has no inverse mass.
double looseness(const World& world, std::uint32_t slot, const Vec3& at) {
  ORRERY_ASSERT(world.bodies().alive(slot));
  const BodyDef& def = prototype_of(world, slot);
  if (!is_dynamic(def.kind)) return 0;
  const Vec3 inertia = momentum_inertia(def);
  const double least = std::min({inertia.x, inertia.y, inertia.z});
  return 1 / def.mass + (least > 0 ? dot(at, at) / least : 0);
}

}  // namespace

void rebuild_population(MutableWorld& world) {
  ORRERY_ASSERT(world.controls.generations.size() == world.bodies.capacity());
  physics::ForceSet& forces = world.forces;
  forces.springs.clear();
  for (const SpringDef& s : world.scene.springs) {
    if (!original(world, s.a) || !original(world, s.b)) continue;
    forces.springs.push_back({s.a, s.b, body_point(world, s.a, s.at_a),
                              body_point(world, s.b, s.at_b), s.stiffness, s.damping, s.rest_length,
                              0});
  }
  forces.tethers.clear();
  for (const TetherDef& t : world.scene.tethers) {
    if (!original(world, t.body)) continue;
    forces.tethers.push_back({t.body, body_point(world, t.body, t.at), t.anchor, t.stiffness,
                              t.damping, t.rest_length, 0});
  }
  forces.dragged.clear();
  forces.attractors.clear();
  const bool may_attract = world.bodies.capacity() <= limits::kGravitatingBodiesMax;
  const double* const linear_drag = world.bodies.field(physics::BodyField::linear_drag);
  const double* const quadratic_drag = world.bodies.field(physics::BodyField::quadratic_drag);
  for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
    if (!world.bodies.alive(slot)) continue;
    if (may_attract) {
      const BodyDef& def = prototype_of(world, slot);
      forces.attractors.push_back({slot, def.mass});
    }
    if (linear_drag[slot] != 0 || quadratic_drag[slot] != 0) {
      forces.dragged.push_back({slot, linear_drag[slot], quadratic_drag[slot], linear_drag[slot]});
    }
  }
  if (is_kinematic(world.scene.integrator))
    world.flight.take_springs_and_drag(world.bodies, forces);
  if (!has_negative_substeps(world.scene.integrator) && !has_stages(world.scene.integrator)) {
    physics::set_ahead(forces, world.substep_time,
                       [&](auto slot, const Vec3& at) { return looseness(world, slot, at); });
  }
  forces.damps_implicitly = world.collision.has_value();
  const auto damped = [](const auto& spring) { return spring.damping != 0 || spring.ahead != 0; };
  forces.damped = !forces.dragged.empty() ||
                  std::any_of(forces.springs.begin(), forces.springs.end(), damped) ||
                  std::any_of(forces.tethers.begin(), forces.tethers.end(), damped);
}

void rebuild_commanded(MutableWorld& world) {
  ORRERY_ASSERT(world.controls.thrusts.size() <= limits::kThrustsMax);
  physics::ForceSet& forces = world.forces;
  forces.gravitational_constant = world.controls.gravitational_constant;
  forces.softening = world.scene.softening;
  forces.held.clear();
  for (const HeldThrust& t : world.controls.thrusts) {
    forces.held.push_back({slot_of(t.body), widen(t.force), widen(t.torque)});
  }
  forces.thrusters.clear();  // limit_thrusts() fills them before each kick
  forces.grips.clear();
  for (const Client& c : world.controls.clients) {
    if (!c.grabbing) continue;
    forces.grips.push_back({slot_of(c.grabbed), widen(c.grab_at), widen(c.grab_target),
                            physics::kTau * world.scene.grab_frequency,
                            world.scene.grab_acceleration_max});
  }
}

void rebuild_forces(MutableWorld& world) {
  ORRERY_ASSERT(world.controls.clients.size() <= limits::kClientsMax);
  physics::ForceSet& forces = world.forces;
  forces.springs.reserve(world.scene.springs.size());
  forces.tethers.reserve(world.scene.tethers.size());
  if (!world.scene.springs.empty() || !world.scene.tethers.empty())
    forces.turns.assign(world.bodies.capacity(), 0);
  forces.dragged.reserve(world.bodies.capacity());
  forces.attractors.reserve(std::min(world.bodies.capacity(), limits::kGravitatingBodiesMax));
  forces.held.reserve(limits::kThrustsMax);
  forces.thrusters.reserve(limits::kThrustsMax);
  forces.grips.reserve(limits::kClientsMax + world.scene.scripts.size());
  forces.pulls.reserve(world.scene.scripts.size() * world.bodies.capacity());
  rebuild_population(world);
  rebuild_commanded(world);
}

}  // namespace orrery
