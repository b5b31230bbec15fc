// Tests the building blocks of integration methods: phi functions, linear equations, eigenvalues,
// coefficients, kicks and the catalogue.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "client/lab/methods/composition.h"
#include "client/lab/methods/linear_solve.h"
#include "common/core/rng.h"
#include "common/integrate/catalogue.h"
#include "common/integrate/phi.h"
#include "common/integrate/symmetric_eigen.h"
#include "tests/unit/lab/methods/problems.h"

namespace orrery::integrate::test {
namespace {

TEST(Phi, AgreesWithExpm1OverAllSizes) {
  const auto exp = libm<double>().exp;
  for (const double z : {-700.0, -5.0, -0.6, -0.5, -0.49, -1e-3, -1e-12, 1e-300, 0.3, 0.5, 2.0}) {
    const double exact1 = std::expm1(z) / z;
    EXPECT_NEAR(phi1(z, exp) / exact1, 1, 1e-15) << z;
    const auto wide = static_cast<long double>(z);
    const long double exact2 = std::fabs(z) < 1e-3 ? 0.5L + wide / 6 + wide * wide / 24
                                                   : (std::expm1(wide) - wide) / (wide * wide);
    EXPECT_NEAR(phi2(z, exp) / static_cast<double>(exact2), 1, 1e-14) << z;
  }
  EXPECT_EQ(phi1(0.0, exp), 1);
  EXPECT_EQ(phi2(0.0, exp), 0.5);
}

TEST(LinearSolve, SolvesRandomSystems) {
  SplitMix64 draw(4);
  for (const std::size_t n : {1u, 2u, 3u, 7u, 20u}) {
    std::vector<double> matrix(n * n);
    std::vector<double> y(n);
    for (double& number : matrix) number = draw.symmetric();
    for (double& number : y) number = draw.symmetric();
    std::vector<double> right(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) right[i] += matrix[i * n + j] * y[j];
    }
    solve_linear<double>(matrix, right);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(right[i], y[i], 1e-11);
  }
}

TEST(LinearSolve, NeedsPivots) {
  std::vector<double> matrix = {0, 1, 1, 0};
  std::vector<double> right = {3, 5};
  solve_linear<double>(matrix, right);
  EXPECT_EQ(right, (std::vector<double>{5, 3}));
}

TEST(SymmetricEigen, ReproducesTheMatrix) {
  SplitMix64 draw(5);
  for (const std::size_t n : {1u, 2u, 5u, 30u}) {
    std::vector<double> matrix(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix[i * n + j] = matrix[j * n + i] = draw.symmetric();
    }
    std::vector<double> diagonal = matrix;
    std::vector<double> vectors(n * n);
    diagonalize<double>(diagonal, vectors, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double rebuilt = 0;
        double product = 0;
        for (std::size_t k = 0; k < n; ++k) {
          rebuilt += vectors[i * n + k] * diagonal[k * n + k] * vectors[j * n + k];
          product += vectors[k * n + i] * vectors[k * n + j];
        }
        EXPECT_NEAR(rebuilt, matrix[i * n + j], 1e-13);
        EXPECT_NEAR(product, i == j ? 1 : 0, 1e-13);
      }
    }
  }
}

// The coefficients are fractions of a step. A composition runs a method of order 2 once for each of
// them. They are symmetric and add up to 1. Their cubes add up to 0, as order 4 requires.
TEST(Composition, CoefficientsAddUp) {
  const auto check = [](const auto& steps) {
    using Real = long double;
    Real sum = 0;
    Real cubes = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      sum += steps[i];
      cubes += steps[i] * steps[i] * steps[i];
      EXPECT_EQ(steps[i], steps[steps.size() - 1 - i]);
    }
    EXPECT_NEAR(static_cast<double>(sum), 1, 1e-18);
    EXPECT_NEAR(static_cast<double>(cubes), 0, 1e-17);
  };
  check(detail::triple_jump<long double>());
  check(detail::suzuki_steps<long double>());
  check(detail::yoshida6_steps<long double>());
  EXPECT_NEAR(static_cast<double>(kCubeRoot2 * kCubeRoot2 * kCubeRoot2), 2, 1e-18);
  EXPECT_NEAR(static_cast<double>(kCubeRoot4 * kCubeRoot4 * kCubeRoot4), 4, 1e-18);
}

// Two exact kicks of 0.2 and 0.3 with drag, at one position, equal one kick of 0.5.
TEST(Kick, ExactDragKicksAddUp) {
  Oscillator<double> system{15, 3};
  Kicker<double, ExactDragKick<double>> kicker(1, {libm<double>().exp});
  State<double> halves{0, {2}, {5}};
  kicker.evaluate(halves, system);
  kicker.kick(halves, system, 0.2);
  kicker.kick(halves, system, 0.3);
  EXPECT_NEAR(halves.v[0], -10 + 15 * std::exp(-1.5), 1e-14);
}

TEST(Catalogue, NamesAreThoseThatScriptsUse) {
  const std::set<std::string> expected = {"explicit-euler",
                                          "semi-implicit-euler",
                                          "semi-implicit-euler-x-first",
                                          "taylor-euler",
                                          "exponential-euler",
                                          "backward-euler",
                                          "backward-euler-predictor",
                                          "backward-euler-predictor-x",
                                          "midpoint",
                                          "heun",
                                          "trapezoidal",
                                          "implicit-midpoint",
                                          "rk4",
                                          "verlet",
                                          "verlet-rk4-start",
                                          "verlet-euler-start",
                                          "verlet-naive-start",
                                          "tcv",
                                          "tcv-full",
                                          "velocity-verlet",
                                          "leapfrog-dkd",
                                          "leapfrog-kdk",
                                          "leapfrog-staggered",
                                          "beeman",
                                          "newmark",
                                          "ab2",
                                          "ab4",
                                          "abm4",
                                          "forest-ruth",
                                          "yoshida4",
                                          "yoshida6",
                                          "suzuki4",
                                          "pefrl",
                                          "kinematic",
                                          "kinematic-average"};
  std::set<std::string> found;
  for (const Method& method : kMethods) {
    found.insert(std::string(method.name));
    EXPECT_EQ(find_method(method.name), &method);
    EXPECT_FALSE(method.source.empty());
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(find_method("euler"), nullptr);
}

}  // namespace
}  // namespace orrery::integrate::test
