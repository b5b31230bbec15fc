// Tests the claims of "A Simple Time-Corrected Verlet Integration Method" about complete methods.
//
// time_corrected_verlet_test.cpp tests the formulas.
#include "client/lab/methods/verlet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "client/lab/methods/euler.h"
#include "client/lab/methods/velocity_verlet.h"
#include "common/core/rng.h"
#include "tests/unit/lab/methods/problems.h"

namespace orrery::integrate::test {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kFirst = 1 / 30.0;

// x'' = f(t) or a spring, with its solution.
struct Problem {
  const char* name;
  std::function<double(double)> force;  // as a function of time; if empty, a spring with w = 1
  double x0, v0, end;
  std::function<double(double)> exact;

  void acceleration(double t, std::span<const double> x, std::span<const double>,
                    std::span<double> a) const {
    a[0] = force ? force(t) : -x[0];
  }
  bool depends_on_velocity() const { return false; }
};

const Problem kProjectile = {"projectile",
                             [](double) { return -9.8; },
                             0,
                             20,
                             4,
                             [](double t) { return 20 * t - 4.9 * t * t; }};
const Problem kPolynomialA = {"polynomial-a",
                              [](double t) { return t * t - 3 * t; },
                              0,
                              1,
                              4,
                              [](double t) { return t * t * t * t / 12 - t * t * t / 2 + t; }};
const Problem kPolynomialB = {"polynomial-b",
                              [](double t) { return t * t - 3 * t + 2; },
                              0,
                              0,
                              4,
                              [](double t) { return t * t * (t * t / 12 - t / 2 + 1); }};
const Problem kSine = {"sine",  [](double t) { return -std::sin(t); }, 0, 1,
                       4 * kPi, [](double t) { return std::sin(t); }};
const Problem kCosine = {"cosine", [](double t) { return -std::cos(t); }, 1, 0,
                         4 * kPi,  [](double t) { return std::cos(t); }};
const Problem kSpring = {"spring", nullptr, 1, 0, 4 * kPi, [](double t) { return std::cos(t); }};

PositionVerlet<double> verlet(VerletStart start = VerletStart::taylor) {
  return PositionVerlet<double>(1, start);
}
TimeCorrectedVerlet<double> published() { return {1, TimeCorrection::published}; }
TimeCorrectedVerlet<double> full() { return {1, TimeCorrection::full}; }

template <class Method>
double error_at_end(Method method, const Problem& problem, double h) {
  const long n = std::lround(problem.end / h);
  const double step = problem.end / static_cast<double>(n);
  const State<double> end =
      run(method, problem, State<double>{0, {problem.x0}, {problem.v0}}, step, n);
  return std::fabs(end.x[0] - problem.exact(problem.end));
}

TEST(Verlet, S2_01_OrderIs2Not4) {
  const double coarse = error_at_end(verlet(), kPolynomialB, 1 / 100.0);
  EXPECT_NEAR(std::log2(coarse / error_at_end(verlet(), kPolynomialB, 1 / 200.0)), 2, 0.05);
  const double spring =
      error_at_end(verlet(),
                   {.name = "",
                    .force = nullptr,
                    .x0 = 1,
                    .v0 = 0.5,
                    .end = 10,
                    .exact = [](double t) { return std::cos(t) + 0.5 * std::sin(t); }},
                   1 / 100.0);
  EXPECT_GT(spring, 1e-6);
}

// The document claims order 2 for its "more accurate" Euler method. The method has order 1, as the
// halved step shows.
TEST(Verlet, S2_03_TaylorEulerIsOfOrder1) {
  const TaylorEuler<double> method(1);
  const double slope =
      std::log2(error_at_end(method, kSpring, 1e-4) / error_at_end(method, kSpring, 5e-5));
  EXPECT_NEAR(slope, 1, 0.05);
  EXPECT_LT(error_at_end(method, kProjectile, kFirst), 1e-12);
}

TEST(Verlet, S2_04_ProjectileIsExactAtAFixedStep) {
  for (const double n : {120.0, 1920.0}) {
    EXPECT_LT(error_at_end(verlet(), kProjectile, 4 / n), 1e-16 * n * n * 21);
    EXPECT_LT(error_at_end(VelocityVerlet<double>(1), kProjectile, 4 / n), 1e-11);
  }
}

TEST(Verlet, S2_05_BetterThanEulerByItsStartOnly) {
  const SemiImplicitEuler<double> euler(1);
  EXPECT_NEAR(error_at_end(verlet(), kPolynomialA, kFirst), 7.407407e-4, 1e-9);
  EXPECT_NEAR(error_at_end(euler, kPolynomialA, kFirst), 7.407407e-4, 1e-9);
  EXPECT_NEAR(error_at_end(TaylorEuler<double>(1), kPolynomialA, kFirst), 4.628e-2, 1e-5);
  EXPECT_LT(error_at_end(verlet(), kPolynomialB, kFirst),
            error_at_end(euler, kPolynomialB, kFirst) / 100);
  EXPECT_LT(error_at_end(verlet(), kCosine, kFirst), error_at_end(euler, kCosine, kFirst) / 100);
}

TEST(Verlet, S2_06_EqualInEveryBitAtAFixedStep) {
  Oscillator<double> system{4};
  PositionVerlet<double> plain = verlet();
  TimeCorrectedVerlet<double> corrected = published();
  State<double> a{0, {1}, {0.3}};
  State<double> b = a;
  plain.start(a, system, 1 / 60.0);
  corrected.start(b, system, 1 / 60.0);
  for (int i = 0; i < 100'000; ++i) {
    plain.step(a, system, 1 / 60.0);
    corrected.step(b, system, 1 / 60.0);
    ASSERT_EQ(a.x[0], b.x[0]);
    ASSERT_EQ(a.v[0], b.v[0]);
  }
}

TEST(Verlet, S2_07_S2_08_S2_09_StartNeedsEquation2) {
  for (const double h : {0.01, 0.05, 0.1, 0.25}) {
    Problem problem = kProjectile;
    problem.end = 3;
    EXPECT_NEAR(error_at_end(verlet(VerletStart::naive), problem, h), 9.8 / 2 * h * 3, 1e-9);
    EXPECT_LT(error_at_end(verlet(), problem, h), 1e-10);
  }
}

// Returns steps of kFirst (.5 + u), with random u in [0, 1). The first step is kFirst. The last one
// may be shorter, to end at `end`.
std::vector<double> random_steps(double end, std::uint64_t seed) {
  SplitMix64 draw(seed);
  std::vector<double> steps;
  for (double t = 0; end - t > 1e-9; t += steps.back()) {
    const double h = steps.empty() ? kFirst : kFirst * (1 + draw.symmetric() / 2);
    steps.push_back(std::min(h, end - t));
  }
  return steps;
}

struct Errors {
  double end = 0;
  double largest = 0;
};

template <class Method>
Errors follow(Method method, const Problem& problem, const std::vector<double>& steps) {
  State<double> state{0, {problem.x0}, {problem.v0}};
  method.start(state, problem, steps.front());
  Errors out;
  for (const double h : steps) {
    method.step(state, problem, h);
    out.end = std::fabs(state.x[0] - problem.exact(state.t));
    out.largest = std::max(out.largest, out.end);
  }
  return out;
}

TEST(Verlet, S2_10_S2_11_PlainVerletIsWorseWithRandomSteps) {
  constexpr int kSeeds = 1000;
  for (const Problem& problem : {kProjectile, kPolynomialA, kSine, kSpring}) {
    int better_at_end = 0;
    int better_on_the_way = 0;
    double plain_square = 0;
    double corrected_square = 0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const auto steps = random_steps(problem.end, static_cast<std::uint64_t>(seed));
      const Errors plain = follow(verlet(), problem, steps);
      const Errors corrected = follow(published(), problem, steps);
      better_at_end += corrected.end < plain.end;
      better_on_the_way += corrected.largest < plain.largest;
      plain_square += plain.end * plain.end;
      corrected_square += corrected.end * corrected.end;
    }
    EXPECT_GE(better_at_end, 0.98 * kSeeds) << problem.name;
    EXPECT_GE(better_on_the_way, 0.999 * kSeeds) << problem.name;
    EXPECT_GT(std::sqrt(plain_square / corrected_square), 50) << problem.name;
  }
}

