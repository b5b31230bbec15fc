// Explicit Runge-Kutta methods: midpoint, Heun, and the classical method of order 4.
//
// h is the step, w the angular frequency of the oscillator x'' = -w^2 x, and b the coefficient of
// the drag x'' = -b v. y = (x, v) is the state, and f = (v, a) its slope.
#pragma once

#include "common/integrate/system.h"

namespace orrery::integrate {

// k1 = f(y0), y1 = y0 + h f(y0 + h/2 k1).
//
// Order 2. Unstable on an oscillator for every h, though slowly: each step multiplies the energy by
// 1 + (h w)^4 / 4. Stable on drag for h b < 2. Two evaluations a step. Runge 1895; Pronost,
// "Numerical Integration" (Utrecht University).
template <class T>
class Midpoint : public Stateless {
 public:
  explicit Midpoint(std::size_t dimension) : x_(dimension), v_(dimension), a_(dimension) {}

  // Advances the state by h.
  void step(State<T>& state, System<T> auto& system, T h) {
    x_ = state.x;
    v_ = state.v;
    system.acceleration(state.t, state.x, state.v, a_);
    add_scaled(x_, h / 2, state.v);
    add_scaled(v_, h / 2, a_);
    system.acceleration(state.t + h / 2, x_, v_, a_);
    add_scaled(state.x, h, v_);
    add_scaled(state.v, h, a_);
    state.t += h;
  }

 private:
  std::vector<T> x_, v_, a_;
};

// k1 = f(y0), k2 = f(y0 + h k1), y1 = y0 + h/2 (k1 + k2): improved Euler, the explicit trapezoid.
//
// Order 2. On linear problems that do not depend on time it equals Midpoint. It is also unstable on
// an oscillator: each step multiplies the energy by 1 + (h w)^4 / 4. Stable on drag for h b < 2.
// Two evaluations a step.
// Heun 1900; Pronost, "Numerical Integration" (Utrecht University).
template <class T>
class Heun : public Stateless {
 public:
  explicit Heun(std::size_t dimension)
      : x_(dimension), v_(dimension), a0_(dimension), a1_(dimension) {}

  // Advances the state by h.
  void step(State<T>& state, System<T> auto& system, T h) {
    x_ = state.x;
    v_ = state.v;
    system.acceleration(state.t, state.x, state.v, a0_);
    add_scaled(x_, h, state.v);
    add_scaled(v_, h, a0_);
    state.t += h;
    system.acceleration(state.t, x_, v_, a1_);
    add_scaled(state.x, h / 2, state.v);
    add_scaled(state.x, h / 2, v_);
    add_scaled(state.v, h / 2, a0_);
    add_scaled(state.v, h / 2, a1_);
  }

 private:
  std::vector<T> x_, v_, a0_, a1_;
};

// k1 = f(y0), k2 = f(y0 + h/2 k1), k3 = f(y0 + h/2 k2), k4 = f(y0 + h k3),
// y1 = y0 + h/6 (k1 + 2 k2 + 2 k3 + k4).
//
// Order 4. Stable on an oscillator for h w < 2 sqrt 2, and on drag for h b < 2.785. Each step
// multiplies the energy of an oscillator by 1 - (h w)^6/72 + (h w)^8/576, a loss that makes it
// unfit for long runs. Four evaluations a step. Kutta 1901; Fiedler, "Integration Basics".
template <class T>
class RungeKutta4 : public Stateless {
 public:
  explicit RungeKutta4(std::size_t dimension)
      : x_(dimension), v_(dimension), a_(dimension), dx_(dimension), dv_(dimension) {}

  // Advances the state by h.
  void step(State<T>& state, System<T> auto& system, T h) {
    system.acceleration(state.t, state.x, state.v, a_);
    dx_ = state.v;
    dv_ = a_;
    v_ = state.v;
    stage(state, system, h / 2, T(2));
    stage(state, system, h / 2, T(2));
    stage(state, system, h, T(1));
    add_scaled(state.x, h / 6, dx_);
    add_scaled(state.v, h / 6, dv_);
    state.t += h;
  }

 private:
  // Evaluates the slope at the state plus `reach` times the last slope (v_, a_). Adds `weight`
  // times the new slope to the sum (dx_, dv_).
  void stage(const State<T>& state, System<T> auto& system, T reach, T weight) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] = state.x[i] + reach * v_[i];
      v_[i] = state.v[i] + reach * a_[i];
    }
    system.acceleration(state.t + reach, x_, v_, a_);
    add_scaled(dx_, weight, v_);
    add_scaled(dv_, weight, a_);
  }

  std::vector<T> x_, v_, a_, dx_, dv_;
};

}  // namespace orrery::integrate
