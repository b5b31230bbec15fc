// Linear multistep methods: Adams-Bashforth, and the predictor-corrector method with Adams-Moulton.
//
// y = (x, v) is the state and f = (v, a) its slope. f0 is the slope at the start of a step, f-1 and
// f-2 are slopes of earlier steps, and f1 is the slope at the end. RungeKutta4 makes the first
// steps. h is the step and must not change. w is the angular frequency of the oscillator
// x'' = -w^2 x, and b the coefficient of the drag x'' = -b v.
#pragma once

#include <array>
#include <utility>

#include "client/lab/methods/runge_kutta.h"

namespace orrery::integrate {

namespace detail {

// The most recent slopes of a system, newest first.
template <class T, std::size_t Count>
class Slopes {
 public:
  explicit Slopes(std::size_t dimension) {
    for (auto& v : v_) v.resize(dimension);
    for (auto& a : a_) a.resize(dimension);
  }

  // Forgets all slopes.
  void clear() { known_ = 0; }
  // Returns true if the object holds `Count` slopes.
  bool complete() const { return known_ == Count; }

  // Adds the slope at this state. It becomes the newest one.
  void push(const State<T>& state, System<T> auto& system) {
    for (std::size_t i = Count - 1; i > 0; --i) {
      std::swap(v_[i], v_[i - 1]);
      std::swap(a_[i], a_[i - 1]);
    }
    known_ = known_ < Count ? known_ + 1 : Count;
    evaluate(state, system);
  }

  // Replaces the newest slope by the slope at the state.
  void evaluate(const State<T>& state, System<T> auto& system) {
    v_[0] = state.v;
    system.acceleration(state.t, state.x, state.v, a_[0]);
  }

  // Advances the state: y += h times the sum of weight i times slope i.
  template <std::size_t Weights>
  void advance(State<T>& state, T h, const std::array<T, Weights>& weights) const {
    static_assert(Weights <= Count);
    for (std::size_t i = 0; i < Weights; ++i) {
      add_scaled(state.x, h * weights[i], v_[i]);
      add_scaled(state.v, h * weights[i], a_[i]);
    }
  }

 private:
  std::array<std::vector<T>, Count> v_;
  std::array<std::vector<T>, Count> a_;
  std::size_t known_ = 0;
};

// Weights of the slopes, newest first: f0, f-1, f-2, f-3 for Adams-Bashforth, and f1, f0, f-1, f-2
// for Adams-Moulton.
template <class T>
inline constexpr std::array<T, 4> kAdamsBashforth4 = {T(55) / 24, T(-59) / 24, T(37) / 24,
                                                      T(-9) / 24};
template <class T>
inline constexpr std::array<T, 4> kAdamsMoulton4 = {T(9) / 24, T(19) / 24, T(-5) / 24, T(1) / 24};

}  // namespace detail

// Adams-Bashforth with the given weights of the slopes.
template <class T, std::size_t Count>
class AdamsBashforth {
 public:
  AdamsBashforth(std::size_t dimension, const std::array<T, Count>& weights)
      : slopes_(dimension), rk4_(dimension), weights_(weights) {}

  // Forgets all slopes and computes the first.
  void start(State<T>& state, System<T> auto& system, T) {
    slopes_.clear();
    slopes_.push(state, system);
  }

  // Advances the state by h. REQUIRES: h is the step given to start().
  void step(State<T>& state, System<T> auto& system, T h) {
    if (slopes_.complete()) {
      slopes_.advance(state, h, weights_);
      state.t += h;
    } else {
      rk4_.step(state, system, h);
    }
    slopes_.push(state, system);
  }

 private:
  detail::Slopes<T, Count> slopes_;
  RungeKutta4<T> rk4_;
  std::array<T, Count> weights_;
};

// y1 = y0 + h (3/2 f0 - 1/2 f-1).
//
// Order 2. Unstable on an oscillator for every h, though slowly: each step multiplies the energy by
// about 1 + (h w)^4 / 2. Stable on drag for h b < 1. One evaluation a step. Bashforth, Adams 1883;
// Hairer, Norsett, Wanner, "Solving Ordinary Differential Equations I", III.
template <class T>
class AdamsBashforth2 : public AdamsBashforth<T, 2> {
 public:
  explicit AdamsBashforth2(std::size_t dimension)
      : AdamsBashforth<T, 2>(dimension, {T(1.5), T(-0.5)}) {}
};

// y1 = y0 + h/24 (55 f0 - 59 f-1 + 37 f-2 - 9 f-3).
//
// Order 4. Stable on an oscillator for h w < .42999, and on drag for h b < .3. A stable oscillator
// loses energy slowly. One evaluation a step. Bashforth, Adams 1883.
template <class T>
class AdamsBashforth4 : public AdamsBashforth<T, 4> {
 public:
  explicit AdamsBashforth4(std::size_t dimension)
      : AdamsBashforth<T, 4>(dimension, detail::kAdamsBashforth4<T>) {}
};

// Predicts y1 with AdamsBashforth4 and evaluates f1. Corrects y1 = y0 + h/24 (9 f1 + 19 f0 - 5 f-1
// + f-2) and evaluates f1 again (PECE).
//
// Order 4. Weakly unstable on an oscillator: each step multiplies the energy by about
// 1 + .3 (h w)^6. Stable on drag for h b < 1.285. Two evaluations a step. Moulton 1926; Hairer,
// Norsett, Wanner, "Solving Ordinary Differential Equations I", III.
template <class T>
class AdamsBashforthMoulton4 {
 public:
  explicit AdamsBashforthMoulton4(std::size_t dimension)
      : slopes_(dimension),
        rk4_(dimension),
        predicted_{0, std::vector<T>(dimension), std::vector<T>(dimension)} {}

  // Forgets all slopes and computes the first.
  void start(State<T>& state, System<T> auto& system, T) {
    slopes_.clear();
    slopes_.push(state, system);
  }

  // Advances the state by h. REQUIRES: h is the step given to start().
  void step(State<T>& state, System<T> auto& system, T h) {
    if (!slopes_.complete()) {
      rk4_.step(state, system, h);
      slopes_.push(state, system);
      return;
    }
    predicted_ = state;
    slopes_.advance(predicted_, h, detail::kAdamsBashforth4<T>);
    predicted_.t += h;
    slopes_.push(predicted_, system);
    slopes_.advance(state, h, detail::kAdamsMoulton4<T>);
    state.t += h;
    slopes_.evaluate(state, system);
  }

 private:
  detail::Slopes<T, 4> slopes_;
  RungeKutta4<T> rk4_;
  State<T> predicted_;
};

}  // namespace orrery::integrate