TEST(Verlet, S2_13_FullCorrectionIsManyTimesBetter) {
  constexpr int kSeeds = 2000;
  const auto ratio = [](const Problem& problem) {
    double published_square = 0;
    double full_square = 0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const auto steps = random_steps(problem.end, static_cast<std::uint64_t>(seed));
      published_square += std::pow(follow(published(), problem, steps).end, 2);
      full_square += std::pow(follow(full(), problem, steps).end, 2);
    }
    const double factor = std::sqrt(published_square / full_square);
    std::printf("%s: rms published / full %.1f over %d seeds\n", problem.name, factor, kSeeds);
    return factor;
  };
  EXPECT_GE(ratio(kPolynomialB), 10);
  EXPECT_GE(ratio(kCosine), 80);
  EXPECT_GE(ratio(kSpring), 30);
  EXPECT_GE(ratio(kProjectile), 1e9);
}

TEST(Verlet, S2_12_PublishedCorrectionIsSemiImplicitEuler) {
  for (const Problem& problem : {kProjectile, kPolynomialB, kCosine, kSpring}) {
    const auto steps = random_steps(problem.end, 7);
    TimeCorrectedVerlet<double> corrected = published();
    SemiImplicitEuler<double> euler(1);
    State<double> a{0, {problem.x0}, {problem.v0}};
    State<double> b = a;
    std::vector<double> pull(1);
    problem.acceleration(0, a.x, a.v, pull);
    b.v[0] -= steps.front() / 2 * pull[0];
    corrected.start(a, problem, steps.front());
    for (const double h : steps) {
      corrected.step(a, problem, h);
      euler.step(b, problem, h);
      ASSERT_NEAR(a.x[0], b.x[0], 1e-11 * (1 + std::fabs(a.x[0]))) << problem.name;
    }
  }
}

