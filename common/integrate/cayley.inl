// The formulas of free rotation: symmetric splitting with Cayley factors.
//
// Other files include this one inside a namespace. In integrate/rotation.h, T is double, float or
// long double. physics/motion/drift.cpp includes it once for each instruction set, with T a vector
// of doubles. All these copies therefore compute the same + - * / and square roots in the same
// order. The file includes nothing itself and expects square_root(T) to be declared.
//
// The free rigid body in body coordinates, L' = L x (L / I), splits into three rotations, each of
// which has an exact solution. In the rotation about body axis k for a time s, L_k is constant. The
// other two components turn by the angle s L_k / I_k. The Cayley factor replaces that angle by 2
// atan(tau), tau = s L_k / (2 I_k). The new angle still depends on L_k only, so each factor is the
// exact flow of a Hamiltonian. A step h rotates about axis 1 for h/2, 2 for h/2, 3 for h, 2 for h/2
// and 1 for h/2. This composition is therefore symplectic, time-reversible and of order 2, and it
// keeps |L|. Splitting: McLachlan 1993 and Reich 1994; Dullweber, Leimkuhler, McLachlan 1997.

// Turns the components (first, second) = (L_(k+1), L_(k+2)) about axis k, where along = L_k and
// half_rate = s / (2 I_k). Returns tau, the tangent of half the angle.
//
// With the sine sigma = 2 tau / (1 + tau^2), the cosine is 1 - sigma tau. Turning (a, b) then
// gives (a + sigma (b - tau a), b - sigma (a + tau b)). The formula takes one division and loses no
// precision at any angle.
template <class T>
[[gnu::always_inline]] inline T cayley_turn(T half_rate, T along, T& first, T& second) {
  const T tangent = half_rate * along;
  const T sine = (tangent + tangent) / (T(1) + tangent * tangent);
  const T toward_second = second - tangent * first;
  const T toward_first = first + tangent * second;
  first = first + sine * toward_second;
  second = second - sine * toward_first;
  return tangent;
}

// Multiply the quaternion by the factor of axis k = 1, 2, 3: q <- q (1, tau e_k), where e_k is the
// unit vector of the axis. The result does not have length 1; cayley_attitude() normalises it after
// all factors.
template <class T>
[[gnu::always_inline]] inline void cayley_attitude_1(T tangent, T& x, T& y, T& z, T& w) {
  const T x0 = x, y0 = y;
  x = x0 + w * tangent;
  y = y0 + z * tangent;
  z = z - y0 * tangent;
  w = w - x0 * tangent;
}

template <class T>
[[gnu::always_inline]] inline void cayley_attitude_2(T tangent, T& x, T& y, T& z, T& w) {
  const T x0 = x, y0 = y;
  x = x0 - z * tangent;
  y = y0 + w * tangent;
  z = z + x0 * tangent;
  w = w - y0 * tangent;
}

template <class T>
[[gnu::always_inline]] inline void cayley_attitude_3(T tangent, T& x, T& y, T& z, T& w) {
  const T x0 = x, z0 = z;
  x = x0 + y * tangent;
  y = y - x0 * tangent;
  z = z0 + w * tangent;
  w = w - z0 * tangent;
}

// Applies the five factors 1 2 3 2 1 of a step to the attitude, given their tangents. One square
// root and one division restore its length of 1.
template <class T>
[[gnu::always_inline]] inline void cayley_attitude(const T (&tangents)[5], T& x, T& y, T& z, T& w) {
  cayley_attitude_1(tangents[0], x, y, z, w);
  cayley_attitude_2(tangents[1], x, y, z, w);
  cayley_attitude_3(tangents[2], x, y, z, w);
  cayley_attitude_2(tangents[3], x, y, z, w);
  cayley_attitude_1(tangents[4], x, y, z, w);
  const T to_unit = T(1) / square_root((x * x + y * y) + (z * z + w * w));
  x = x * to_unit;
  y = y * to_unit;
  z = z * to_unit;
  w = w * to_unit;
}
