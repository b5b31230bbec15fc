// The acceleration of a problem in one scalar type, its derivatives, and its forces for the
// kinematic methods, which solve forces exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "client/lab/methods/kinematic.h"
#include "client/lab/problem.h"

namespace orrery::lab {

template <class T>
class LabSystem {
 public:
  explicit LabSystem(const Problem& problem)
      : form_(problem.form),
        constant_(static_cast<T>(problem.constant)),
        stiffness_(static_cast<T>(problem.stiffness)),
        drag_(static_cast<T>(problem.drag)),
        kept_(static_cast<T>(problem.kept)) {
    add_forces(problem);
  }

  void acceleration(T t, std::span<const T> x, std::span<const T> v, std::span<T> a) {
    ++evaluations_;
    switch (form_) {
      case Form::linear:
        a[0] = constant_ - stiffness_ * x[0] - drag_ * v[0];
        return;
      case Form::polynomial:
        a[0] = constant_ - 3 * t + t * t;
        return;
      case Form::sine:
        a[0] = -std::sin(t);
        return;
      case Form::cosine:
        a[0] = -std::cos(t);
        return;
      case Form::pendulum:
        a[0] = -stiffness_ * std::sin(x[0]);
        return;
      case Form::kepler:
        attract(x, a);
        return;
      case Form::chain:
        pull(x, a);
        return;
      case Form::bounce:
        a[0] = constant_;
        return;
    }
  }

  // Writes the Jacobians da/dx and da/dv, n by n in row-major order.
  void jacobian(T, std::span<const T> x, std::span<const T>, std::span<T> dx, std::span<T> dv) {
    for (T& value : dx) value = 0;
    for (T& value : dv) value = 0;
    switch (form_) {
      case Form::linear:
        dx[0] = -stiffness_;
        dv[0] = -drag_;
        return;
      case Form::pendulum:
        dx[0] = -stiffness_ * std::cos(x[0]);
        return;
      case Form::kepler:
        attract_gradient(x, dx);
        return;
      case Form::chain:
        pull_gradient(x.size(), dx);
        return;
      default:
        return;  // the acceleration depends on time only: both Jacobians are 0
    }
  }

  bool depends_on_velocity() const { return drag_ != 0; }
  T drag() const { return drag_; }

  // Returns the constant forces, springs and drag of the problem, for the kinematic methods. Counts
  // as one evaluation.
  std::span<const integrate::Force<T>> forces() {
    ++evaluations_;
    return forces_;
  }
  bool has_other_forces() const { return forces_.empty(); }
  void other_acceleration(T t, std::span<const T> x, std::span<const T> v, std::span<T> a) {
    acceleration(t, x, v, a);
    --evaluations_;  // forces() has counted the evaluation of this step
  }
  // Merges constant forces into springs where possible. The method `kinematic` then solves both
  // exactly together, which two separate solutions would not do.
  void combine_forces() { integrate::combine_constants(forces_); }

  // Returns true if the ball of `bounce` lies on the floor.
  bool is_at_rest(T x, T v) const { return form_ == Form::bounce && x == 0 && v == 0; }

  // Returns the time until the ball of `bounce` meets the floor. Returns infinity for other
  // problems, and for a ball that lies there.
  T time_to_bounce(T x, T v) const {
    if (form_ != Form::bounce || is_at_rest(x, v)) return std::numeric_limits<T>::infinity();
    const T square = v * v - 2 * constant_ * x;
    return square > 0 ? std::max(T(0), (v + std::sqrt(square)) / -constant_) : T(0);
  }

  // Returns the velocity after a bounce.
  T bounced(T v) const {
    const T up = -kept_ * v;
    return up < T(kRestSpeed) ? T(0) : up;
  }

  std::uint64_t evaluations() const { return evaluations_; }

 private:
  void add_forces(const Problem& problem) {
    using integrate::ForceKind;
    const auto add = [this](ForceKind kind, std::size_t a, std::size_t b, Real strength) {
      const T other = b == integrate::kGround ? T(0) : T(1);
      forces_.push_back({kind, a, b, static_cast<T>(strength), T(0), T(1), other});
    };
    if (form_ == Form::chain) {
      const std::size_t last = problem.dimension() - 1;
      add(ForceKind::spring, 0, integrate::kGround, problem.stiffness);
      for (std::size_t i = 0; i < last; ++i) {
        add(ForceKind::spring, i, i + 1, problem.stiffness);
      }
      add(ForceKind::spring, last, integrate::kGround, problem.stiffness);
    }
    if (form_ != Form::linear && form_ != Form::bounce) return;
    if (constant_ != 0) add(ForceKind::constant, 0, integrate::kGround, problem.constant);
    for (Real k : problem.springs) add(ForceKind::spring, 0, integrate::kGround, k);
    if (drag_ != 0) add(ForceKind::drag, 0, integrate::kGround, problem.drag);
  }

  static void attract(std::span<const T> x, std::span<T> a) {
    T square = 0;
    for (T coordinate : x) square += coordinate * coordinate;
    const T pull = -1 / (square * std::sqrt(square));
    for (std::size_t i = 0; i < x.size(); ++i) a[i] = pull * x[i];
  }

  static void attract_gradient(std::span<const T> x, std::span<T> dx) {
    const std::size_t n = x.size();
    T square = 0;
    for (T coordinate : x) square += coordinate * coordinate;
    const T inverse_cube = 1 / (square * std::sqrt(square));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) dx[n * i + j] = 3 * x[i] * x[j] * inverse_cube / square;
      dx[n * i + i] -= inverse_cube;
    }
  }

  void pull(std::span<const T> x, std::span<T> a) const {
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) {
      const T left = i == 0 ? T(0) : x[i - 1];
      const T right = i + 1 == n ? T(0) : x[i + 1];
      a[i] = stiffness_ * (left - 2 * x[i] + right);
    }
  }

  void pull_gradient(std::size_t n, std::span<T> dx) const {
    for (std::size_t i = 0; i < n; ++i) {
      dx[i * n + i] = -2 * stiffness_;
      if (i > 0) dx[i * n + i - 1] = stiffness_;
      if (i + 1 < n) dx[i * n + i + 1] = stiffness_;
    }
  }

  Form form_;
  T constant_, stiffness_, drag_, kept_;
  std::vector<integrate::Force<T>> forces_;
  std::uint64_t evaluations_ = 0;
};

}  // namespace orrery::lab
