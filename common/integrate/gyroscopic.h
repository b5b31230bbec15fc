// Rotation by angular velocity, with four treatments of the gyroscopic torque: explicit, dropped,
// implicit, and implicit at the midpoint.
//
// Each method solves Euler's equations I w' = -w x I w in body coordinates, the second one without
// the right side, and then rotates the attitude q by w. w is the angular velocity, I the inertia
// (`inertia`, about the principal axes), L = I w the angular momentum and h the step. h w is the
// angle of a step in radians. All figures for energy and momentum come from one test: a free box of
// inertia 1, 2, 3 at h w = .083, for an hour of simulated time.
#pragma once

#include "common/integrate/rotation_algebra.h"

namespace orrery::integrate {

// w1 = w0 - h I^-1 (w0 x I w0), q1 = q0 + h/2 q0 w1 normalised: semi-implicit Euler.
//
// Order 1. The change of L in a step is perpendicular to L, so |L| grows in every step
// with a gyroscopic torque, and the method diverges at every h. The test box diverges after 88 s.
// Catto, "Numerical Methods" (GDC 2015).
template <class T>
class ExplicitGyroscopic : public Stateless {
 public:
  // Advances the state by h. `inertia` holds the principal moments of inertia.
  void step(RotationState<T>& state, const Triple<T>& inertia, T h) {
    Triple<T> w = divided(momentum(state), inertia);
    w = plus_scaled(w, h, euler_acceleration(w, inertia));
    set(state, scaled(inertia, w), normalized(product(attitude(state), cayley_factor(w, h))));
  }
};

// w1 = w0, q1 = q0 + h/2 q0 w1 normalised: the gyroscopic torque is left out.
//
// Not consistent: it solves another equation, w' = 0, in which bodies never tumble. It keeps the
// energy and |L|, but not the direction of L in the world. Catto, "Numerical Methods" (GDC 2015).
template <class T>
class DroppedGyroscopic : public Stateless {
 public:
  // Advances the state by h. `inertia` holds the principal moments of inertia.
  void step(RotationState<T>& state, const Triple<T>& inertia, T h) {
    const Triple<T> l = momentum(state);
    set(state, l, normalized(product(attitude(state), cayley_factor(divided(l, inertia), h))));
  }
};

// Returns the result of one Newton step, from the guess `w1`, for the equation of backward Euler:
// I (w1 - w) + h w1 x I w1 = 0. `w` is the velocity at the start of the step of length h.
//
// The result is w1 - J^-1 (I (w1 - w) + h w1 x I w1). The Jacobian is J = I + h (skew(w1) I -
// skew(I w1)). skew(a) is the matrix with skew(a) b = a x b.
template <class T>
Triple<T> newton_gyroscopic(const Triple<T>& w, const Triple<T>& w1, const Triple<T>& inertia,
                            T h) {
  const Triple<T> l = scaled(inertia, w1);
  const Triple<T> torque = cross(w1, l);
  const Triple<T> rows[3] = {
      {inertia[0], h * (l[2] - w1[2] * inertia[1]), h * (w1[1] * inertia[2] - l[1])},
      {h * (w1[2] * inertia[0] - l[2]), inertia[1], h * (l[0] - w1[0] * inertia[2])},
      {h * (l[1] - w1[1] * inertia[0]), h * (w1[0] * inertia[1] - l[0]), inertia[2]}};
  Triple<T> f;
  for (std::size_t i = 0; i < 3; ++i) f[i] = inertia[i] * (w1[i] - w[i]) + h * torque[i];
  // Cramer's rule: the columns of the inverse are cross products of the rows.
  const Triple<T> c0 = cross(rows[1], rows[2]);
  const Triple<T> c1 = cross(rows[2], rows[0]);
  const Triple<T> c2 = cross(rows[0], rows[1]);
  const T scale = 1 / dot(rows[0], c0);
  Triple<T> out;
  for (std::size_t i = 0; i < 3; ++i) {
    out[i] = w1[i] - scale * (c0[i] * f[0] + c1[i] * f[1] + c2[i] * f[2]);
  }
  return out;
}

// Backward Euler for the torque. Solves I (w1 - w0) + h w1 x I w1 = 0 by `iterations` Newton steps
// from w0. Then q1 = q0 + h/2 q0 w1, normalised.
//
// Order 1. Dissipative: the test box loses 98 % of its energy and 81 % of |L|, but its number of
// flips is right. One iteration is as good as many while h w < .25. With larger steps one
// iteration can add energy, for slender bodies from h w = .3. Catto, "Numerical Methods" (GDC
// 2015).
template <class T>
class ImplicitGyroscopic : public Stateless {
 public:
  explicit ImplicitGyroscopic(int iterations = 1) : iterations_(iterations) {
    ORRERY_ASSERT(iterations >= 1);
  }

  // Advances the state by h. `inertia` holds the principal moments of inertia.
  void step(RotationState<T>& state, const Triple<T>& inertia, T h) {
    const Triple<T> w0 = divided(momentum(state), inertia);
    Triple<T> w = newton_gyroscopic(w0, w0, inertia, h);
    for (int i = 1; i < iterations_; ++i) w = newton_gyroscopic(w0, w, inertia, h);
    set(state, scaled(inertia, w), normalized(product(attitude(state), cayley_factor(w, h))));
  }

 private:
  int iterations_;
};

// w1 = w0 - J^-1 h w0 x I w0 with J = I + h/2 (skew(w0) I - skew(I w0)). q is rotated by the mean
// of w0 and w1. The method is one Newton step of ImplicitGyroscopic, applied about the middle of
// the step.
//
// Order 2. The test box keeps its energy within 6e-4 and |L| within 3e-4, without visible drift;
// neither is exact. In body coordinates, L rotates by nearly the Cayley factor of the mean. q is
// rotated by the same factor, so the direction of L in the world stays within 4e-7 rad. (Rotating q
// by the exponential gives 8e-4 rad instead, but a ten times smaller error of the angle about L.)
// The method is a linearly implicit midpoint rule (Rosenbrock 1963).
template <class T>
class ImplicitGyroscopicMidpoint : public Stateless {
 public:
  // Advances the state by h. `inertia` holds the principal moments of inertia.
  void step(RotationState<T>& state, const Triple<T>& inertia, T h) {
    const Triple<T> w0 = divided(momentum(state), inertia);
    // A step of h/2 gives w at the middle of the step. Twice the change up to there gives w at the
    // end.
    const Triple<T> middle = newton_gyroscopic(w0, w0, inertia, h / 2);
    const Triple<T> w1 = plus_scaled(middle, T(1), plus_scaled(middle, T(-1), w0));
    set(state, scaled(inertia, w1), normalized(product(attitude(state), cayley_factor(middle, h))));
  }
};

}  // namespace orrery::integrate
