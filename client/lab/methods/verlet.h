// Position Verlet, plain and time-corrected: methods that keep the last two positions.
//
// x-1 is the position one step before x0. h is the step, w the angular frequency of the oscillator
// x'' = -w^2 x, and b the coefficient of the drag x'' = -b v.
#pragma once

#include <utility>

#include "client/lab/methods/runge_kutta.h"
#include "common/integrate/system.h"
#include "common/integrate/time_corrected_verlet.h"

namespace orrery::integrate {

// How a run gets the second position that the method needs: x-1 before x0, or x1 after it.
enum class VerletStart {
  taylor,       // x-1 = x0 - h v0 + h^2/2 a0
  runge_kutta,  // x1 by a step of RungeKutta4
  euler,        // x1 = x0 + h v0: position-first semi-implicit Euler from then on, hence order 1
  naive,        // x-1 = x0 - h v0: semi-implicit Euler from then on, hence order 1
};

// x1 = x0 + (x0 - x-1) + h^2 a0. The velocity in the state is (x1 - x0)/h + h/2 a1.
//
// Order 2 (not 4: only the error of a single step is h^4), symplectic, stable for h w < 2. The
// energy of an oscillator stays bounded. A force that depends on velocity is evaluated with the
// mean velocity of the last step, (x0 - x-1)/h, which lowers the order to 1. With drag,
// VerletCentral keeps order 2. One evaluation a step. Rounding errors grow like the square of the
// number of steps. Nothing corrects for a change of h. Verlet 1967; Dummer, "A Simple
// Time-Corrected Verlet Integration Method" (GameDev.net 2005); Pronost, "Numerical Integration"
// (the starts by Euler and Runge-Kutta).
template <class T>
class PositionVerlet {
 public:
  explicit PositionVerlet(std::size_t dimension, VerletStart start = VerletStart::taylor)
      : previous_(dimension), mean_v_(dimension), a_(dimension), x_(dimension), rk4_(dimension) {
    start_ = start;
  }

  // Computes the position one step earlier, and the acceleration at the start.
  void start(State<T>& state, System<T> auto& system, T h) {
    first_ = true;
    system.acceleration(state.t, state.x, state.v, a_);
    for (std::size_t i = 0; i < a_.size(); ++i) {
      const T bend = start_ == VerletStart::naive ? T(0) : a_[i];
      previous_[i] = position_before(state.x[i], state.v[i], bend, h);
    }
    if (!system.depends_on_velocity()) return;
    for (std::size_t i = 0; i < a_.size(); ++i) mean_v_[i] = (state.x[i] - previous_[i]) / h;
    system.acceleration(state.t, state.x, mean_v_, a_);
  }

  // Advances the state by h. Errors are large if h is not the step given to start().
  void step(State<T>& state, System<T> auto& system, T h) {
    x_ = state.x;
    if (first_ && start_ == VerletStart::euler) {
      add_scaled(state.x, h, state.v);
    } else if (first_ && start_ == VerletStart::runge_kutta) {
      rk4_.step(state, system, h);
      state.t -= h;
    } else {
      for (std::size_t i = 0; i < x_.size(); ++i) {
        state.x[i] = x_[i] + (x_[i] - previous_[i]) + (h * h) * a_[i];
      }
    }
    first_ = false;
    std::swap(previous_, x_);
    state.t += h;
    for (std::size_t i = 0; i < x_.size(); ++i) mean_v_[i] = (state.x[i] - previous_[i]) / h;
    system.acceleration(state.t, state.x, mean_v_, a_);
    state.v = mean_v_;
    add_scaled(state.v, h / 2, a_);
  }

 private:
  std::vector<T> previous_, mean_v_, a_, x_;
  RungeKutta4<T> rk4_;
  VerletStart start_;
  bool first_ = true;
};

// x1 (1 + bh/2) = 2 x0 - x-1 (1 - bh/2) + h^2 f(t0, x0): position Verlet with drag at the central
// velocity (x1 - x-1)/2h, in closed form.
//
// Order 2 with drag, stable on drag at every h. Without drag it is PositionVerlet. One evaluation a
// step. Verlet 1967; Brunger, Brooks, Karplus 1984 (drag).
template <class T>
class VerletCentral {
 public:
  explicit VerletCentral(std::size_t dimension)
      : previous_(dimension), zero_(dimension), f_(dimension), x_(dimension) {}

  // Computes the position one step earlier, and the acceleration without drag at the start.
  void start(State<T>& state, SystemWithDrag<T> auto& system, T h) {
    system.acceleration(state.t, state.x, state.v, f_);
    for (std::size_t i = 0; i < f_.size(); ++i) {
      previous_[i] = position_before(state.x[i], state.v[i], f_[i], h);
    }
    system.acceleration(state.t, state.x, zero_, f_);
  }

  // Advances the state by h. REQUIRES: h is the step given to start().
  void step(State<T>& state, SystemWithDrag<T> auto& system, T h) {
    const T half = static_cast<T>(system.drag()) * h / 2;
    x_ = state.x;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      state.x[i] = (2 * x_[i] - (1 - half) * previous_[i] + (h * h) * f_[i]) / (1 + half);
    }
    std::swap(previous_, x_);
    state.t += h;
    system.acceleration(state.t, state.x, zero_, f_);
    // The central velocity (x2 - x0) / 2h, where the formula of the next step is inserted for x2.
    for (std::size_t i = 0; i < x_.size(); ++i) {
      state.v[i] = ((state.x[i] - previous_[i]) / h + (h / 2) * f_[i]) / (1 + half);
    }
  }

 private:
  std::vector<T> previous_, zero_, f_, x_;
};

// Position Verlet for steps of changing length. time_corrected_verlet.h has the formula of a step
// and compares the two corrections.
//
// The velocity in the state is (x1 - x0)/h + h/2 a1. One evaluation a step. Dummer, "A Simple
// Time-Corrected Verlet Integration Method" (GameDev.net 2005).
template <class T>
class TimeCorrectedVerlet {
 public:
  TimeCorrectedVerlet(std::size_t dimension, TimeCorrection correction)
      : previous_(dimension),
        mean_v_(dimension),
        a_(dimension),
        x_(dimension),
        correction_(correction) {}

  // Computes the position one step earlier, and the acceleration at the start. `h` is the length of
  // the first step. REQUIRES: h != 0.
  void start(State<T>& state, System<T> auto& system, T h) {
    ORRERY_ASSERT(h != 0);
    previous_h_ = h;
    system.acceleration(state.t, state.x, state.v, a_);
    for (std::size_t i = 0; i < a_.size(); ++i) {
      previous_[i] = position_before(state.x[i], state.v[i], a_[i], h);
      mean_v_[i] = (state.x[i] - previous_[i]) / h;
    }
    if (system.depends_on_velocity()) system.acceleration(state.t, state.x, mean_v_, a_);
  }

  // Advances the state by h. REQUIRES: h != 0.
  void step(State<T>& state, System<T> auto& system, T h) {
    ORRERY_ASSERT(h != 0);
    x_ = state.x;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      state.x[i] = time_corrected_verlet(x_[i], previous_[i], a_[i], h, previous_h_, correction_);
      mean_v_[i] = (state.x[i] - x_[i]) / h;
    }
    std::swap(previous_, x_);
    previous_h_ = h;
    state.t += h;
    system.acceleration(state.t, state.x, mean_v_, a_);
    state.v = mean_v_;
    add_scaled(state.v, h / 2, a_);
  }

 private:
  std::vector<T> previous_, mean_v_, a_, x_;
  TimeCorrection correction_;
  T previous_h_ = 0;
};

}  // namespace orrery::integrate
