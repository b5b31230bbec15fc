// The formulas of free rotation: the implicit midpoint rule with Cayley rotations.
//
// Other files include this one inside a namespace. In integrate/rotation.h, T is double, float or
// long double. Elsewhere T is a vector of doubles, once for each instruction set. All these copies
// compute the same + - * / and square roots in the same order.
//
// The file includes nothing itself. It expects square_root(T), smaller(T, T) and larger(T, T), the
// epsilon precision_of(T), and two functions of a <= b: at_most(a, b, x, y) returns x in the lanes
// where it is true, and y in the others. all_at_most(a, b) returns true if it is true in all lanes.
//
// The free rigid body in body coordinates is L' = L x (L / I), q' = q (L / I) / 2. Let m be the
// median of the three 1 / I. The energy L . (L / I) / 2 is the energy m L . L / 2 of a ball plus a
// rest with the inverse moments b = 1 / I - m. The ball keeps L and turns about L by the angle
// h m |L| in a time h. It commutes with the rest, because the rest keeps |L|.
//
// The rest takes the midpoint rule: L1 - L0 = h M x (b M), where M = (L0 + L1) / 2. It keeps every
// quadratic invariant, so also |L| and the energy, at every h. It is time-reversible and of order
// 2. L turns by the Cayley rotation with the vector tau = h b M / 2, and the attitude by its
// inverse, so L in the world stays. If two moments are equal, only the component of tau along their
// axis is not 0, which keeps the spin about that axis exactly. Austin, Krishnaprasad, Wang, Almost
// Poisson integration of rigid body systems, J. Comput. Phys. 107 (1993).

// Newton's iteration for M ends after a step below the square root of the precision of |L|. The
// error is then about its square. For turns up to 1 rad it always ends. A body that needs more
// steps turns as the ball does. This keeps its energy and momentum, too.
constexpr int kCayleySteps = 8;

// Returns the median of three numbers.
template <class T>
[[gnu::always_inline]] inline T cayley_median(T a, T b, T c) {
  return larger(smaller(a, b), smaller(larger(a, b), c));
}

// Multiplies the quaternion by (tau, 1). The result does not have length 1.
template <class T>
[[gnu::always_inline]] inline void cayley_attitude(T tau_x, T tau_y, T tau_z, T& x, T& y, T& z,
                                                   T& w) {
  const T x0 = x, y0 = y, z0 = z, w0 = w;
  x = (x0 + w0 * tau_x) + (y0 * tau_z - z0 * tau_y);
  y = (y0 + w0 * tau_y) + (z0 * tau_x - x0 * tau_z);
  z = (z0 + w0 * tau_z) + (x0 * tau_y - y0 * tau_x);
  w = w0 - (x0 * tau_x + (y0 * tau_y + z0 * tau_z));
}

// Turns the attitude as a ball turns, where half_turn = h m / 2. Half the angle is t = half_turn
// |L|. The ball has most of the turn, so its tangent has one term more than in a Cayley rotation: t
// + t^3 / 3.
template <class T>
[[gnu::always_inline]] inline void cayley_ball(T half_turn, T l1, T l2, T l3, T& x, T& y, T& z,
                                               T& w) {
  const T square = (half_turn * half_turn) * ((l1 * l1 + l2 * l2) + l3 * l3);
  const T share = half_turn + half_turn * (square * T(1.0 / 3));
  cayley_attitude(share * l1, share * l2, share * l3, x, y, z, w);
}

