// Sums the energy and the momenta of a world, for checks of the laws of conservation.
#pragma once

#include "common/math/vec3.h"
#include "common/world/world.h"

namespace orrery {

// The sums of energy and momenta of a world. The units hold for scenes in SI.
struct Conserved {
  double energy = 0;      // kinetic energy, and potential energy of gravity, springs and tethers; J
  Vec3 momentum;          // kg m/s
  Vec3 angular_momentum;  // about the origin; kg m^2/s
};

// Returns false for scenes that set the length of a tick: they may use any units.
inline bool is_in_si(const Scene& scene) { return scene.tick_time_numerator == 0; }

// Returns true if the slot holds a rigid or point body. Sleeping bodies count; anchors and
// kinematic bodies do not.
bool has_mass(const World& world, std::uint32_t slot);

// Returns the kinetic energy plus the potential energy in uniform gravity, in J.
// REQUIRES: has_mass(world, slot).
double body_energy(const World& world, std::uint32_t slot);

// Returns the sums over all bodies with mass. The energy does not include the springs by which
// clients grab bodies, so it changes while a client pulls a body.
Conserved conserved(const World& world);

}  // namespace orrery
