// The phi functions of exponential methods: e^z without its first Taylor terms, divided by a power
// of z.
#pragma once

#include "common/core/assert.h"

namespace orrery::integrate {

namespace detail {

// Returns 1/n! + z/(n+1)! + z^2/(n+2)! + ... The terms after the first 21 are smaller than the last
// bit of every scalar type. REQUIRES: n >= 1 and |z| <= 1/2.
template <class T>
T phi_series(int n, T z) {
  ORRERY_ASSERT(n >= 1 && z <= T(0.5) && z >= T(-0.5));
  T factorial = 1;
  for (int i = 2; i <= n; ++i) factorial *= static_cast<T>(i);
  T term = 1 / factorial;
  T sum = term;
  for (int i = 1; i <= 20; ++i) {
    term *= z / static_cast<T>(n + i);
    sum += term;
  }
  return sum;
}

// Returns true if |z| <= 1/2. For these z, phi1() and phi2() use the series: it converges fast, and
// the quotients in phi1() and phi2() would lose digits.
template <class T>
bool is_small(T z) {
  return z <= T(0.5) && z >= T(-0.5);
}

}  // namespace detail

// Returns (e^z - 1) / z, and 1 at z = 0. `exponential` computes e^z.
template <class T>
T phi1(T z, T (*exponential)(T)) {
  return detail::is_small(z) ? detail::phi_series(1, z) : (exponential(z) - 1) / z;
}

// Returns (e^z - 1 - z) / z^2, and 1/2 at z = 0.
template <class T>
T phi2(T z, T (*exponential)(T)) {
  return detail::is_small(z) ? detail::phi_series(2, z) : (exponential(z) - 1 - z) / (z * z);
}

}  // namespace orrery::integrate
