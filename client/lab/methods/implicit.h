// Implicit methods: backward Euler, trapezoidal rule, implicit midpoint and Newmark-beta, with a
// shared Newton iteration.
//
// The unknown of each method is one acceleration A = a(t', X + p A, V + q A). Each method chooses
// the time t', the known vectors X and V, and the numbers p and q, which depend on h. Newton's
// iteration solves this equation for A with the Jacobian I - p da/dx - q da/dv. For linear forces
// the first iteration gives the solution. A second one confirms it.
//
// h is the step, and w the angular frequency of the oscillator x'' = -w^2 x.
#pragma once

#include <algorithm>
#include <limits>

#include "client/lab/methods/linear_solve.h"
#include "common/integrate/system.h"

namespace orrery::integrate {

// A solver of A = a(t, X + p A, V + q A), accurate to rounding. If the step is much too large there
// may be no solution nearby. solve() then stops when a correction is not smaller than the one
// before, or after kIterationsMax iterations.
template <class T>
class AccelerationSolver {
 public:
  explicit AccelerationSolver(std::size_t dimension)
      : known_x(dimension),
        known_v(dimension),
        a(dimension),
        x_(dimension),
        v_(dimension),
        residual_(dimension),
        by_x_(dimension * dimension),
        by_v_(dimension * dimension) {}

  // Replaces `a`, which holds a first guess, by the solution. REQUIRES: known_x and known_v hold X
  // and V.
  void solve(SystemWithJacobian<T> auto& system, T t, T p, T q) {
    T last = 0;
    for (int i = 0; i < kIterationsMax; ++i) {
      const T correction = iterate(system, t, p, q);
      // Newton's corrections shrink until only rounding is left: then stop.
      if (correction <= 4 * std::numeric_limits<T>::epsilon()) return;
      if (i > 1 && correction >= last) return;
      last = correction;
    }
  }

  // X, V and A of the equation.
  std::vector<T> known_x, known_v, a;

 private:
  static constexpr int kIterationsMax = 50;

  // Makes one correction. Returns its largest component, relative to the largest component of A.
  T iterate(SystemWithJacobian<T> auto& system, T t, T p, T q) {
    const std::size_t n = a.size();
    for (std::size_t i = 0; i < n; ++i) {
      x_[i] = known_x[i] + p * a[i];
      v_[i] = known_v[i] + q * a[i];
    }
    system.acceleration(t, x_, v_, residual_);
    system.jacobian(t, x_, v_, by_x_, by_v_);
    for (std::size_t i = 0; i < n; ++i) residual_[i] -= a[i];
    for (std::size_t i = 0; i < n * n; ++i) by_x_[i] = -(p * by_x_[i] + q * by_v_[i]);
    for (std::size_t i = 0; i < n; ++i) by_x_[i * n + i] += 1;
    solve_linear<T>(by_x_, residual_);
    T largest = 0;
    T size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      a[i] += residual_[i];
      largest = std::max(largest, detail::magnitude(residual_[i]));
      size = std::max(size, detail::magnitude(a[i]));
    }
    return largest == 0 ? T(0) : largest / size;
  }

  std::vector<T> x_, v_, residual_, by_x_, by_v_;
};

// v1 = v0 + h a(t1, x1, v1), x1 = x0 + h v1: implicit Euler.
//
// Order 1, stable at every h. An oscillator loses energy even without damping: each step divides it
// by 1 + (h w)^2. Energy can rise if the potential curves downwards. One force evaluation per
// iteration. Catto, "Numerical Methods" (GDC 2015); Hairer, Wanner, "Solving Ordinary Differential
// Equations II".
template <class T>
class BackwardEuler {
 public:
  explicit BackwardEuler(std::size_t dimension) : solver_(dimension) {}

  // Computes the acceleration at the start. It is the solver's first guess.
  void start(State<T>& state, SystemWithJacobian<T> auto& system, T) {
    system.acceleration(state.t, state.x, state.v, solver_.a);
  }

  // Advances the state by h.
  void step(State<T>& state, SystemWithJacobian<T> auto& system, T h) {
    state.t += h;
    solver_.known_x = state.x;
    add_scaled(solver_.known_x, h, state.v);
    solver_.known_v = state.v;
    solver_.solve(system, state.t, h * h, h);
    add_scaled(state.v, h, solver_.a);
    add_scaled(state.x, h, state.v);
  }

