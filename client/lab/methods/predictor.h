// Substitutes for backward Euler that solve no equations: a predictor with one correction, a
// fixed-point iteration, and the closed form for linear drag.
#pragma once

#include "common/integrate/system.h"

namespace orrery::integrate {

// The velocity that moves the corrected position.
enum class CorrectedPosition {
  from_corrected_velocity,  // x1 = x0 + h v1
  from_predicted_velocity,  // x1 = x0 + h vp
};

// vp = v0 + h a(t0, x0, v0), xp = x0 + h v0; then v1 = v0 + h a(t1, xp, vp), and x1 by either
// velocity.
//
// Order 1. The stability of backward Euler is lost: h w < 2 / sqrt 3 with the corrected velocity,
// h w < 1 with the predicted one, on drag h b < 1. Below the limit the method removes energy. Two
// evaluations a step. Pronost, "Numerical Integration" (Utrecht University).
template <class T>
class BackwardEulerPredictor {
 public:
  explicit BackwardEulerPredictor(
      std::size_t dimension,
      CorrectedPosition position = CorrectedPosition::from_corrected_velocity)
      : x_(dimension), v_(dimension), a_(dimension), position_(position) {}

  // Does nothing: the method keeps no state between steps.
  template <System<T> S>
  void start(State<T>&, S&, T) {}

  // Advances the state by h.
  template <System<T> S>
  void step(State<T>& state, S& system, T h) {
    system.acceleration(state.t, state.x, state.v, a_);
    x_ = state.x;
    v_ = state.v;
    add_scaled(x_, h, state.v);
    add_scaled(v_, h, a_);
    state.t += h;
    system.acceleration(state.t, x_, v_, a_);
    add_scaled(state.v, h, a_);
    const bool corrected = position_ == CorrectedPosition::from_corrected_velocity;
    add_scaled(state.x, h, corrected ? state.v : v_);
  }

 private:
  std::vector<T> x_, v_, a_;
  CorrectedPosition position_;
};

// Returns the velocity after h of v' = -b v by backward Euler: v / (1 + h b). Order 1; never
// changes sign, stable at every h. Pronost, "Numerical Integration" (Utrecht University).
template <class T>
constexpr T backward_euler_drag(T v, T b, T h) {
  return v / (1 + h * b);
}

// Backward Euler with a fixed-point iteration in place of Newton's. It starts from explicit Euler,
// and each of `iterations` rounds evaluates the force at the latest x1, v1.
//
// Order 1. It converges only for h w < 1, a limit that explicit methods exceed. It is here as a
// warning, not as a recommendation.
template <class T>
class BackwardEulerFixedPoint {
 public:
  BackwardEulerFixedPoint(std::size_t dimension, int iterations)
      : x_(dimension), v_(dimension), a_(dimension), iterations_(iterations) {
    ORRERY_ASSERT(iterations >= 1);
  }

  // Does nothing: the method keeps no state between steps.
  template <System<T> S>
  void start(State<T>&, S&, T) {}

  // Advances the state by h.
  template <System<T> S>
  void step(State<T>& state, S& system, T h) {
    system.acceleration(state.t, state.x, state.v, a_);
    state.t += h;
    for (int i = 0; i < iterations_; ++i) {
      for (std::size_t j = 0; j < a_.size(); ++j) {
        v_[j] = state.v[j] + h * a_[j];
        x_[j] = state.x[j] + h * v_[j];
      }
      system.acceleration(state.t, x_, v_, a_);
    }
    add_scaled(state.v, h, a_);
    add_scaled(state.x, h, state.v);
  }

 private:
  std::vector<T> x_, v_, a_;
  int iterations_;
};

}  // namespace orrery::integrate
