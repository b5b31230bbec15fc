// Jacobi's elliptic functions, for the exact pendulum and the free rigid body.
#include "client/lab/elliptic.h"

#include <cmath>
#include <numbers>

namespace orrery::lab {

namespace {

// Maximum steps of the arithmetic-geometric mean. Each step roughly squares the relative difference
// of the two means, so 24 are more than enough.
constexpr int kLandenStepsMax = 24;

}  // namespace

// Descending Landen transformation by arithmetic-geometric means (Abramowitz and Stegun, 16.4).
EllipticFunctions jacobi(Real u, Real k) {
  ORRERY_ASSERT(k >= 0 && k < 1);
  Real a[kLandenStepsMax + 1], c[kLandenStepsMax + 1];
  a[0] = 1;
  c[0] = k;
  Real b = std::sqrt((1 - k) * (1 + k));
  int n = 0;
  while (n < kLandenStepsMax && std::fabs(c[n]) > 1e-19L * a[n]) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
    ++n;
  }
  Real angle = std::ldexp(a[n] * u, n);
  for (int i = n; i > 0; --i) angle = (angle + std::asin(c[i] / a[i] * std::sin(angle))) / 2;
  const Real sn = std::sin(angle);
  return {sn, std::cos(angle), std::sqrt(1 - k * k * sn * sn), angle};
}

Real complete_integral(Real k) {
  ORRERY_ASSERT(k >= 0 && k < 1);
  Real a = 1;
  Real b = std::sqrt((1 - k) * (1 + k));
  for (int i = 0; i < kLandenStepsMax && std::fabs(a - b) > 1e-19L * a; ++i) {
    const Real mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return kRealPi / (2 * a);
}

// Carlson's R_F by duplication: sin * R_F(cos^2, 1 - k^2 sin^2, 1), for angles from -pi/2 to pi/2.
// For other amplitudes, each half turn that is subtracted to reach this range adds 2 K(k).
Real incomplete_integral(Real amplitude, Real k) {
  const Real turns = std::nearbyint(amplitude / kRealPi);
  const Real rest = amplitude - turns * kRealPi;
  const Real s = std::sin(rest);
  Real x = std::cos(rest) * std::cos(rest);
  Real y = (1 - k * s) * (1 + k * s);
  Real z = 1;
  for (int i = 0; i < 40; ++i) {
    const Real root = std::sqrt(x) * (std::sqrt(y) + std::sqrt(z)) + std::sqrt(y) * std::sqrt(z);
    x = (x + root) / 4;
    y = (y + root) / 4;
    z = (z + root) / 4;
  }
  const Real whole = turns == 0 ? 0 : 2 * turns * complete_integral(k);
  return whole + s / std::sqrt((x + y + z) / 3);
}

}  // namespace orrery::lab
