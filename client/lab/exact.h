// Owns the exact solutions of the problems, their energies and phases.
#pragma once

#include <optional>
#include <span>

#include "client/lab/problem.h"

namespace orrery::lab {

// The state of the problem at time t, to a few units in the last place of Real where t is not long
// against the problem's own time.
void exact_state(const Problem& problem, Real t, std::span<Real> x, std::span<Real> v);

// Kinetic and potential energy for unit mass; nothing where the force depends on time. With drag
// it is the mechanical energy, which falls.
std::optional<Real> energy(const Problem& problem, std::span<const Real> x,
                           std::span<const Real> v);

// The angle of the motion in its phase plane (for kepler: in the plane of the orbit), which grows
// with time; nothing where the motion does not go round.
std::optional<Real> phase(const Problem& problem, std::span<const Real> x, std::span<const Real> v);

}  // namespace orrery::lab
