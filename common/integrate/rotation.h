// The step of free rotation of one rigid body, for any scalar type.
#pragma once

#include <limits>

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
// Returns x if a <= b, and y if not.
template <class T>
constexpr T at_most(T a, T b, T x, T y) {
  return a <= b ? x : y;
}
// Returns true if a <= b.
template <class T>
constexpr bool all_at_most(T a, T b) {
  return a <= b;
}
// Returns the distance from 1 to the next larger number.
template <class T>
constexpr T precision_of(T) {
  return std::numeric_limits<T>::epsilon();
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

// Advances the state by h with the midpoint rule of cayley.inl. The equations are L' = L x (L / I)
// and q' = q (L / I) / 2, where `inverse_inertia` holds 1 / I of each principal axis.
//
// Order 2, time-reversible. The energy, |L| in body coordinates and q L q* in the world are kept to
// rounding at every h. If two moments are equal, so is the spin about the third axis. Stable at
// every h. A large h w costs accuracy of the angle, where w is the spin: a rotation for a step h
// turns by 2 atan(h w / 2) instead of h w, so always by less than 180 degrees.
template <class T>
inline void rotate_freely(RotationState<T>& state, const T (&inverse_inertia)[3], T h) {
  auto& [l, q] = state;
  auto& i = inverse_inertia;
  ORRERY_ASSERT(i[0] >= 0 && i[1] >= 0 && i[2] >= 0);
  cayley_step(h, i[0], i[1], i[2], l[0], l[1], l[2], q[0], q[1], q[2], q[3]);
}

}  // namespace orrery::integrate
