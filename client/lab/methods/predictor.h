// Methods like backward Euler that solve no equations: a predictor with one correction, a
// fixed-point iteration, and the closed form for linear drag.
//
// h is the step, w the angular frequency of the oscillator x'' = -w^2 x, and b the coefficient of
// the drag x'' = -b v.
#pragma once

#include "common/integrate/system.h"

namespace orrery::integrate {

// Which velocity computes the new position: the corrected v1 or the predicted vp.
enum class CorrectedPosition {
  from_corrected_velocity,  // x1 = x0 + h v1
  from_predicted_velocity,  // x1 = x0 + h vp
};

// Predicts vp = v0 + h a(t0, x0, v0) and xp = x0 + h v0. Corrects v1 = v0 + h a(t1, xp, vp), and x1
// as CorrectedPosition says.
//
// Order 1. Unlike backward Euler, it is unstable at large steps. Stable on an oscillator for
// h w < 2 / sqrt 3 if v1 computes the position, or for h w < 1 if vp does. Stable on drag for
// h b < 1 in both cases. A stable oscillator loses energy. Two evaluations a step. Pronost,
// "Numerical Integration" (Utrecht University).
template <class T>
class BackwardEulerPredictor : public Stateless {
 public:
  explicit BackwardEulerPredictor(
      std::size_t dimension,
      CorrectedPosition position = CorrectedPosition::from_corrected_velocity)
      : x_(dimension), v_(dimension), a_(dimension), position_(position) {}

  // Advances the state by h.
  void step(State<T>& state, System<T> auto& system, T h) {
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

// Backward Euler with a fixed-point iteration instead of Newton's. The first guess of x1, v1 is a
// step of semi-implicit Euler. The method then evaluates the force at the latest guess `iterations`
// times, and computes a new guess from it.
//
// Order 1. The iteration converges only for h w < 1. Semi-implicit Euler needs no iteration and is
// stable up to h w = 2. The method is here as a warning, not as a recommendation.
template <class T>
class BackwardEulerFixedPoint : public Stateless {
 public:
  BackwardEulerFixedPoint(std::size_t dimension, int iterations)
      : x_(dimension), v_(dimension), a_(dimension), iterations_(iterations) {
    ORRERY_ASSERT(iterations >= 1);
  }

  // Advances the state by h.
  void step(State<T>& state, System<T> auto& system, T h) {
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
