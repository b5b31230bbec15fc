// The formulas of free rotation: symmetric splitting with Cayley factors.
//
// Other files include this one inside a namespace. In integrate/rotation.h, T is double, float or
// long double. physics/motion/drift.cpp includes it once for each instruction set, with T a vector
// of doubles. All these copies therefore compute the same + - * / and square roots in the same
// order. The file includes nothing itself and expects square_root(T), smaller(T, T) and
// larger(T, T) to be declared.
//
// The free rigid body in body coordinates, L' = L x (L / I), has the energy L . (L / I) / 2. Let m
// be the median of the three 1 / I. It is the energy of a ball, m L . L / 2, plus three
// terms (1 / I_k - m) L_k^2 / 2. Each part has an exact solution:
//
// - The ball keeps L and turns about L by the angle s m |L| in a time s. It commutes with the other
//   parts, because they keep |L|.
// - In the rotation about body axis k for a time s, L_k is constant. The other two components turn
//   by the angle s L_k (1 / I_k - m). One of the three terms is 0. If two moments of a body are
//   equal, only the term of its axis is left, which keeps the spin about that axis exactly.
//
// The Cayley factor replaces an angle by 2 atan(tau), where tau is half the angle. The ball, which
// turns most, takes tau + tau^3 / 3 instead of tau. The new angle still depends on L_k only, or on
// |L| only, so each factor is the exact flow of a Hamiltonian. A
// step h is the ball for h, then rotates about axis 1 for h/2, 2 for h/2, 3 for h, 2 for h/2 and 1
// for h/2. This composition is therefore symplectic, time-reversible and of order 2, and it keeps
// |L|. Splitting: McLachlan 1993 and Reich 1994; Dullweber, Leimkuhler, McLachlan 1997.

// Returns the median of three numbers.
template <class T>
[[gnu::always_inline]] inline T cayley_median(T a, T b, T c) {
  return larger(smaller(a, b), smaller(larger(a, b), c));
}

// Multiplies the quaternion by the factor of the ball: q <- q (1, tau). Half the angle of the turn
// is half_turn = h m / 2 times L. The result does not have length 1; cayley_attitude() normalises
// it.
template <class T>
[[gnu::always_inline]] inline void cayley_ball(T half_turn, T l1, T l2, T l3, T& x, T& y, T& z,
                                               T& w) {
  const T square = (half_turn * half_turn) * ((l1 * l1 + l2 * l2) + l3 * l3);
  const T share = half_turn + half_turn * (square * T(1.0 / 3));
  const T tau_x = share * l1, tau_y = share * l2, tau_z = share * l3;
  const T x0 = x, y0 = y, z0 = z, w0 = w;
  x = (x0 + w0 * tau_x) + (y0 * tau_z - z0 * tau_y);
  y = (y0 + w0 * tau_y) + (z0 * tau_x - x0 * tau_z);
  z = (z0 + w0 * tau_z) + (x0 * tau_y - y0 * tau_x);
  w = w0 - (x0 * tau_x + (y0 * tau_y + z0 * tau_z));
}

// Turns the components (first, second) = (L_(k+1), L_(k+2)) about axis k, where along = L_k and
// half_rate = s (1 / I_k - m) / 2. Returns tau, the tangent of half the angle.
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

// Advances the angular momentum l and the attitude x, y, z, w by a step h of free rotation.
// inverse_1, inverse_2 and inverse_3 are the inverse moments of inertia 1 / I.
template <class T>
[[gnu::always_inline]] inline void cayley_step(T h, T inverse_1, T inverse_2, T inverse_3, T& l1,
                                               T& l2, T& l3, T& x, T& y, T& z, T& w) {
  const T half = h * T(0.5), quarter = h * T(0.25);
  const T median = cayley_median(inverse_1, inverse_2, inverse_3);
  cayley_ball(half * median, l1, l2, l3, x, y, z, w);
  const T rate_1 = quarter * (inverse_1 - median);
  const T rate_2 = quarter * (inverse_2 - median);
  T tangents[5];
  tangents[0] = cayley_turn(rate_1, l1, l2, l3);
  tangents[1] = cayley_turn(rate_2, l2, l3, l1);
  tangents[2] = cayley_turn(half * (inverse_3 - median), l3, l1, l2);
  tangents[3] = cayley_turn(rate_2, l2, l3, l1);
  tangents[4] = cayley_turn(rate_1, l1, l2, l3);
  cayley_attitude(tangents, x, y, z, w);
}
