// Computes the energy and momentum of a world, for tests only.
#pragma once

#include "common/world/world.h"

namespace orrery::test {

// Returns the kinetic energy of all awake bodies with a finite mass, in J.
inline double kinetic_energy(const World& world) {
  double sum = 0;
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    const double inverse_mass = world.bodies().inverse_mass(slot);
    if (!world.bodies().alive(slot) || inverse_mass == 0) continue;
    const Vec3 v = world.bodies().velocity(slot);
    const Vec3 l = world.bodies().angular_momentum(slot);
    sum += dot(v, v) / inverse_mass / 2;
    sum += dot(l, scaled(world.bodies().inverse_inertia(slot), l)) / 2;
  }
  return sum;
}

// Returns the potential energy of uniform gravity, mutual gravity, and the scene's springs and
// tethers, in J. Spawned bodies do not count. REQUIRES: no body of the scene was removed; if there
// is mutual gravity, there are no anchors and no softening.
inline double potential_energy(const World& world) {
  const auto point = [&](std::uint32_t slot, const Vec3& at) {
    return world.bodies().position(slot) + rotate(world.bodies().orientation(slot), at);
  };
  double sum = 0;
  for (const SpringDef& s : world.scene().springs) {
    const double x = length(point(s.a, s.at_a) - point(s.b, s.at_b)) - s.rest_length;
    sum += s.stiffness * x * x / 2;
  }
  for (const TetherDef& t : world.scene().tethers) {
    const double x = length(point(t.body, t.at) - t.anchor) - t.rest_length;
    sum += t.stiffness * x * x / 2;
  }
  for (std::uint32_t i = 0; i < world.scene().bodies.size(); ++i) {
    const BodyDef& body = world.scene().bodies[i];
    if (body.kind == BodyKind::anchor) continue;
    sum -=
        body.mass * body.gravity_scale * dot(world.controls().gravity, world.bodies().position(i));
    if (world.controls().gravitational_constant == 0) continue;
    for (std::uint32_t j = 0; j < i; ++j) {
      sum -= world.controls().gravitational_constant * body.mass * world.scene().bodies[j].mass /
             length(world.bodies().position(i) - world.bodies().position(j));
    }
  }
  return sum;
}

inline double total_energy(const World& world) {
  return kinetic_energy(world) + potential_energy(world);
}

// Returns the angular momentum about the origin, in kg m²/s. REQUIRES: no body spins.
inline Vec3 orbital_momentum(const World& world) {
  Vec3 sum;
  for (std::uint32_t i = 0; i < world.scene().bodies.size(); ++i) {
    sum += world.scene().bodies[i].mass *
           cross(world.bodies().position(i), world.bodies().velocity(i));
  }
  return sum;
}

}  // namespace orrery::test
