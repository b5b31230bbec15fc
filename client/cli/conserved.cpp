// Owns how energy and momenta are summed up.
#include "client/cli/conserved.h"

#include <algorithm>
#include <vector>

namespace orrery {
namespace {

double stretch_energy(double length, double rest, double stiffness) {
  return stiffness * (length - rest) * (length - rest) / 2;
}

// A spring hangs on bodies of the scene, until they are removed.
bool is_there(const World& world, std::uint32_t scene_body) {
  return contains(world, make_body_id(scene_body, 0));
}

Vec3 point(const World& world, std::uint32_t slot, const Vec3& at) {
  return world.bodies.position(slot) + rotate(world.bodies.orientation(slot), at);
}

double spring_energy(const World& world) {
  double sum = 0;
  for (const SpringDef& s : world.scene.springs) {
    if (!is_there(world, s.a) || !is_there(world, s.b)) continue;
    const Vec3 between = point(world, s.a, s.at_a) - point(world, s.b, s.at_b);
    sum += stretch_energy(length(between), s.rest_length, s.stiffness);
  }
  for (const TetherDef& t : world.scene.tethers) {
    if (!is_there(world, t.body)) continue;
    const Vec3 between = point(world, t.body, t.at) - t.anchor;
    sum += stretch_energy(length(between), t.rest_length, t.stiffness);
  }
  return sum;
}

// Of the bodies in `slots` with each other, softened as the force is.
double mutual_energy(const World& world, const std::vector<std::uint32_t>& slots) {
  if (world.controls.gravitational_constant == 0) return 0;
  const double softening = world.scene.softening;
  double sum = 0;
  for (const std::uint32_t i : slots) {
    for (const std::uint32_t j : slots) {
      if (j >= i) break;
      const Vec3 between = world.bodies.position(i) - world.bodies.position(j);
      const double distance = square_root(dot(between, between) + softening * softening);
      sum -= 1 / (world.bodies.inverse_mass(i) * world.bodies.inverse_mass(j) * distance);
    }
  }
  return world.controls.gravitational_constant * sum;
}

}  // namespace

Conserved conserved(const World& world) {
  const Bodies& bodies = world.bodies;
  Conserved sum;
  std::vector<std::uint32_t> massive;
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (!bodies.alive(slot) || bodies.inverse_mass(slot) == 0) continue;
    massive.push_back(slot);
    const double mass = 1 / bodies.inverse_mass(slot);
    const double weight = mass * world.scene.bodies[world.controls.prototypes[slot]].gravity_scale;
    const Vec3 x = bodies.position(slot);
    const Vec3 v = bodies.velocity(slot);
    const Vec3 spin = bodies.angular_momentum(slot);  // in the axes of the body
    sum.energy += mass * dot(v, v) / 2 - weight * dot(world.controls.gravity, x) +
                  dot(spin, scaled(bodies.inverse_inertia(slot), spin)) / 2;
    sum.momentum += mass * v;
    sum.angular_momentum += mass * cross(x, v) + rotate(bodies.orientation(slot), spin);
  }
  sum.energy += spring_energy(world) + mutual_energy(world, massive);
  return sum;
}

}  // namespace orrery
