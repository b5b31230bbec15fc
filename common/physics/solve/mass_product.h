// Multiplies changes of the velocities of a body, with its mass and inertia.
#pragma once

#include <cstdint>

#include "common/physics/body/bodies.h"
#include "common/physics/body/body_rows.h"

namespace orrery::physics {

// Returns x - y for the velocities of a body. The other numbers are from x.
inline SolverBody difference(const SolverBody& x, const SolverBody& y) {
  SolverBody d = x;
  for (int k = 0; k < 6; ++k) d.at[k] -= y.at[k];
  return d;
}

// Returns x M y for changes of the velocities of a body, with its matrix of masses M. A fixed body
// counts as 0.
inline double mass_product(const Bodies& bodies, std::uint32_t slot, const SolverBody& x,
                           const SolverBody& y) {
  const auto linear = [](const SolverBody& of) { return Vec3{of.at[0], of.at[1], of.at[2]}; };
  const auto angular = [](const SolverBody& of) { return Vec3{of.at[3], of.at[4], of.at[5]}; };
  const double per_mass = bodies.inverse_mass(slot);
  if (per_mass == 0) return 0;
  const Quat to_body = conjugate(bodies.orientation(slot));
  const Vec3 u = rotate(to_body, angular(x)), w = rotate(to_body, angular(y));
  const Vec3 inverse = bodies.inverse_inertia(slot);
  const auto part = [](double a, double b, double per) { return per > 0 ? a * b / per : 0; };
  return dot(linear(x), linear(y)) / per_mass +
         (part(u.x, w.x, inverse.x) + part(u.y, w.y, inverse.y) + part(u.z, w.z, inverse.z));
}

}  // namespace orrery::physics
