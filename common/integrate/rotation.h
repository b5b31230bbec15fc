// The step of free rotation of one rigid body, for any scalar type.
#pragma once

#include "common/integrate/square_root.h"

namespace orrery::integrate {

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
// rounding. The energy error stays bounded over any number of steps, at about (h w)^2 / 140, where
// w is the spin. Stable at every h, because each factor is a rotation. A large h w costs accuracy
// of the angle: a factor for a step h rotates by 2 atan(h w / 2) instead of h w. A factor thus
// always rotates by less than 180 degrees.
template <class T>
inline void rotate_freely(RotationState<T>& state, const T (&inverse_inertia)[3], T h) {
  const T quarter = h / 4;
  const T half = h / 2;
  auto& [l, q] = state;
  auto& i = inverse_inertia;
  T tangents[5];
  tangents[0] = cayley_turn(quarter * i[0], l[0], l[1], l[2]);
  tangents[1] = cayley_turn(quarter * i[1], l[1], l[2], l[0]);
  tangents[2] = cayley_turn(half * i[2], l[2], l[0], l[1]);
  tangents[3] = cayley_turn(quarter * i[1], l[1], l[2], l[0]);
  tangents[4] = cayley_turn(quarter * i[0], l[0], l[1], l[2]);
  cayley_attitude(tangents, q[0], q[1], q[2], q[3]);
}

}  // namespace orrery::integrate
