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

// A system x'' = a(t, x, v). A method may keep an acceleration between steps if no force depends on
// velocity. Otherwise it must evaluate it again.
//
// Every integration method has two functions. start(state, system, h) prepares the method; call it
// once before the first step, and again whenever the state is changed by anything else. step(state,
// system, h) advances the state by h.
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

// A system with the acceleration f(t, x) - b v. The coefficient b, which drag() returns, is the
// same for all coordinates.
template <class S, class T>
concept SystemWithDrag = System<S, T> && requires(S& system) {
  { system.drag() } -> std::convertible_to<T>;
};

// The elementary functions that some methods need. The caller chooses them: those of common/math
// give the same bits everywhere, and those of a C library exist for every scalar type.
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

// Advances the state by h in n substeps of h / n. If the method keeps h between steps, start it
// with h / n. REQUIRES: n >= 1.
template <class T, class Method, System<T> S>
void substep(Method& method, State<T>& state, S& system, T h, int n) {
  ORRERY_ASSERT(n >= 1);
  const T part = h / static_cast<T>(n);
  for (int i = 0; i < n; ++i) method.step(state, system, part);
}

}  // namespace orrery::integrate
