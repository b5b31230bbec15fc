// Sums energy and momenta over the bodies and springs of a world.
#include "common/world/report/conserved.h"

#include <algorithm>
#include <vector>

#include "common/world/commands/body_changes.h"

namespace orrery {
namespace {

double stretch_energy(double length, double rest, double stiffness) {
  return stiffness * (length - rest) * (length - rest) / 2;
}

// Returns true if the scene body still exists. Springs and tethers end when their body is removed.
bool is_there(const World& world, std::uint32_t scene_body) {
  return contains(world, make_body_id(scene_body, 0));
}

Vec3 point(const World& world, std::uint32_t slot, const Vec3& at) {
  return world.bodies().position(slot) + rotate(world.bodies().orientation(slot), at);
}

double spring_energy(const World& world) {
  double sum = 0;
  for (const SpringDef& s : world.scene().springs) {
    if (!is_there(world, s.a) || !is_there(world, s.b)) continue;
    const Vec3 between = point(world, s.a, s.at_a) - point(world, s.b, s.at_b);
    sum += stretch_energy(length(between), s.rest_length, s.stiffness);
  }
  for (const TetherDef& t : world.scene().tethers) {
    if (!is_there(world, t.body)) continue;
    const Vec3 between = point(world, t.body, t.at) - t.anchor;
    sum += stretch_energy(length(between), t.rest_length, t.stiffness);
  }
  return sum;
}

// Returns the potential energy of mutual gravity, with the same softening as the force.
double mutual_energy(const World& world) {
  if (world.controls().gravitational_constant == 0) return 0;
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (has_mass(world, slot)) slots.push_back(slot);
  }
  const double softening = world.scene().softening;
  double sum = 0;
  for (const std::uint32_t i : slots) {
    for (const std::uint32_t j : slots) {
      if (j >= i) break;
      const Vec3 between = world.bodies().position(i) - world.bodies().position(j);
      const double distance = square_root(dot(between, between) + softening * softening);
      sum -= prototype_of(world, i).mass * prototype_of(world, j).mass / distance;
    }
  }
  return world.controls().gravitational_constant * sum;
}

}  // namespace

bool has_mass(const World& world, std::uint32_t slot) {
  return world.bodies().alive(slot) && is_dynamic(prototype_of(world, slot).kind);
}

double body_energy(const World& world, std::uint32_t slot) {
  const physics::Bodies& bodies = world.bodies();
  ORRERY_ASSERT(has_mass(world, slot));
  const BodyDef& def = prototype_of(world, slot);
  const Vec3 v = bodies.velocity(slot);
  const Vec3 spin = bodies.angular_momentum(slot);  // body axes
  return def.mass * dot(v, v) / 2 + dot(spin, scaled(bodies.inverse_inertia(slot), spin)) / 2 -
         def.mass * gravity_scale_of(world, slot) *
             dot(world.controls().gravity, bodies.position(slot));
}

Conserved conserved(const World& world) {
  const physics::Bodies& bodies = world.bodies();
  Conserved sum;
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (!has_mass(world, slot)) continue;
    const Vec3 momentum = prototype_of(world, slot).mass * bodies.velocity(slot);
    sum.energy += body_energy(world, slot);
    sum.momentum += momentum;
    sum.angular_momentum += cross(bodies.position(slot), momentum) +
                            rotate(bodies.orientation(slot), bodies.angular_momentum(slot));
  }
  sum.energy += spring_energy(world) + mutual_energy(world);
  return sum;
}

}  // namespace orrery
