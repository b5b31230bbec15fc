// Tests orders and error constants in long double, with fixed steps, against closed-form solutions,
// and the catalogue's orders and numbers of evaluations.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "common/integrate/catalogue.h"
#include "tests/unit/lab/methods/every_method.h"

namespace orrery::integrate::test {
namespace {

using Real = long double;

// Expected results on three problems: oscillator, damped oscillator, Kepler's ellipse. `slope` is
// the order of the error, `error` its size at 4096 steps. The damped oscillator's error is divided
// by its amplitude.
struct Expected {
  double slope[3];
  double error[3];
};

// The values come from an independent implementation; the orders are from the literature.
const std::map<std::string, Expected> kExpected = {
    {"explicit-euler", {{1, 1, 1}, {1.228182e-2, 4.139190e-1, 5.827257e-1}}},
    {"semi-implicit-euler", {{1, 1, 1}, {6.654471e-4, 4.857254e-3, 4.957883e-3}}},
    {"semi-implicit-euler-x-first", {{1, 1, 1}, {6.627449e-4, 3.269705e-3, 5.450738e-3}}},
    {"taylor-euler", {{1, 1, 1}, {5.844534e-3, 1.988866e-1, 2.730623e-1}}},
    {"exponential-euler", {{1, 1, 1}, {5.844534e-3, 1.959443e-1, 2.730623e-1}}},
    {"backward-euler", {{1, 1, 1}, {1.213281e-2, 3.460492e-1, 4.691240e-1}}},
    {"backward-euler-predictor", {{1, 1, 1}, {1.213200e-2, 3.445211e-1, 4.681708e-1}}},
    {"backward-euler-predictor-x", {{1, 1, 1}, {1.213286e-2, 3.430153e-1, 4.686564e-1}}},
    {"midpoint", {{2, 2, 2}, {9.934106e-6, 7.294939e-4, 1.307664e-4}}},
    {"heun", {{2, 2, 2}, {9.934106e-6, 7.294939e-4, 4.364191e-4}}},
    {"trapezoidal", {{2, 2, 2}, {4.967049e-6, 3.613750e-4, 3.410605e-4}}},
    {"implicit-midpoint", {{2, 2, 2}, {4.967049e-6, 3.613750e-4, 2.167275e-4}}},
    {"verlet", {{2, 1, 2}, {2.154741e-6, 3.290803e-3, 1.619478e-4}}},
    {"verlet-rk4-start", {{2, 1, 2}, {2.154138e-6, 3.288768e-3, 2.800946e-4}}},
    {"verlet-euler-start", {{1, 1, 1}, {1.218560e-3, 2.822019e-3, 6.206681e-3}}},
    {"verlet-naive-start", {{1, 1, 1}, {1.222847e-3, 9.400574e-3, 5.640673e-3}}},
    {"verlet, central velocity", {{2, 2, 2}, {2.154741e-6, 1.700982e-4, 1.619478e-4}}},
    {"tcv", {{2, 1, 2}, {2.154741e-6, 3.290803e-3, 1.619478e-4}}},
    {"tcv-full", {{2, 1, 2}, {2.154741e-6, 3.290803e-3, 1.619478e-4}}},
    {"velocity-verlet", {{2, 2, 2}, {2.154741e-6, 1.514575e-4, 1.619478e-4}}},
    {"leapfrog-dkd", {{2, 1, 2}, {2.832226e-6, 3.331274e-3, 5.517883e-5}}},
    {"leapfrog-kdk", {{2, 1, 2}, {2.154741e-6, 3.289311e-3, 1.619478e-4}}},
    {"leapfrog-staggered", {{2, 1, 2}, {2.154741e-6, 3.290803e-3, 1.619478e-4}}},
    {"leapfrog-staggered, no half step", {{1, 1, 1}, {1.222847e-3, 9.400574e-3, 5.640673e-3}}},
    {"beeman", {{2, 2, 2}, {2.598278e-6, 1.841649e-4, 2.809620e-4}}},
    {"newmark", {{2, 2, 2}, {4.967049e-6, 3.613750e-4, 3.410605e-4}}},
    {"newmark 1/6", {{2, 2, 2}, {2.597931e-6, 1.841958e-4, 2.809859e-4}}},
    {"newmark 1/12", {{2, 2, 2}, {2.702177e-7, 7.381929e-6, 2.211828e-4}}},
    {"newmark .3 .55", {{1, 1, 1}, {5.827821e-4, 1.927628e-2, 2.515735e-2}}},
    {"ab2", {{2, 2, 2}, {2.483539e-5, 1.819168e-3, 1.698071e-3}}},
    {"ab4", {{4, 4, 4}, {1.238515e-10, 1.330689e-7, 2.055186e-7}}},
    {"abm4", {{4, 4, 4}, {9.375682e-12, 1.069861e-8, 1.533976e-8}}},
    {"rk4", {{4, 4, 4}, {2.960595e-12, 3.150068e-9, 2.355630e-10}}},
    {"forest-ruth", {{4, 1, 4}, {2.411894e-11, 2.025870e-2, 2.125339e-9}}},
    {"yoshida4", {{4, 1, 4}, {2.288541e-11, 5.881116e-3, 4.859479e-9}}},
    {"suzuki4", {{4, 1, 4}, {3.901596e-13, 3.494528e-3, 3.722964e-11}}},
    {"pefrl", {{4, 1, 4}, {4.749952e-14, 3.447891e-3, 1.409379e-10}}},
    {"yoshida6", {{6, 1, 6}, {1.09e-17, 1.810041e-2, 2.98e-15}}},
    {"leapfrog-kdk, exact drag", {{2, 2, 2}, {2.154741e-6, 1.699055e-4, 1.619478e-4}}},
    {"leapfrog-kdk, Crank-Nicolson", {{2, 2, 2}, {2.154741e-6, 1.699373e-4, 1.619478e-4}}},
    {"forest-ruth, exact drag", {{4, 4, 4}, {2.411894e-11, 2.757434e-8, 2.125339e-9}}},
    {"yoshida4, exact drag", {{4, 4, 4}, {2.288541e-11, 2.645363e-8, 4.859479e-9}}},
    {"pefrl, exact drag", {{4, 4, 4}, {4.749952e-14, 4.709153e-11, 1.409379e-10}}},
};

template <class S>
struct Problem {
  S system;
  State<Real> start;
  State<Real> end;
  Real scale;
};

template <class Method, class S>
Real error(const Method& method, const Problem<S>& problem, long steps) {
  S system = problem.system;
  const Real h = problem.end.t / static_cast<Real>(steps);
  return distance(run(method, system, problem.start, h, steps), problem.end) / problem.scale;
}

// Returns a number of steps for a method whose order is `slope`. With this number, the measured
// order is near its limit, and the error is far above rounding errors.
long steps_for(double slope) {
  if (slope < 1.5) return 32768;
  if (slope < 5) return 8192;
  return 512;
}

template <class S>
void check(const Problem<S>& problem, std::size_t column) {
  each_method<Real>(problem.start.x.size(), [&](const char* name, auto method) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(kExpected.contains(name));
    const Expected& expected = kExpected.at(name);
    const double slope = expected.slope[column];
    const long steps = steps_for(slope);
    const Real measured =
        std::log2(error(method, problem, steps) / error(method, problem, 2 * steps));
    EXPECT_NEAR(static_cast<double>(measured), slope, 0.05);
    const double constant = expected.error[column];
    EXPECT_NEAR(static_cast<double>(error(method, problem, 4096)), constant, 2e-3 * constant);
  });
}

TEST(Order, Oscillator) {
  const Oscillator<Real> system{1};
  check(Problem<Oscillator<Real>>{system, system.exact(1, 0, 0), system.exact(1, 0, 10), 1}, 0);
}

TEST(Order, DampedOscillator) {
  const Oscillator<Real> system{15, 0.1L};
  check(
      Problem<Oscillator<Real>>{system, system.exact(1000, 0, 0), system.exact(1000, 0, 10), 1000},
      1);
}

TEST(Order, KeplerEllipse) {
  const Kepler<Real> system;
  check(Problem<Kepler<Real>>{system, system.start(), system.exact(7), 1}, 2);
}

// After 1,024 steps over one second, every method is off by less than 2e-3, even in binary32.
TEST(Order, EveryScalarRunsEveryMethod) {
  const auto check = []<class T>(T) {
    each_method<T>(1, [](const char* name, const auto& method) {
      Oscillator<T> system{1};
      const auto end = run(method, system, State<T>{0, {1}, {0}}, T(1) / 1024, 1024);
      EXPECT_LT(static_cast<double>(distance(end, system.exact(1, 0, 1))), 2e-3) << name;
    });
  };
  check(1.0f);
  check(1.0);
}

// The catalogue states the orders that are measured here without drag.
TEST(Order, CatalogueAgrees) {
  int found = 0;
  for (const Method& method : kMethods) {
    if (method.needs & kNeedsForces) continue;
    SCOPED_TRACE(method.name);
    ASSERT_TRUE(kExpected.contains(std::string(method.name)));
    const Expected& expected = kExpected.at(std::string(method.name));
    EXPECT_EQ(method.order, expected.slope[0]);
    EXPECT_EQ(method.order, expected.slope[2]);
    ++found;
  }
  EXPECT_EQ(found, 33);
}

// Evaluations per step match the catalogue, with and without drag.
TEST(Order, CatalogueCountsEvaluations) {
  for (const double b : {0.0, 0.1}) {
    each_explicit_method<double>(1, [&](const char* name, auto method) {
      const Method* entry = find_method(name);
      if (entry == nullptr) return;
      Oscillator<double> system{1, b};
      State<double> state{0, {1}, {0}};
      method.start(state, system, 0.01);
      for (int i = 0; i < 10; ++i) method.step(state, system, 0.01);
      const int before = system.evaluations;
      for (int i = 0; i < 100; ++i) method.step(state, system, 0.01);
      const int expected = b != 0 ? entry->evaluations_with_velocity : entry->evaluations;
      EXPECT_EQ(system.evaluations - before, 100 * expected) << name << " b " << b;
    });
  }
}

}  // namespace
}  // namespace orrery::integrate::test
