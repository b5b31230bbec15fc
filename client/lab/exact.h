// The exact solutions of the problems, with their energies and phases.
#pragma once

#include <optional>
#include <span>

#include "client/lab/problem.h"

namespace orrery::lab {

// Writes the state at time t. The error is a few units in the last place of Real, but grows when t
// is much longer than the time scale of the problem.
void exact_state(const Problem& problem, Real t, std::span<Real> x, std::span<Real> v);

// Returns the sum of kinetic and potential energy per unit mass. With drag, this sum falls with
// time. Returns nothing if the force depends on time.
std::optional<Real> energy(const Problem& problem, std::span<const Real> x,
                           std::span<const Real> v);

// Returns the angle of the motion: in the phase plane for linear problems that oscillate, in the
// plane of the orbit for kepler. Returns nothing for all other problems. The angle is from -pi to
// pi and grows with time, except for the jump from pi to -pi.
std::optional<Real> phase(const Problem& problem, std::span<const Real> x, std::span<const Real> v);

}  // namespace orrery::lab