TEST(Verlet, S2_14_FullCorrectionIsVelocityVerlet) {
  const auto steps = random_steps(100, 11);
  TimeCorrectedVerlet<double> corrected = full();
  VelocityVerlet<double> verlet(1);
  State<double> a{0, {1}, {0}};
  State<double> b = a;
  corrected.start(a, kSpring, steps.front());
  verlet.start(b, kSpring, steps.front());
  for (const double h : steps) {
    corrected.step(a, kSpring, h);
    verlet.step(b, kSpring, h);
    ASSERT_NEAR(a.x[0], b.x[0], 1e-11);
    ASSERT_NEAR(a.v[0], b.v[0], 1e-10);
  }
}

TEST(Verlet, S2_15_FrameRateChangeLeavesAVelocityError) {
  std::vector<double> steps(60, 1 / 60.0);
  steps.resize(120, 1 / 30.0);
  const auto error = [&steps](auto method) {
    Problem problem = kProjectile;
    return follow(method, problem, steps).end;
  };
  EXPECT_NEAR(error(published()), 9.8 / 2 * (1 / 30.0 - 1 / 60.0) * 2, 1e-9);
  EXPECT_LT(error(full()), 1e-9);
  EXPECT_NEAR(error(verlet()), 10.445, 1e-3);
}

// Runs a spring with w = 5 in steps of (.5 + u)/60, with random u in [0, 1), after a first step of
// 1/60. Returns the energy at the end, relative to the start.
template <class Method>
double energy_after_random_steps(Method method, long n, std::uint64_t seed) {
  Oscillator<double> system{25};
  SplitMix64 draw(seed);
  State<double> state{0, {1}, {0}};
  method.start(state, system, 1 / 60.0);
  for (long i = 0; i < n; ++i) {
    method.step(state, system, i == 0 ? 1 / 60.0 : (1 + draw.symmetric() / 2) / 60);
  }
  return state.x[0] * state.x[0] + state.v[0] * state.v[0] / 25;
}

TEST(Verlet, S2_16_EnergyWandersWithRandomSteps) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const double energy = energy_after_random_steps(full(), 300'000, seed);
    EXPECT_NEAR(std::log(energy), 0, std::log(3)) << "seed " << seed;
  }
}

TEST(Verlet, S2_16_SlowEnergyAfterTenMillionRandomSteps) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const double fully = energy_after_random_steps(full(), 10'000'000, seed);
    const double corrected = energy_after_random_steps(published(), 10'000'000, seed);
    std::printf("seed %llu: full %.3f, published %.3g\n", static_cast<unsigned long long>(seed),
                fully, corrected);
    EXPECT_NEAR(std::log(fully), 0, std::log(3)) << "seed " << seed;
    EXPECT_GT(corrected, 3) << "seed " << seed;
  }
}

}  // namespace
}  // namespace orrery::integrate::test
