// Exact solution of any number of masses and springs, such as chains and nets, by normal modes.
#pragma once

#include <algorithm>
#include <limits>

#include "client/lab/methods/kinematic.h"
#include "common/integrate/symmetric_eigen.h"

namespace orrery::integrate {

// M x'' = -K x + f for constant forces, and for springs between coordinates or to the ground.
//
// The new coordinates y = V^T M^(1/2) x, with V the eigenvectors of M^(-1/2) K M^(-1/2), are
// independent oscillators. Each oscillator is solved exactly, at any h, and the energy is kept to
// rounding. A step takes no evaluation of a force, and about 4 n^2 multiplications for n
// coordinates. The author of "True Physics" (2010) mentions the method without working it out; see
// Goldstein, "Classical Mechanics", on small oscillations.
template <class T>
class NormalModes {
 public:
  // Builds the modes. REQUIRES:
  // - Every force is a spring, or a constant force between one coordinate and the ground.
  // - All forces on a coordinate name the same inverse mass for it, which is positive.
  NormalModes(std::size_t dimension, std::span<const Force<T>> forces, Functions<T> functions)
      : n_(dimension),
        root_(dimension, T(1)),
        push_(dimension),
        vectors_(dimension * dimension),
        matrix_(dimension * dimension),
        modes_(dimension),
        y_(dimension),
        w_(dimension),
        functions_(functions) {
    for (const Force<T>& force : forces) add(force);
    for (std::size_t i = 0; i < n_ * n_; ++i) matrix_[i] *= root_[i / n_] * root_[i % n_];
    diagonalize<T>(matrix_, vectors_, n_);
    T largest = 0;
    for (std::size_t k = 0; k < n_; ++k) largest = std::max(largest, matrix_[k * n_ + k]);
    const T rounding = static_cast<T>(n_) * 8 * std::numeric_limits<T>::epsilon() * largest;
    for (std::size_t k = 0; k < n_; ++k) {
      const T value = matrix_[k * n_ + k];
      modes_[k].stiffness = value > rounding ? value : T(0);
      for (std::size_t i = 0; i < n_; ++i) {
        modes_[k].push += vectors_[i * n_ + k] * root_[i] * push_[i];
      }
    }
  }

  // Computes the coefficients of all modes for steps of h.
  template <class S>
  void start(State<T>&, S&, T h) {
    prepare(h);
  }

  // Advances the state by h. Recomputes the coefficients if h has changed.
  template <class S>
  void step(State<T>& state, S&, T h) {
    if (h != h_) prepare(h);
    into_modes(state.x, y_);
    into_modes(state.v, w_);
    for (std::size_t k = 0; k < n_; ++k) advance(modes_[k], y_[k], w_[k]);
    from_modes(y_, state.x);
    from_modes(w_, state.v);
    state.t += h;
  }

 private:
  struct Mode {
    T stiffness = 0;  // square of the angular frequency
    T push = 0;       // constant force on this mode
    KinematicCoefficients<T> coefficients;
  };

  void add(const Force<T>& force) {
    ORRERY_ASSERT(force.kind != ForceKind::drag && force.a < n_ && force.inverse_mass_a > 0);
    root_[force.a] = square_root(force.inverse_mass_a);
    if (force.kind == ForceKind::constant) {
      ORRERY_ASSERT(force.b == kGround);
      push_[force.a] += force.strength;
      return;
    }
    matrix_[force.a * n_ + force.a] += force.strength;
    push_[force.a] += force.strength * force.rest;
    if (force.b == kGround) return;
    ORRERY_ASSERT(force.b < n_ && force.inverse_mass_b > 0);
    root_[force.b] = square_root(force.inverse_mass_b);
    matrix_[force.b * n_ + force.b] += force.strength;
    matrix_[force.a * n_ + force.b] -= force.strength;
    matrix_[force.b * n_ + force.a] -= force.strength;
    push_[force.b] -= force.strength * force.rest;
  }

  void prepare(T h) {
    h_ = h;
    for (Mode& mode : modes_) {
      mode.coefficients = spring_coefficients(mode.stiffness, h, functions_);
    }
  }

  void advance(const Mode& mode, T& y, T& w) const {
    const bool bound = mode.stiffness > 0;
    const T x = bound ? y - mode.push / mode.stiffness : T(0);
    const KinematicCoefficients<T>& c = mode.coefficients;
    const T free_dv = bound ? T(0) : h_ * mode.push;
    y += h_ * w + (c.v_to_x * w + c.x_to_x * x) + h_ / 2 * free_dv;
    w += (c.v_to_v * w + c.x_to_v * x) + free_dv;
  }

  void into_modes(const std::vector<T>& from, std::vector<T>& to) const {
    std::fill(to.begin(), to.end(), T(0));
    for (std::size_t i = 0; i < n_; ++i) {
      const T scaled = from[i] / root_[i];
      for (std::size_t k = 0; k < n_; ++k) to[k] += vectors_[i * n_ + k] * scaled;
    }
  }

  void from_modes(const std::vector<T>& from, std::vector<T>& to) const {
    for (std::size_t i = 0; i < n_; ++i) {
      T sum = 0;
      for (std::size_t k = 0; k < n_; ++k) sum += vectors_[i * n_ + k] * from[k];
      to[i] = root_[i] * sum;
    }
  }

  std::size_t n_;
  std::vector<T> root_;  // square roots of the inverse masses
  std::vector<T> push_;  // constant force on each coordinate
  std::vector<T> vectors_, matrix_;
  std::vector<Mode> modes_;
  std::vector<T> y_, w_;
  Functions<T> functions_;
  T h_ = 0;
};

}  // namespace orrery::integrate
