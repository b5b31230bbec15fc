// Owns what a world without commands, contacts and drag would keep: energy and momenta.
#pragma once

#include "common/math/vec3.h"
#include "common/world/world.h"

namespace orrery {

// In the units given, where the scene is in SI.
struct Conserved {
  double energy = 0;      // kinetic, and of gravity, springs and tethers; J
  Vec3 momentum;          // kg m/s
  Vec3 angular_momentum;  // about the origin; kg m^2/s
};

// False of scenes that say how long a tick is: they may have any units.
inline bool is_in_si(const Scene& scene) { return scene.tick_time_numerator == 0; }

// Whether the slot holds a body that forces move, were it asleep: no anchor, and no kinematic one.
bool has_mass(const World& world, std::uint32_t slot);

// Kinetic and of gravity, of such a body; J.
double own_energy(const World& world, std::uint32_t slot);

// Of all of them. What a client holds has no energy of its own.
Conserved conserved(const World& world);

}  // namespace orrery
