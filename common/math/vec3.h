// A three-component vector of binary64 numbers.
#pragma once

#include <algorithm>

namespace orrery {

// A vector, or a point, in three dimensions.
struct Vec3 {
  double x = 0;
  double y = 0;
  double z = 0;

  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

constexpr Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
constexpr Vec3 operator*(double s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
constexpr Vec3& operator+=(Vec3& a, const Vec3& b) { return a = a + b; }
constexpr Vec3& operator-=(Vec3& a, const Vec3& b) { return a = a - b; }

// Return the dot product, and the cross product a x b.
constexpr double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// Returns the vector of the products of corresponding components.
constexpr Vec3 scaled(const Vec3& a, const Vec3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
// Returns v with each component clamped to [-limit, limit].
// REQUIRES: limit >= 0.
constexpr Vec3 clamped(const Vec3& v, double limit) {
  return {std::clamp(v.x, -limit, limit), std::clamp(v.y, -limit, limit),
          std::clamp(v.z, -limit, limit)};
}
static_assert(clamped({5, -5, 1}, 2) == Vec3{2, -2, 1});

// Returns the IEEE 754 square root: correctly rounded, and one instruction on most processors.
inline double square_root(double x) { return __builtin_sqrt(x); }
// Returns the Euclidean length.
inline double length(const Vec3& a) { return square_root(dot(a, a)); }

}  // namespace orrery
