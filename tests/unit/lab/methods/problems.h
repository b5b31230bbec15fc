// Problems with known solutions, shared by the tests of integration methods.
#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "client/lab/methods/kinematic.h"
#include "common/integrate/system.h"

namespace orrery::integrate::test {

template <class T>
Functions<T> libm() {
  return {[](T x) { return std::exp(x); }, [](T x) { return std::sin(x); },
          [](T x) { return std::cos(x); }};
}

// An oscillator with m = 1 and x'' = -k x - b v + g. Counts the evaluations of its acceleration.
template <class T>
struct Oscillator {
  T k = 1;
  T b = 0;
  T g = 0;
  int evaluations = 0;

  void acceleration(T, std::span<const T> x, std::span<const T> v, std::span<T> a) {
    ++evaluations;
    a[0] = -k * x[0] - b * v[0] + g;
  }
  bool depends_on_velocity() const { return b != 0; }
  void jacobian(T, std::span<const T>, std::span<const T>, std::span<T> by_x, std::span<T> by_v) {
    by_x[0] = -k;
    by_v[0] = -b;
  }
  T drag() const { return b; }

  // Returns the state at time t, if the state at time 0 is x0, v0. REQUIRES: b < 2 sqrt k.
  State<T> exact(T x0, T v0, T t) const {
    const T rest = k == 0 ? T(0) : g / k;
    const T w = std::sqrt(k - b * b / 4);
    const T sine = (v0 + b / 2 * (x0 - rest)) / w;
    const T cosine = x0 - rest;
    const T decay = std::exp(-b / 2 * t);
    const T shape = cosine * std::cos(w * t) + sine * std::sin(w * t);
    const T slope = w * (sine * std::cos(w * t) - cosine * std::sin(w * t));
    return {t, {rest + decay * shape}, {decay * (slope - b / 2 * shape)}};
  }
};

// x'' = -x / |x|^3 in the plane: an ellipse of semi-major axis 1 and eccentricity e, from its
// pericentre.
template <class T>
struct Kepler {
  T e = T(0.5);
  int evaluations = 0;

  void acceleration(T, std::span<const T> x, std::span<const T>, std::span<T> a) {
    ++evaluations;
    const T r2 = x[0] * x[0] + x[1] * x[1];
    const T r3 = r2 * std::sqrt(r2);
    a[0] = -x[0] / r3;
    a[1] = -x[1] / r3;
  }
  bool depends_on_velocity() const { return false; }
  void jacobian(T, std::span<const T> x, std::span<const T>, std::span<T> by_x, std::span<T> by_v) {
    const T r2 = x[0] * x[0] + x[1] * x[1];
    const T r3 = r2 * std::sqrt(r2);
    const T r5 = r3 * r2;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        const std::size_t at = static_cast<std::size_t>(2 * i + j);
        by_x[at] = 3 * x[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(j)] / r5 -
                   (i == j ? 1 / r3 : T(0));
        by_v[at] = 0;
      }
    }
  }
  T drag() const { return 0; }

  State<T> start() const { return exact(0); }
  State<T> exact(T t) const {
    T anomaly = t;
    for (int i = 0; i < 60; ++i) {
      anomaly -= (anomaly - e * std::sin(anomaly) - t) / (1 - e * std::cos(anomaly));
    }
    const T root = std::sqrt(1 - e * e);
    const T r = 1 - e * std::cos(anomaly);
    return {t,
            {std::cos(anomaly) - e, root * std::sin(anomaly)},
            {-std::sin(anomaly) / r, root * std::cos(anomaly) / r}};
  }
  static T energy(const State<T>& s) {
    return (s.v[0] * s.v[0] + s.v[1] * s.v[1]) / 2 -
           1 / std::sqrt(s.x[0] * s.x[0] + s.x[1] * s.x[1]);
  }
};

// x'' = f(t) in one dimension.
template <class T>
struct Forced {
  std::function<T(T)> f;

  void acceleration(T t, std::span<const T>, std::span<const T>, std::span<T> a) { a[0] = f(t); }
  bool depends_on_velocity() const { return false; }
};

// Coordinates under a list of forces, for methods that solve each force by itself.
template <class T>
struct Forces {
  std::vector<Force<T>> list;
  std::function<T(T)> other;  // an acceleration of coordinate 0 that depends on its position

  std::span<const Force<T>> forces() const { return list; }
  bool has_other_forces() const { return static_cast<bool>(other); }
  void other_acceleration(T, std::span<const T> x, std::span<const T>, std::span<T> a) {
    a[0] = other(x[0]);
  }
};

// Returns the distance of two states in phase space.
template <class T>
T distance(const State<T>& a, const State<T>& b) {
  T sum = 0;
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    const T dx = a.x[i] - b.x[i];
    const T dv = a.v[i] - b.v[i];
    sum += dx * dx + dv * dv;
  }
  return std::sqrt(sum);
}

// Returns the state after n steps of h, with the method's own start.
template <class T, class Method, class S>
State<T> run(Method method, S& system, State<T> state, T h, long n) {
  method.start(state, system, h);
  for (long i = 0; i < n; ++i) method.step(state, system, h);
  return state;
}

}  // namespace orrery::integrate::test
