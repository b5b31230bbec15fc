// Rotations as turns: vectors along the axis, of length tan(angle / 2) (J. W. Gibbs, 1881).
//
// Turns need no trigonometric functions, and a turn of a small angle is half of its rotation
// vector.
#pragma once

#include "common/math/mat3.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"

namespace orrery::codec {

// A half turn would be infinite. Longer turns are cut to this length, which is an angle of 169
// degrees.
inline constexpr double kTurnMax = 10;
static_assert(kTurnMax > 1);  // a right angle is not cut

// Returns the turn of a unit quaternion.
inline Vec3 turn_of(const Quat& q) {
  const double sign = q.w < 0 ? -1 : 1;
  const double w = sign * q.w;
  const double scale = sign / (w < 1 / kTurnMax ? 1 / kTurnMax : w);
  return {scale * q.x, scale * q.y, scale * q.z};
}

// Returns the turn from one orientation to another, in world coordinates.
inline Vec3 turn_between(const Quat& from, const Quat& to) { return turn_of(to * conjugate(from)); }

// Returns the unit quaternion of a turn.
inline Quat rotation_of(const Vec3& turn) {
  const double w = 1 / square_root(1 + dot(turn, turn));
  return {w * turn.x, w * turn.y, w * turn.z, w};
}

// Returns the turn, cut to a length of kTurnMax.
inline Vec3 bounded_turn(const Vec3& turn) {
  const double square = dot(turn, turn);
  return square <= kTurnMax * kTurnMax ? turn : (kTurnMax / square_root(square)) * turn;
}

}  // namespace orrery::codec
