// Finds the springs and tethers that are too stiff for an explicit kick.
#pragma once

#include <cstdint>
#include <functional>

#include "common/physics/motion/forces.h"

namespace orrery::physics {

// The bound on h^2 times the largest eigenvalue of M^-1 K, where h is the step, M the masses and K
// the stiffness of all springs with an explicit kick. The explicit kick gains energy if that number
// exceeds 4. At 2 the energy of a single spring changes by at most a factor of 2 within a period,
// and returns.
inline constexpr double kExplicitTurnsMax = 2;

// Returns the largest inverse effective mass that the point `at` (body coordinates) of the body in
// a slot can have in any direction.
using Looseness = std::function<double(std::uint32_t slot, const Vec3& at)>;

// Sets `ahead` of each spring and tether: 0 if its kick is explicit, or h, the time between two
// kicks, if it is too stiff for that. The bound kExplicitTurnsMax holds for the springs with an
// explicit kick together (Gershgorin's theorem). The result depends on the springs and on
// `looseness`, not on the state.
// REQUIRES: h > 0, and forces.turns has an element for each slot.
void set_ahead(ForceSet& forces, double h, const Looseness& looseness);

}  // namespace orrery::physics
