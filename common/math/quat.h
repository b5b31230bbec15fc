// A quaternion [x, y, z, w] that rotates body coordinates into world coordinates.
#pragma once

#include "common/math/vec3.h"

namespace orrery {

// A quaternion with vector part (x, y, z) and scalar part w. The default is the identity.
struct Quat {
  double x = 0;
  double y = 0;
  double z = 0;
  double w = 1;

  friend constexpr bool operator==(const Quat&, const Quat&) = default;
};

// Returns the Hamilton product: the rotation by b, then by a.
constexpr Quat operator*(const Quat& a, const Quat& b) {
  return {
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

// Returns the conjugate: for a unit quaternion, the inverse rotation.
constexpr Quat conjugate(const Quat& q) { return {-q.x, -q.y, -q.z, q.w}; }

// Rotates v from body to world coordinates: v + 2w(u x v) + 2u x (u x v), where u is the vector
// part. REQUIRES: q has length 1.
constexpr Vec3 rotate(const Quat& q, const Vec3& v) {
  const Vec3 u{q.x, q.y, q.z};
  const Vec3 t = 2 * cross(u, v);
  return v + q.w * t + cross(u, t);
}

// Rotates v from world to body coordinates. REQUIRES: q has length 1.
constexpr Vec3 rotate_back(const Quat& q, const Vec3& v) { return rotate(conjugate(q), v); }

// Returns q scaled to length 1. REQUIRES: q is not zero.
inline Quat normalized(const Quat& q) {
  const double s = 1 / square_root(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {s * q.x, s * q.y, s * q.z, s * q.w};
}

}  // namespace orrery
