// Owns what stands in for backward Euler where its equations cannot be solved: a predictor and one
// correction, and the closed form for linear drag.
#pragma once

#include "common/integrate/system.h"

namespace orrery::integrate {

// What the corrected position is made of.
enum class CorrectedPosition {
  from_corrected_velocity,  // x1 = x0 + h v1
  from_predicted_velocity,  // x1 = x0 + h vp
};

// vp = v0 + h a(t0, x0, v0), xp = x0 + h v0; then v1 = v0 + h a(t1, xp, vp) and x1 by one of two
// velocities.
//
// Order 1, and none of the stability of backward Euler is left: h w < 2 / sqrt 3 with the corrected
// velocity, h w < 1 with the predicted one, on drag h b < 1. Below it takes energy out. Two
// evaluations a step. Pronost, "Numerical Integration" (Utrecht University).
template <class T>
class BackwardEulerPredictor {
 public:
  explicit BackwardEulerPredictor(
      std::size_t dimension,
      CorrectedPosition position = CorrectedPosition::from_corrected_velocity)
      : x_(dimension), v_(dimension), a_(dimension), position_(position) {}

  template <System<T> S>
  void start(State<T>&, S&, T) {}

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

// The velocity after h of v' = -b v by backward Euler: v / (1 + h b). Order 1; never changes sign,
// stable at every h. Pronost, "Numerical Integration" (Utrecht University).
template <class T>
constexpr T backward_euler_drag(T v, T b, T h) {
  return v / (1 + h * b);
}

// Backward Euler by so many evaluations of a fixed-point iteration in place of Newton's: it starts
// from explicit Euler, and each round puts the last x1, v1 into the force.
//
// Converges only for h w < 1, which explicit methods exceed: a warning, not a recommendation.
// Order 1.
template <class T>
class BackwardEulerFixedPoint {
 public:
  BackwardEulerFixedPoint(std::size_t dimension, int iterations)
      : x_(dimension), v_(dimension), a_(dimension), iterations_(iterations) {
    ORRERY_ASSERT(iterations >= 1);
  }

  template <System<T> S>
  void start(State<T>&, S&, T) {}

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
