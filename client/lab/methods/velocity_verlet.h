// Velocity Verlet, staggered leapfrog and Beeman: the positions of Verlet, with stored velocities.
//
// h is the step, w the angular frequency of the oscillator x'' = -w^2 x, and b the coefficient of
// the drag x'' = -b v.
#pragma once

#include <utility>

#include "common/integrate/system.h"

namespace orrery::integrate {

// x1 = x0 + h v0 + h^2/2 a0, v1 = v0 + h/2 (a0 + a1), a1 = a(t1, x1, v0 + h a0).
//
// Order 2, also with drag, and also if h changes. Stable on an oscillator for h w < 2, and on drag
// for h b < 2. Without drag it is symplectic and time-reversible. If an oscillator starts at rest,
// its energy then stays between 1 - (hw)^2/4 and 1 times the initial energy. One evaluation a step,
// two if forces depend on velocity. Swope, Andersen, Berens, Wilson, Journal of Chemical Physics 76
// (1982) 637.
template <class T>
class VelocityVerlet {
 public:
  explicit VelocityVerlet(std::size_t dimension)
      : a0_(dimension), a1_(dimension), predicted_(dimension) {}

  // Computes the acceleration at the start.
  void start(State<T>& state, System<T> auto& system, T) {
    system.acceleration(state.t, state.x, state.v, a1_);
  }

  // Advances the state by h.
  void step(State<T>& state, System<T> auto& system, T h) {
    std::swap(a0_, a1_);
    predicted_ = state.v;
    add_scaled(predicted_, h, a0_);
    add_scaled(state.x, h, state.v);
    add_scaled(state.x, h * h / 2, a0_);
    state.t += h;
    system.acceleration(state.t, state.x, predicted_, a1_);
    for (std::size_t i = 0; i < a0_.size(); ++i) {
      state.v[i] = state.v[i] + (h / 2) * (a0_[i] + a1_[i]);
    }
    if (system.depends_on_velocity()) system.acceleration(state.t, state.x, state.v, a1_);
  }

 private:
  std::vector<T> a0_, a1_, predicted_;
};

// How start() computes v(-1/2), the velocity half a step before the start.
enum class LeapfrogStart {
  half_step,  // v(-1/2) = v0 - h/2 a0
  none,       // v(-1/2) = v0: the positions are those of semi-implicit Euler, hence order 1
};

// v(1/2) = v(-1/2) + h a0, x1 = x0 + h v(1/2). The velocity in the state is v(1/2) + h/2 a1.
//
// Order 2, symplectic. Stable on an oscillator for h w < 2. A force that depends on velocity is
// evaluated with the velocity half a step earlier, which lowers the order to 1. One evaluation a
// step. Hockney, Eastwood, "Computer Simulation Using Particles" (1988).
template <class T>
class LeapfrogStaggered {
 public:
  explicit LeapfrogStaggered(std::size_t dimension, LeapfrogStart start = LeapfrogStart::half_step)
      : a_(dimension), half_v_(dimension), start_(start) {}

  // Computes the first acceleration, and the velocity half a step earlier.
  void start(State<T>& state, System<T> auto& system, T h) {
    system.acceleration(state.t, state.x, state.v, a_);
    half_v_ = state.v;
    if (start_ == LeapfrogStart::half_step) add_scaled(half_v_, -h / 2, a_);
    if (system.depends_on_velocity()) system.acceleration(state.t, state.x, half_v_, a_);
  }

  // Advances the state by h. REQUIRES: h is the step given to start().
  void step(State<T>& state, System<T> auto& system, T h) {
    add_scaled(half_v_, h, a_);
    add_scaled(state.x, h, half_v_);
    state.t += h;
    system.acceleration(state.t, state.x, half_v_, a_);
    state.v = half_v_;
    add_scaled(state.v, h / 2, a_);
  }

 private:
  std::vector<T> a_, half_v_;
  LeapfrogStart start_;
};

// x1 = x0 + h v0 + h^2/6 (4 a0 - a-1), v1 = v0 + h/6 (2 a1 + 5 a0 - a-1). If a force depends on
// velocity, a1 is evaluated with the predicted velocity v0 + h/2 (3 a0 - a-1).
//
// Order 2. The positions are those of Verlet, and the velocities are more accurate. Stable on an
// oscillator for h w < 2, and on drag for h b < 3; the energy is bounded. The first a-1 is
// evaluated at x0 - h v0 + h^2/2 a0 and v0 - h a0. One evaluation a step, two if forces depend on
// velocity. h must not change. Beeman, Journal of Computational Physics 20 (1976) 130.
template <class T>
class Beeman {
 public:
  explicit Beeman(std::size_t dimension)
      : before_(dimension), a0_(dimension), a1_(dimension), x_(dimension), v_(dimension) {}

  // Computes the accelerations at the start and one step earlier.
  void start(State<T>& state, System<T> auto& system, T h) {
    system.acceleration(state.t, state.x, state.v, a1_);
    x_ = state.x;
    v_ = state.v;
    add_scaled(x_, -h, state.v);
    add_scaled(x_, h * h / 2, a1_);
    add_scaled(v_, -h, a1_);
    system.acceleration(state.t - h, x_, v_, a0_);
  }

  // Advances the state by h. REQUIRES: h is the step given to start().
  void step(State<T>& state, System<T> auto& system, T h) {
    std::swap(before_, a0_);
    std::swap(a0_, a1_);
    for (std::size_t i = 0; i < a0_.size(); ++i) {
      state.x[i] = state.x[i] + h * state.v[i] + (h * h / 6) * (4 * a0_[i] - before_[i]);
      v_[i] = state.v[i] + (h / 2) * (3 * a0_[i] - before_[i]);
    }
    state.t += h;
    system.acceleration(state.t, state.x, v_, a1_);
    for (std::size_t i = 0; i < a0_.size(); ++i) {
      state.v[i] = state.v[i] + (h / 6) * (2 * a1_[i] + 5 * a0_[i] - before_[i]);
    }
    if (system.depends_on_velocity()) system.acceleration(state.t, state.x, state.v, a1_);
  }

 private:
  std::vector<T> before_, a0_, a1_, x_, v_;
};

}  // namespace orrery::integrate
