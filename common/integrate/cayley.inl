// Owns the formulas of free rotation by symmetric splitting with Cayley factors.
//
// Included into a namespace by integrate/rotation.h (T = double, float, long double) and by
// physics/drift.cpp once for each instruction set (T = a vector of doubles), so that every one of
// them computes the same + - * / and square root in the same order. Includes nothing itself;
// expects square_root(T) to be known.
//
// The free rigid body in body coordinates, L' = L x (L / I), splits into three rotations that are
// each solved exactly: about body axis k, L_k stays and the other two turn by the angle
// s L_k / I_k. The Cayley factor replaces that angle by 2 atan(tau), tau = s L_k / (2 I_k); as the
// angle still depends on L_k alone, each factor is the exact flow of a Hamiltonian, and
// 1(h/2) 2(h/2) 3(h) 2(h/2) 1(h/2) is symplectic, time-reversible, of order 2, and keeps |L|.
// McLachlan 1993 and Reich 1994 (the splitting); Dullweber, Leimkuhler, McLachlan 1997.

// Turns the components (first, second) = (L_(k+1), L_(k+2)) about axis k.
// half_rate = s / (2 I_k); along = L_k. Returns tau, the tangent of half the angle. With the sine
// sigma = 2 tau / (1 + tau^2) the cosine is 1 - sigma tau, so that the turned vector is
// (a + sigma (b - tau a), b - sigma (a + tau b)): one division, and no loss at any angle.
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

// q <- q (1, tau e_k) for k = 1, 2, 3: not of unit length; cayley_attitude() normalises once.
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

// The attitude after the turns 1 2 3 2 1 of a step, of which these are the tangents; one square
// root and one division make its length 1 again.
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