// Finds the midpoint m of a step that starts at l. The equations are m1 + c1 m2 m3 = l1, and in a
// cycle for the other components, with c1 = h / 2 (1 / I2 - 1 / I3). Returns the square of the last
// step of the iteration.
template <class T>
[[gnu::always_inline]] inline T cayley_midpoint(T c1, T c2, T c3, T l1, T l2, T l3, T settled,
                                                T& m1, T& m2, T& m3) {
  m1 = l1;
  m2 = l2;
  m3 = l3;
  T moved = settled + settled + T(1);
  for (int i = 0; i < kCayleySteps && !all_at_most(moved, settled); ++i) {
    // The errors, and the derivatives of the equations: 1 for their own component.
    const T e1 = (m1 - l1) + c1 * (m2 * m3), e2 = (m2 - l2) + c2 * (m3 * m1);
    const T e3 = (m3 - l3) + c3 * (m1 * m2);
    const T d12 = c1 * m3, d13 = c1 * m2, d21 = c2 * m3;
    const T d23 = c2 * m1, d31 = c3 * m2, d32 = c3 * m1;
    const T a11 = T(1) - d23 * d32, a21 = d23 * d31 - d21, a31 = d21 * d32 - d31;
    const T share = T(1) / (a11 + (d12 * a21 + d13 * a31));
    const T s1 = share * (a11 * e1 + ((d13 * d32 - d12) * e2 + (d12 * d23 - d13) * e3));
    const T s2 = share * (a21 * e1 + ((T(1) - d13 * d31) * e2 + (d13 * d21 - d23) * e3));
    const T s3 = share * (a31 * e1 + ((d12 * d31 - d32) * e2 + (T(1) - d12 * d21) * e3));
    const T square = s1 * s1 + (s2 * s2 + s3 * s3);
    m1 = at_most(moved, settled, m1, m1 - s1);
    m2 = at_most(moved, settled, m2, m2 - s2);
    m3 = at_most(moved, settled, m3, m3 - s3);
    moved = at_most(moved, settled, moved, square);
  }
  return moved;
}

// Turns l by the inverse of the Cayley rotation with the vector tau: 2 atan(|tau|) about tau.
template <class T>
[[gnu::always_inline]] inline void cayley_turn(T tau_x, T tau_y, T tau_z, T& l1, T& l2, T& l3) {
  const T share = T(2) / (T(1) + (tau_x * tau_x + (tau_y * tau_y + tau_z * tau_z)));
  const T x = l2 * tau_z - l3 * tau_y, y = l3 * tau_x - l1 * tau_z, z = l1 * tau_y - l2 * tau_x;
  l1 = l1 + share * (x + (y * tau_z - z * tau_y));
  l2 = l2 + share * (y + (z * tau_x - x * tau_z));
  l3 = l3 + share * (z + (x * tau_y - y * tau_x));
}

// Advances the angular momentum l and the attitude x, y, z, w by a step h of free rotation.
// inverse_1, inverse_2 and inverse_3 are the inverse moments of inertia 1 / I.
template <class T>
[[gnu::always_inline]] inline void cayley_step(T h, T inverse_1, T inverse_2, T inverse_3, T& l1,
                                               T& l2, T& l3, T& x, T& y, T& z, T& w) {
  const T half = h * T(0.5), none(0.0);
  const T median = cayley_median(inverse_1, inverse_2, inverse_3);
  cayley_ball(half * median, l1, l2, l3, x, y, z, w);

  const T settled = precision_of(h) * (l1 * l1 + (l2 * l2 + l3 * l3));
  T m1(none), m2(none), m3(none);
  const T moved = cayley_midpoint(half * (inverse_2 - inverse_3), half * (inverse_3 - inverse_1),
                                  half * (inverse_1 - inverse_2), l1, l2, l3, settled, m1, m2, m3);
  const T tau_x = at_most(moved, settled, (half * (inverse_1 - median)) * m1, none);
  const T tau_y = at_most(moved, settled, (half * (inverse_2 - median)) * m2, none);
  const T tau_z = at_most(moved, settled, (half * (inverse_3 - median)) * m3, none);
  cayley_turn(tau_x, tau_y, tau_z, l1, l2, l3);
  cayley_attitude(tau_x, tau_y, tau_z, x, y, z, w);

  const T to_unit = T(1) / square_root((x * x + y * y) + (z * z + w * w));
  x = x * to_unit;
  y = y * to_unit;
  z = z * to_unit;
  w = w * to_unit;
}
