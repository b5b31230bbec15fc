// Vectors, quaternions and diagonal inertia for any scalar type, for the rotation methods.
#pragma once

#include <array>

#include "common/integrate/rotation.h"
#include "common/integrate/system.h"

namespace orrery::integrate {

// A vector of three components.
template <class T>
using Triple = std::array<T, 3>;
// A quaternion with its scalar part last.
template <class T>
using Quaternion = std::array<T, 4>;  // x y z w

// Returns the cross product a x b.
template <class T>
constexpr Triple<T> cross(const Triple<T>& a, const Triple<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Returns the dot product.
template <class T>
constexpr T dot(const Triple<T>& a, const Triple<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Returns a + s b.
template <class T>
constexpr Triple<T> plus_scaled(const Triple<T>& a, T s, const Triple<T>& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}

// Returns the products of corresponding components. With the principal moments I and an angular
// velocity w, this is the momentum I w.
template <class T>
constexpr Triple<T> scaled(const Triple<T>& a, const Triple<T>& b) {
  return {a[0] * b[0], a[1] * b[1], a[2] * b[2]};
}

// Returns the quotients of corresponding components. With a momentum L and the principal moments I,
// this is the angular velocity L / I.
template <class T>
constexpr Triple<T> divided(const Triple<T>& a, const Triple<T>& b) {
  return {a[0] / b[0], a[1] / b[1], a[2] / b[2]};
}

// Returns the Hamilton product a b.
template <class T>
constexpr Quaternion<T> product(const Quaternion<T>& a, const Quaternion<T>& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
          a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

// Returns q scaled to length 1. REQUIRES: q is not zero.
template <class T>
Quaternion<T> normalized(const Quaternion<T>& q) {
  const T s = 1 / square_root(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return {s * q[0], s * q[1], s * q[2], s * q[3]};
}

// Returns v rotated by q. REQUIRES: q has length 1.
template <class T>
constexpr Triple<T> turned(const Quaternion<T>& q, const Triple<T>& v) {
  const Triple<T> u{q[0], q[1], q[2]};
  const Triple<T> half = cross(u, v);
  const Triple<T> second = cross(u, half);
  return plus_scaled(plus_scaled(v, 2 * q[3], half), T(2), second);
}

// Returns v rotated by the inverse of q. REQUIRES: q has length 1.
template <class T>
constexpr Triple<T> inverse_rotated(const Quaternion<T>& q, const Triple<T>& v) {
  return turned(Quaternion<T>{-q[0], -q[1], -q[2], q[3]}, v);
}

// Returns the rotation about w by the angle 2 atan(h |w| / 2), which differs from h |w| by a term
// of order h^3. It is the Cayley factor, the quaternion with scalar part 1 and vector part h w / 2,
// scaled to length 1. Multiplying q by it equals q + h/2 q w, normalised.
template <class T>
Quaternion<T> cayley_factor(const Triple<T>& w, T h) {
  return normalized(Quaternion<T>{w[0] * h / 2, w[1] * h / 2, w[2] * h / 2, T(1)});
}

// Returns the rotation about w by the angle h |w|.
template <class T>
Quaternion<T> exponential(const Triple<T>& w, T h, const Functions<T>& functions) {
  const T speed = square_root(dot(w, w));
  if (speed == 0) return {0, 0, 0, 1};
  const T angle = h * speed / 2;
  const T sine = functions.sin(angle) / speed;
  return {sine * w[0], sine * w[1], sine * w[2], functions.cos(angle)};
}

// Returns the derivative of the angular velocity of a free body in body coordinates: -I^-1
// (w x I w).
template <class T>
constexpr Triple<T> euler_acceleration(const Triple<T>& w, const Triple<T>& inertia) {
  return divided(cross(scaled(inertia, w), w), inertia);
}

// Returns the angular momentum in body coordinates.
template <class T>
Triple<T> momentum(const RotationState<T>& state) {
  return {state.l[0], state.l[1], state.l[2]};
}

// Returns the quaternion from body to world coordinates.
template <class T>
Quaternion<T> attitude(const RotationState<T>& state) {
  return {state.q[0], state.q[1], state.q[2], state.q[3]};
}

// Sets the momentum in body coordinates and the attitude.
template <class T>
void set(RotationState<T>& state, const Triple<T>& l, const Quaternion<T>& q) {
  for (std::size_t i = 0; i < 3; ++i) state.l[i] = l[i];
  for (std::size_t i = 0; i < 4; ++i) state.q[i] = q[i];
}

}  // namespace orrery::integrate
