// The state of a system of second order, and the interfaces that integration methods require of it.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "common/core/assert.h"

namespace orrery::integrate {

// The time, and the positions and velocities of n coordinates.
template <class T>
struct State {
  T t = 0;
  std::vector<T> x;
  std::vector<T> v;
};

// A system x'' = a(t, x, v). If no force depends on velocity, a method may reuse the last
// acceleration of a step in the next step. Otherwise it must evaluate the acceleration again.
//
// Every integration method has two functions. The function start(state, system, h) prepares the
// method. Call it before the first step, and again when anything but the method has changed the
// state. The function step(state, system, h) advances the state by h.
template <class S, class T>
concept System = requires(S& system, T t, std::span<const T> in, std::span<T> out) {
  system.acceleration(t, in, in, out);
  { system.depends_on_velocity() } -> std::convertible_to<bool>;
};

// A system with the Jacobians da/dx and da/dv, n by n in row-major order. Newton's iteration needs
// them.
template <class S, class T>
concept SystemWithJacobian = System<S, T> &&
    requires(S& system, T t, std::span<const T> in, std::span<T> out) {
  system.jacobian(t, in, in, out, out);
};

// A system whose acceleration is f(t, x) - b v. drag() returns the coefficient b, which is the same
// for all coordinates.
template <class S, class T>
concept SystemWithDrag = System<S, T> && requires(S& system) {
  { system.drag() } -> std::convertible_to<T>;
};

// The base of methods that keep no state between steps.
struct Stateless {
  // Does nothing.
  void start(auto&&...) {}
};

// The elementary functions that some methods need. The caller chooses: common/math gives the same
// bits everywhere, and a C library has functions for every scalar type.
template <class T>
struct Functions {
  T (*exp)(T) = nullptr;
  T (*sin)(T) = nullptr;
  T (*cos)(T) = nullptr;
};

// Adds s x to y, component by component. REQUIRES: both have the same size.
template <class T>
void add_scaled(std::vector<T>& y, T s, const std::vector<T>& x) {
  ORRERY_ASSERT(x.size() == y.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] + s * x[i];
}

// Advances the state by h in n substeps of h / n.
// REQUIRES: n >= 1, and method.start() was called with h / n, because some methods store the length
// of their steps.
template <class T, class Method, System<T> S>
void substep(Method& method, State<T>& state, S& system, T h, int n) {
  ORRERY_ASSERT(n >= 1);
  const T part = h / static_cast<T>(n);
  for (int i = 0; i < n; ++i) method.step(state, system, part);
}

}  // namespace orrery::integrate
