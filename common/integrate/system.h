// Owns what the methods of integration work on: a state, and a system of second order.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "common/core/assert.h"

namespace orrery::integrate {

// Positions and velocities of a system of n coordinates at a time.
template <class T>
struct State {
  T t = 0;
  std::vector<T> x;
  std::vector<T> v;
};

// x'' = a(t, x, v). A method that has a(t, x, v) once may keep it where nothing depends on the
// velocity; where something does, it has to ask again.
template <class S, class T>
concept System = requires(S& system, T t, std::span<const T> in, std::span<T> out) {
  system.acceleration(t, in, in, out);
  { system.depends_on_velocity() } -> std::convertible_to<bool>;
};

// Knows da/dx and da/dv, n by n, row by row: what Newton's iteration needs.
template <class S, class T>
concept SystemWithJacobian = System<S, T> &&
    requires(S& system, T t, std::span<const T> in, std::span<T> out) {
  system.jacobian(t, in, in, out, out);
};

// Its acceleration is f(t, x) - b v with one b for all coordinates, which drag() tells.
template <class S, class T>
concept SystemWithDrag = System<S, T> && requires(S& system) {
  { system.drag() } -> std::convertible_to<T>;
};

// The elementary functions that some methods need. Whoever calls them says which: those of
// common/math give the same bits everywhere, those of a C library exist for every scalar type.
template <class T>
struct Functions {
  T (*exp)(T) = nullptr;
  T (*sin)(T) = nullptr;
  T (*cos)(T) = nullptr;
};

// y += s x, coordinate by coordinate.
template <class T>
void add_scaled(std::vector<T>& y, T s, const std::vector<T>& x) {
  ORRERY_ASSERT(x.size() == y.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] + s * x[i];
}

// Advances by h in n steps of h / n: substeps, for every method. A method that keeps h between
// steps was started with h / n.
template <class T, class Method, System<T> S>
void substep(Method& method, State<T>& state, S& system, T h, int n) {
  ORRERY_ASSERT(n >= 1);
  const T part = h / static_cast<T>(n);
  for (int i = 0; i < n; ++i) method.step(state, system, part);
}

}  // namespace orrery::integrate
