// Tests the stability limits of methods.
//
// One-step methods use bisection on the matrix of one step. Multistep methods use the growth over
// many steps.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "common/integrate/catalogue.h"
#include "tests/unit/lab/methods/every_method.h"

namespace orrery::integrate::test {
namespace {

using Real = long double;

// Returns the largest modulus of an eigenvalue of (a b; c d).
Real spectral_radius(Real a, Real b, Real c, Real d) {
  const Real half_trace = (a + d) / 2;
  const Real determinant = a * d - b * c;
  const Real discriminant = half_trace * half_trace - determinant;
  if (discriminant < 0) return std::sqrt(determinant);
  return std::fabs(half_trace) + std::sqrt(discriminant);
}

// Returns the spectral radius of one step of h = theta on an oscillator with w = 1.
template <class Method>
Real step_radius(const Method& method, Real theta) {
  Oscillator<Real> system{1};
  const State<Real> x = run(method, system, State<Real>{0, {1}, {0}}, theta, 1);
  const State<Real> v = run(method, system, State<Real>{0, {0}, {1}}, theta, 1);
  return spectral_radius(x.x[0], v.x[0], x.v[0], v.v[0]);
}

// Returns the factor by which a step of h = 1 changes a velocity under drag only.
template <class Method>
Real drag_ratio(const Method& method, Real b) {
  Oscillator<Real> system{0, b};
  return std::fabs(run(method, system, State<Real>{0, {0}, {1}}, Real(1), 1).v[0]);
}

// Returns the mean growth per step of ln |(x, v)|, or of ln |v| if no force acts on x. The first
// steps are skipped until their transients have decayed.
template <class Method>
Real growth(Method method, Oscillator<Real> system, Real h, int steps) {
  State<Real> state{0, {0.6L}, {0.8L}};
  method.start(state, system, h);
  const int fade = steps / 5;
  Real first = 0;
  Real last = 0;
  for (int i = 0; i < steps; ++i) {
    method.step(state, system, h);
    last = system.k == 0 ? std::fabs(state.v[0]) : std::hypot(state.x[0], state.v[0]);
    if (last > 1e1000L) return 1;
    if (system.k == 0 && last < 1e-12L) return -1;
    if (i == fade) first = last;
  }
  return std::log(last / first) / (steps - 1 - fade);
}

constexpr Real kScan = 0.0625L;

// Returns the upper end of the interval that begins at 0 and in which `stable` holds. Searches up
// to `high`.
Real limit(Real high, const std::function<bool(Real)>& stable) {
  Real low = 0;
  while (low < high && stable(low + kScan)) low += kScan;
  if (low >= high) return high;
  for (Real width = kScan / 2; width > 1e-6L; width /= 2) {
    if (stable(low + width)) low += width;
  }
  return low;
}

constexpr Real kSearchMax = 50;
constexpr Real kSlack = 1e-9L;

// Stability limits, as h w on an oscillator without drag. A step of these methods depends only on
// (x, v), at least without drag.
const std::map<std::string, Real> kOscillatorLimits = {
    {"semi-implicit-euler", 2},
    {"semi-implicit-euler-x-first", 2},
    {"backward-euler-predictor", 2 / std::sqrt(3.0L)},
    {"backward-euler-predictor-x", 1},
    {"rk4", std::sqrt(8.0L)},
    {"verlet", 2},
    {"tcv", 2},
    {"tcv-full", 2},
    {"verlet, central velocity", 2},
    {"velocity-verlet", 2},
    {"leapfrog-dkd", 2},
    {"leapfrog-kdk", 2},
    {"leapfrog-staggered", 2},
    {"newmark 1/6", std::sqrt(12.0L)},
    {"newmark 1/12", std::sqrt(6.0L)},
    {"forest-ruth", 1.57340L},
    {"yoshida4", 1.57340L},
    {"yoshida6", 2.26906L},
    {"suzuki4", 2.72097L},
    {"pefrl", 2.98945L},
    {"backward-euler", kSearchMax},
    {"trapezoidal", kSearchMax},
    {"implicit-midpoint", kSearchMax},
    {"newmark", kSearchMax},
    {"newmark .3 .55", kSearchMax},
};

TEST(Stability, S4_16_OscillatorLimits) {
  std::size_t found = 0;
  const auto check = [&found](const char* name, const auto& method) {
    if (!kOscillatorLimits.contains(name)) return;
    ++found;
    const Real measured =
        limit(kSearchMax, [&](Real theta) { return step_radius(method, theta) <= 1 + kSlack; });
    EXPECT_NEAR(static_cast<double>(measured), static_cast<double>(kOscillatorLimits.at(name)),
                1e-4)
        << name;
  };
  each_explicit_method<Real>(1, check);
  each_implicit_method<Real>(1, check);
  EXPECT_EQ(found, kOscillatorLimits.size());
}

// Checks ln of the spectral radius of a step: at h w = 0.1, and at Fiedler's spring, h w = sqrt 15
// / 10.
TEST(Stability, GrowthPerStep) {
  const std::map<std::string, std::pair<double, double>> expected = {
      {"explicit-euler", {4.975165e-3, 6.988097e-2}},
      {"taylor-euler", {2.493771e-3, 3.616033e-2}},
      {"exponential-euler", {2.493771e-3, 3.616033e-2}},
      {"backward-euler", {-4.975165e-3, -6.988097e-2}},
      {"backward-euler-predictor", {-5.025168e-3, -8.125946e-2}},
      {"backward-euler-predictor-x", {-4.974665e-3, -6.819631e-2}},
      {"midpoint", {1.249984e-5, 2.804619e-3}},
      {"heun", {1.249984e-5, 2.804619e-3}},
      {"newmark .3 .55", {-2.493144e-4, -3.601456e-3}},
      {"rk4", {-6.935764e-9, -2.299858e-5}},
      {"semi-implicit-euler", {0, 0}},
      {"velocity-verlet", {0, 0}},
      {"trapezoidal", {0, 0}},
      {"pefrl", {0, 0}},
      {"yoshida6", {0, 0}},
  };
  std::size_t found = 0;
  const auto check = [&](const char* name, const auto& method) {
    if (!expected.contains(name)) return;
    ++found;
    const auto [at_tenth, at_spring] = expected.at(name);
    const auto measured = [&](Real theta) {
      return static_cast<double>(std::log(step_radius(method, theta)));
    };
    EXPECT_NEAR(measured(0.1L), at_tenth, 1e-6 * std::fabs(at_tenth) + 1e-16) << name;
    EXPECT_NEAR(measured(std::sqrt(15.0L) / 10), at_spring, 1e-6 * std::fabs(at_spring) + 1e-16)
        << name;
  };
  each_explicit_method<Real>(1, check);
  each_implicit_method<Real>(1, check);
  EXPECT_EQ(found, expected.size());
}

TEST(Stability, DragLimits) {
  const std::map<std::string, Real> expected = {
      {"explicit-euler", 2},
      {"semi-implicit-euler", 2},
      {"taylor-euler", 2},
      {"semi-implicit-euler-x-first", 2},
      {"backward-euler-predictor", 1},
      {"backward-euler-predictor-x", 1},
      {"midpoint", 2},
      {"heun", 2},
      {"rk4", 2.785293563L},
      {"velocity-verlet", 2},
      {"leapfrog-dkd", 2},
      {"forest-ruth", 1.16817L},
      {"yoshida6", 1.86483L},
      {"suzuki4", 4.14867L},
      {"pefrl", 2.34146L},
      {"exponential-euler", kSearchMax},
      {"backward-euler", kSearchMax},
      {"trapezoidal", kSearchMax},
      {"implicit-midpoint", kSearchMax},
      {"newmark", kSearchMax},
      {"verlet, central velocity", kSearchMax},
      {"leapfrog-kdk, exact drag", kSearchMax},
      {"leapfrog-kdk, Crank-Nicolson", kSearchMax},
  };
  std::size_t found = 0;
  each_method<Real>(1, [&](const char* name, const auto& method) {
    if (!expected.contains(name)) return;
    ++found;
    const Real measured =
        limit(kSearchMax, [&](Real b) { return drag_ratio(method, b) <= 1 + kSlack; });
    EXPECT_NEAR(static_cast<double>(measured), static_cast<double>(expected.at(name)), 1e-4)
        << name;
  });
  EXPECT_EQ(found, expected.size());
}

// A method counts as stable while the mean growth of the state is below a small bound. The bound is
// larger for the Verlet methods than for ab4: just below h w = 2, the two roots of Verlet's
// recursion nearly meet, and a state grows by a factor of 100 before it shrinks again. At the limit
// of ab4, a root of r^4 - r^3 - i h w (55 r^3 - 59 r^2 + 37 r - 9)/24 leaves the unit circle.
TEST(Stability, LimitsWithMemory) {
  const std::map<std::string, std::pair<Real, Real>> expected = {
      {"verlet", {2, 2}},
      {"verlet-rk4-start", {2, 2}},
      {"verlet-euler-start", {2, 2}},
      {"verlet-naive-start", {2, 2}},
      {"leapfrog-kdk", {2, 2}},
      {"leapfrog-staggered", {2, 2}},
      {"yoshida4", {1.57340L, 1.23926L}},
      {"beeman", {2, 3}},
      {"abm4", {0, 1.28486L}},
      {"ab2", {0, 1}},
      {"ab4", {0.429987L, 0.3L}},
  };
  std::size_t found = 0;
  each_explicit_method<Real>(1, [&](const char* name, const auto& method) {
    if (!expected.contains(name)) return;
    ++found;
    const auto [oscillator, drag] = expected.at(name);
    if (oscillator != 0) {
      const bool multistep = std::string(name) == "ab4";
      const Real theta = limit(3, [&](Real h) {
        return growth(method, Oscillator<Real>{1}, h, multistep ? 100'000 : 4'000) <
               (multistep ? 1e-5L : 5e-3L);
      });
      EXPECT_NEAR(static_cast<double>(theta), static_cast<double>(oscillator), 1e-4) << name;
    }
    const Real decay = limit(5, [&](Real b) {
      return growth(method, Oscillator<Real>{0, b}, 1, 100'000) < 1e-6L;
    });
    EXPECT_NEAR(static_cast<double>(decay), static_cast<double>(drag), 1e-4) << name;
  });
  EXPECT_EQ(found, expected.size());
}

TEST(Stability, S4_19_AdamsMethodsAreWeaklyUnstable) {
  constexpr int kSteps = 100'000;
  const auto rate = [](const auto& method, Real theta) {
    return static_cast<double>(growth(method, Oscillator<Real>{1}, theta, kSteps));
  };
  EXPECT_NEAR(rate(AdamsBashforth2<Real>(1), 0.1L), 2.545825e-5, 1e-7);
  EXPECT_NEAR(rate(AdamsBashforth2<Real>(1), std::sqrt(0.15L)), 7.705008e-3, 1e-5);
  EXPECT_NEAR(rate(AdamsBashforth4<Real>(1), 0.1L), -5.429285e-7, 1e-8);
  EXPECT_NEAR(rate(AdamsBashforth4<Real>(1), std::sqrt(0.15L)), -1.605296e-3, 3e-6);
  EXPECT_NEAR(rate(AdamsBashforthMoulton4<Real>(1), 0.1L), 1.568175e-7, 1e-8);
  EXPECT_NEAR(rate(AdamsBashforthMoulton4<Real>(1), std::sqrt(0.15L)), 4.117229e-4, 1e-6);
}

}  // namespace
}  // namespace orrery::integrate::test
