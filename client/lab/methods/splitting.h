// Free rotation with Cayley rotations, by splitting with sine and cosine, and of order 4.
//
// Splitting: the equation of free rotation is a sum of three terms. Each term alone rotates the
// body about one of its axes at a constant rate. The figures below were measured over a simulated
// hour with a free box of inertia 1, 2, 3 at h w = .083, where w is its angular velocity.
#pragma once

#include "client/lab/methods/composition.h"
#include "common/integrate/rotation_algebra.h"

namespace orrery::integrate {

// The step of rotation.h as a method: the rotation of a ball with the median moment, then the
// midpoint rule for the rest.
//
// Order 2, time-reversible. Relative error at most 2e-13 for the energy and for |L|. It uses no
// sine or cosine and gives the same bits everywhere.
template <class T>
class CayleyMidpoint : public Stateless {
 public:
  // Advances the state by h. `inertia` holds the principal moments of inertia.
  void step(RotationState<T>& state, const Triple<T>& inertia, T h) {
    rotate_freely(state, {1 / inertia[0], 1 / inertia[1], 1 / inertia[2]}, h);
  }
};

// Exact rotations: with the sine and cosine of the angle s L_k / I_k about axis k, where s is h or
// h/2. Symplectic. Relative energy error at most 5e-5, bounded.
//
// McLachlan, Physical Review Letters 71 (1993); Reich 1994; Touma, Wisdom 1994; Dullweber,
// Leimkuhler, McLachlan, J. Chem. Phys. 107 (1997).
template <class T>
class TrigonometricSplitting : public Stateless {
 public:
  explicit TrigonometricSplitting(Functions<T> functions) : functions_(functions) {}

  // Advances the state by h. `inertia` holds the principal moments of inertia.
  void step(RotationState<T>& state, const Triple<T>& inertia, T h) {
    Triple<T> l = momentum(state);
    Quaternion<T> q = attitude(state);
    for (const auto& [axis, part] : kTurns) turn(axis, part * h / inertia[axis], l, q);
    set(state, l, normalized(q));
  }

 private:
  struct Turn {
    std::size_t axis;
    T part;
  };
  static constexpr Turn kTurns[5] = {{0, T(0.5)}, {1, T(0.5)}, {2, T(1)}, {1, T(0.5)}, {0, T(0.5)}};

  // Turns l and q by the angle rate * l[axis] about the body axis number `axis`.
  void turn(std::size_t axis, T rate, Triple<T>& l, Quaternion<T>& q) const {
    const std::size_t i = (axis + 1) % 3;
    const std::size_t j = (axis + 2) % 3;
    const T angle = rate * l[axis];
    const T cosine = functions_.cos(angle);
    const T sine = functions_.sin(angle);
    const T first = l[i];
    l[i] = cosine * first + sine * l[j];
    l[j] = cosine * l[j] - sine * first;
    Quaternion<T> factor{0, 0, 0, functions_.cos(angle / 2)};
    factor[axis] = functions_.sin(angle / 2);
    q = product(q, factor);
  }

  Functions<T> functions_;
};

// Five steps of CayleyMidpoint with the step lengths of Suzuki4.
//
// Order 4, time-reversible. Relative energy error at most 1e-13. Suzuki, Physics Letters A 146
// (1990).
template <class T>
class CayleyMidpoint4 : public Stateless {
 public:
  // Advances the state by h. `inertia` holds the principal moments of inertia.
  void step(RotationState<T>& state, const Triple<T>& inertia, T h) {
    for (const T part : detail::suzuki_steps<T>()) {
      rotate_freely(state, {1 / inertia[0], 1 / inertia[1], 1 / inertia[2]}, part * h);
    }
  }
};

}  // namespace orrery::integrate
