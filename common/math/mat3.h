// A 3x3 matrix of binary64 numbers, stored by columns.
#pragma once

#include "common/math/quat.h"

namespace orrery {

// A 3x3 matrix. Its columns x, y and z are the images of the unit vectors.
struct Mat3 {
  Vec3 x{1, 0, 0};
  Vec3 y{0, 1, 0};
  Vec3 z{0, 0, 1};

  friend constexpr bool operator==(const Mat3&, const Mat3&) = default;
};

constexpr Vec3 operator*(const Mat3& m, const Vec3& v) { return v.x * m.x + v.y * m.y + v.z * m.z; }
constexpr Mat3 operator*(const Mat3& a, const Mat3& b) { return {a * b.x, a * b.y, a * b.z}; }

// Returns the product of the transpose of m with v. If m is a rotation, this applies the inverse
// rotation.
constexpr Vec3 transposed_times(const Mat3& m, const Vec3& v) {
  return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}

// Returns the rotation matrix of a unit quaternion: rotation(q) * v = rotate(q, v) up to rounding.
// REQUIRES: q has length 1.
constexpr Mat3 rotation(const Quat& q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
          {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
          {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}};
}

}  // namespace orrery
