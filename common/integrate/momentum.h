// Rotation with the angular momentum kept in world coordinates. This momentum is constant, so only
// the attitude is integrated.
//
// The equation is q' = w q / 2 with w = I(q)^-1 L. I(q) is the inertia in world coordinates, L the
// angular momentum and h the step. |L| and its direction are exact by construction. No method here
// keeps the energy, which shows that conserving L is not enough. The figures for energy come from a
// test with a free box of inertia 1, 2, 3 at h w = .083.
#pragma once

#include "common/integrate/rotation_algebra.h"

namespace orrery::integrate {

// The base of the methods of this file. It stores the angular momentum in world coordinates for all
// steps.
template <class T>
class WorldMomentum {
 public:
  // Stores the angular momentum in the world.
  void start(const RotationState<T>& state, const Triple<T>&, T) {
    l_ = turned(attitude(state), momentum(state));
  }

 protected:
  const Triple<T>& l() const { return l_; }

  // Returns the angular velocity in the world at the attitude q.
  Triple<T> angular_velocity(const Quaternion<T>& q, const Triple<T>& inertia) const {
    return turned(q, divided(inverse_rotated(q, l_), inertia));
  }

  // Sets the state to attitude q, with the stored momentum in body coordinates.
  void finish(RotationState<T>& state, const Quaternion<T>& q) const {
    set(state, inverse_rotated(q, l_), q);
  }

 private:
  Triple<T> l_{};
};

// w = I(q0)^-1 L, q1 = q0 + h/2 w q0 normalised: the inertia is that of the old attitude q0.
//
// Order 1. Energy grows until the body spins about its axis of least inertia; in the test, energy
// doubles in 60 s. Catto, "Numerical Methods" (GDC 2015).
template <class T>
class MomentumOldInertia : public WorldMomentum<T> {
 public:
  // Advances the state by h. `inertia` holds the principal moments of inertia.
  void step(RotationState<T>& state, const Triple<T>& inertia, T h) {
    const Quaternion<T> q = attitude(state);
    const Triple<T> w = this->angular_velocity(q, inertia);
    this->finish(state, normalized(product(cayley_factor(w, h), q)));
  }
};

// q1 = exp(h (w + h/2 w' + h^2/12 w' x w)) q0, w' = -I(q0)^-1 (w x L).
//
// Order 2. Energy grows without bound: 39 % in an hour. Buss, "Accurate and efficient simulation of
// rigid-body rotations", J. Comput. Phys. 164 (2000).
template <class T>
class BussAugmented : public WorldMomentum<T> {
 public:
  explicit BussAugmented(Functions<T> functions) : functions_(functions) {}

  // Advances the state by h. `inertia` holds the principal moments of inertia.
  void step(RotationState<T>& state, const Triple<T>& inertia, T h) {
    const Quaternion<T> q = attitude(state);
    const Triple<T> w = this->angular_velocity(q, inertia);
    const Triple<T> torque = cross(this->l(), w);
    const Triple<T> rate = turned(q, divided(inverse_rotated(q, torque), inertia));
    Triple<T> mean = plus_scaled(w, h / 2, rate);
    mean = plus_scaled(mean, h * h / 12, cross(rate, w));
    this->finish(state, normalized(product(exponential(mean, h, functions_), q)));
  }

 private:
  Functions<T> functions_;
};

// qm = exp(h/2 w(q0)) q0, q1 = exp(h w(qm)) q0: the explicit midpoint.
//
// Order 2. Energy grows without bound: 17 % in an hour.
template <class T>
class MomentumMidpoint : public WorldMomentum<T> {
 public:
  explicit MomentumMidpoint(Functions<T> functions) : functions_(functions) {}

  // Advances the state by h. `inertia` holds the principal moments of inertia.
  void step(RotationState<T>& state, const Triple<T>& inertia, T h) {
    const Quaternion<T> q = attitude(state);
    const Triple<T> w = this->angular_velocity(q, inertia);
    const Quaternion<T> middle = product(exponential(w, h / 2, functions_), q);
    const Triple<T> w_middle = this->angular_velocity(normalized(middle), inertia);
    this->finish(state, normalized(product(exponential(w_middle, h, functions_), q)));
  }

 private:
  Functions<T> functions_;
};

}  // namespace orrery::integrate