 private:
  AccelerationSolver<T> solver_;
};

// The implicit midpoint rule: (x, v)_m = (x, v)_0 + h/2 (v, a)_m, then
// (x, v)_1 = (x, v)_0 + h (v, a)_m. Index m is the middle of the step.
//
// Order 2, symplectic, stable at every h. It keeps every quadratic invariant to rounding, including
// the energy of linear systems. One force evaluation per iteration. Hairer, Lubich, Wanner,
// "Geometric Numerical Integration", IV.2.
template <class T>
class ImplicitMidpoint {
 public:
  explicit ImplicitMidpoint(std::size_t dimension) : solver_(dimension) {}

  // Computes the acceleration at the start. It is the solver's first guess.
  void start(State<T>& state, SystemWithJacobian<T> auto& system, T) {
    system.acceleration(state.t, state.x, state.v, solver_.a);
  }

  // Advances the state by h.
  void step(State<T>& state, SystemWithJacobian<T> auto& system, T h) {
    solver_.known_x = state.x;
    add_scaled(solver_.known_x, h / 2, state.v);
    solver_.known_v = state.v;
    solver_.solve(system, state.t + h / 2, h * h / 4, h / 2);
    add_scaled(state.x, h, state.v);
    add_scaled(state.x, h * h / 2, solver_.a);
    add_scaled(state.v, h, solver_.a);
    state.t += h;
  }

 private:
  AccelerationSolver<T> solver_;
};

// x1 = x0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1), v1 = v0 + h ((1 - gamma) a0 + gamma a1).
//
// Order 2 if gamma = 1/2, otherwise 1. gamma > 1/2 removes energy, gamma < 1/2 adds it. With
// gamma = 1/2:
// - beta = 1/4: the trapezoidal rule, stable at every h; keeps the energy of linear systems.
// - beta = 1/6 (linear acceleration): stable for h w < 2 sqrt 3.
// - beta = 1/12 (Fox and Goodwin): stable for h w < sqrt 6. The positions of an oscillator are of
//   order 4.
// - beta = 0: velocity Verlet, if no force depends on velocity.
//
// One force evaluation per iteration. Newmark, "A method of computation for structural dynamics",
// ASCE 85 (1959).
template <class T>
class Newmark {
 public:
  explicit Newmark(std::size_t dimension, T beta = T(0.25), T gamma = T(0.5))
      : a0_(dimension), solver_(dimension), beta_(beta), gamma_(gamma) {}

  // Computes the acceleration at the start.
  void start(State<T>& state, SystemWithJacobian<T> auto& system, T) {
    system.acceleration(state.t, state.x, state.v, solver_.a);
  }

  // Advances the state by h.
  void step(State<T>& state, SystemWithJacobian<T> auto& system, T h) {
    a0_ = solver_.a;
    add_scaled(state.x, h, state.v);
    add_scaled(state.x, h * h * (T(0.5) - beta_), a0_);
    add_scaled(state.v, h * (1 - gamma_), a0_);
    state.t += h;
    solver_.known_x = state.x;
    solver_.known_v = state.v;
    solver_.solve(system, state.t, h * h * beta_, h * gamma_);
    add_scaled(state.x, h * h * beta_, solver_.a);
    add_scaled(state.v, h * gamma_, solver_.a);
  }

 private:
  std::vector<T> a0_;
  AccelerationSolver<T> solver_;
  T beta_, gamma_;
};

// y1 = y0 + h/2 (f(y0) + f(y1)), y = (x, v): the trapezoidal rule, which is Newmark with
// beta = 1/4, gamma = 1/2.
//
// Order 2, stable at every h. Keeps the energy of linear systems to rounding, and is conjugate to
// the implicit midpoint rule. One force evaluation per iteration. Crank, Nicolson 1947.
template <class T>
class Trapezoidal : public Newmark<T> {
 public:
  explicit Trapezoidal(std::size_t dimension) : Newmark<T>(dimension, T(0.25), T(0.5)) {}
};

}  // namespace orrery::integrate
