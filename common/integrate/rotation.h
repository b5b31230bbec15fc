// The step of free rotation of one rigid body, for any scalar type.
#pragma once

#include "common/core/assert.h"
#include "common/integrate/square_root.h"

namespace orrery::integrate {

// Returns the smaller of two numbers.
template <class T>
constexpr T smaller(T a, T b) {
  return b < a ? b : a;
}
// Returns the larger of two numbers.
template <class T>
constexpr T larger(T a, T b) {
  return a < b ? b : a;
}

#include "common/integrate/cayley.inl"

// The rotation of a rigid body. `l` is the angular momentum in body coordinates, along the
// principal axes. `q` is the quaternion of length 1 that rotates body coordinates into world
// coordinates.
template <class T>
struct RotationState {
  T l[3];
  T q[4];  // x y z w
};

// Advances the state by h with the Cayley splitting of cayley.inl. The equations are L' = L x (L /
// I) and q' = q (L / I) / 2, where `inverse_inertia` holds 1 / I of each principal axis.
//
// Order 2, symplectic, time-reversible. |L| in body coordinates and q L q* in the world are kept to
// rounding. If two moments are equal, so is the spin about the third axis, and the energy. The
// energy error of other bodies stays bounded over any number of steps, at about (h w)^2 / 120,
// where w is the spin. Stable at every h, because each factor is a rotation. A large h w costs
// accuracy of the angle: a factor for a step h rotates by 2 atan(h w / 2) instead of h w. A factor
// thus always rotates by less than 180 degrees.
template <class T>
inline void rotate_freely(RotationState<T>& state, const T (&inverse_inertia)[3], T h) {
  auto& [l, q] = state;
  auto& i = inverse_inertia;
  ORRERY_ASSERT(i[0] >= 0 && i[1] >= 0 && i[2] >= 0);
  cayley_step(h, i[0], i[1], i[2], l[0], l[1], l[2], q[0], q[1], q[2], q[3]);
}

}  // namespace orrery::integrate
