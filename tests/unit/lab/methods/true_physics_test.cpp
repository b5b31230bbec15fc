// Tests the claims of "True Physics" (the kinematic integrator) about methods.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "client/lab/methods/composition.h"
#include "client/lab/methods/euler.h"
#include "client/lab/methods/kinematic.h"
#include "client/lab/methods/runge_kutta.h"
#include "tests/unit/lab/methods/problems.h"

namespace orrery::integrate::test {
namespace {

constexpr double kPi = std::numbers::pi;

Force<double> constant(double acceleration) { return {.strength = acceleration}; }
Force<double> spring(double stiffness) {
  return {.kind = ForceKind::spring, .strength = stiffness};
}
Force<double> drag(double b) { return {.kind = ForceKind::drag, .strength = b}; }

Kinematic<double> exact_dx() { return {1, KinematicPosition::exact, libm<double>()}; }
Kinematic<double> average_dx() { return {1, KinematicPosition::average, libm<double>()}; }

// The matrix of one step, (x, v) -> (x, v), from its effect on (1, 0) and (0, 1).
struct StepMatrix {
  double xx, xv, vx, vv;
  double determinant() const { return xx * vv - xv * vx; }
};

template <class Method, class S>
StepMatrix matrix_of(const Method& method, S system, double h) {
  const State<double> x = run(method, system, State<double>{0, {1}, {0}}, h, 1);
  const State<double> v = run(method, system, State<double>{0, {0}, {1}}, h, 1);
  return {x.x[0], v.x[0], x.v[0], v.v[0]};
}

double energy(const State<double>& s) { return (s.v[0] * s.v[0] + s.x[0] * s.x[0]) / 2; }

struct EnergyRange {
  double least = 1e300;
  double most = 0;
  double mean = 0;
};

// Runs semi-implicit Euler on an oscillator with w = 1 from rest. Returns the least, largest and
// mean energy, relative to the true energy.
EnergyRange semi_implicit_energy(double theta, int steps) {
  SemiImplicitEuler<double> method(1);
  Oscillator<double> system{1};
  State<double> state{0, {1}, {0}};
  EnergyRange range;
  for (int i = 0; i < steps; ++i) {
    method.step(state, system, theta);
    const double e = 2 * energy(state);
    range.least = std::min(range.least, e);
    range.most = std::max(range.most, e);
    range.mean += e / steps;
  }
  return range;
}

TEST(TruePhysics, S0_01_ExplicitEulerIntroducesEnergy) {
  for (const double theta : {0.01, 0.1, 1.0, 2.0}) {
    const StepMatrix m = matrix_of(ExplicitEuler<double>(1), Oscillator<double>{1}, theta);
    EXPECT_NEAR(std::sqrt(m.determinant()), std::sqrt(1 + theta * theta), 1e-12);
  }
}

// The document claims order 2.
TEST(TruePhysics, S0_03_SemiImplicitEulerIsOfOrder1) {
  Oscillator<double> system{1};
  const auto error = [&system](long n) {
    const double h = 10.0 / static_cast<double>(n);
    return distance(run(SemiImplicitEuler<double>(1), system, {0, {1}, {0}}, h, n),
                    system.exact(1, 0, 10));
  };
  EXPECT_NEAR(std::log2(error(32768) / error(65536)), 1, 0.05);
}

TEST(TruePhysics, S0_04_SemiImplicitMeanEnergyIsBiased) {
  for (const double theta : {0.1, 0.5, 1.0, 1.9}) {
    const double mean = semi_implicit_energy(theta, 1'000'000).mean;
    EXPECT_NEAR(mean * (1 - theta * theta / 4), 1, 2e-5) << theta;
  }
}

TEST(TruePhysics, S0_05_SemiImplicitEnergyBounded) {
  for (const double theta : {0.1, 0.5, 1.0, 1.9}) {
    const EnergyRange range = semi_implicit_energy(theta, 200'000);
    EXPECT_GE(range.least, 1 / (1 + theta / 2) - 1e-9) << theta;
    EXPECT_LE(range.most, 1 / (1 - theta / 2) + 1e-9) << theta;
  }
}

TEST(TruePhysics, S0_06_ConstantForceExactAtAnyStep) {
  for (const double h : {1.0, 10.0, 100.0, 1000.0}) {
    Forces<double> lander{{constant(-1.62), constant(0.5)}, nullptr};
    const auto n = static_cast<long>(1000 / h);
    const State<double> end = run(exact_dx(), lander, {0, {100}, {0}}, h, n);
    const double exact = 100 + (-1.62 + 0.5) * 500'000;
    EXPECT_NEAR(end.x[0] / exact, 1, 1e-14) << h;
  }
}

TEST(TruePhysics, S0_07_KinematicEquationsUnstableOnSprings) {
  for (const double theta : {0.01, 0.1, 1.0}) {
    const StepMatrix m = matrix_of(TaylorEuler<double>(1), Oscillator<double>{1}, theta);
    EXPECT_NEAR(m.determinant(), 1 + theta * theta / 2, 1e-12);
  }
}

TEST(TruePhysics, S0_08_KinematicEquationsWorseThanSemiImplicitBetterThanExplicit) {
  Oscillator<double> system{1};
  const auto error = [&system](auto method) {
    return distance(run(method, system, {0, {1}, {0}}, 10.0 / 4096, 4096), system.exact(1, 0, 10));
  };
  const double taylor = error(TaylorEuler<double>(1));
  EXPECT_GT(taylor, 5 * error(SemiImplicitEuler<double>(1)));
  EXPECT_LT(taylor, error(ExplicitEuler<double>(1)));
}

TEST(TruePhysics, S0_09_S0_10_FallbackIsSemiImplicitEuler) {
  Forces<double> pull{{}, [](double x) { return -15 * x; }};
  Oscillator<double> system{15};
  Kinematic<double> fallback = exact_dx();
  SemiImplicitEuler<double> euler(1);
  State<double> a{0, {1}, {0}};
  State<double> b = a;
  fallback.start(a, pull, 0.01);
  for (int i = 0; i < 1000; ++i) {
    fallback.step(a, pull, 0.01);
    euler.step(b, system, 0.01);
    ASSERT_NEAR(a.x[0], b.x[0], 1e-13);
    ASSERT_NEAR(a.v[0], b.v[0], 1e-13);
    b = a;
    ASSERT_NEAR(a.x[0], b.x[0], 0);
  }
}

TEST(TruePhysics, S0_11_SpringMapHasDeterminant1) {
  for (const double stiffness : {1.0, 15.0, 2500.0}) {
    for (const double h : {1 / 60.0, 0.1, 1.0, 10.0}) {
      const StepMatrix m = matrix_of(exact_dx(), Forces<double>{{spring(stiffness)}, nullptr}, h);
      EXPECT_NEAR(m.determinant(), 1, 1e-14) << stiffness << " " << h;
    }
  }
}

TEST(TruePhysics, S0_12_SpringExactButForRounding) {
  for (const double w : {1.0, std::sqrt(15.0), 50.0}) {
    for (const double h : {1 / 60.0, 0.1, 1.0, 10.0}) {
      for (const long n : {1000L, 30'000L}) {
        Forces<double> system{{spring(w * w)}, nullptr};
        const State<double> end = run(exact_dx(), system, {0, {1}, {0}}, h, n);
        const long double angle = static_cast<long double>(std::sqrt(w * w)) * h * n;
        const double error = std::fabs(end.x[0] - static_cast<double>(std::cos(angle)));
        EXPECT_LT(error, 1e-14 * static_cast<double>(n) * std::max(1.0, w * h)) << w << " " << h;
      }
    }
  }
}

TEST(TruePhysics, S0_12_SpringInBinary32KeepsFiveDigits) {
  const Force<float> force{.kind = ForceKind::spring, .strength = 15};
  Forces<float> system{{force}, nullptr};
  const Kinematic<float> method(1, KinematicPosition::exact, libm<float>());
  const State<float> end = run(method, system, {0, {1}, {0}}, 1 / 60.0f, 1000);
  const double exact = std::cos(std::sqrt(15.0) * static_cast<double>(1 / 60.0f) * 1000);
  EXPECT_NEAR(static_cast<double>(end.x[0]), exact, 5e-5);
}

TEST(TruePhysics, S0_13_TwoSpringsGainEnergy) {
  for (const double theta : {0.02, 0.05, 0.1}) {
    const Forces<double> two{{spring(1), spring(1)}, nullptr};
    const double gain = matrix_of(exact_dx(), two, theta).determinant() - 1;
    EXPECT_NEAR(gain / (std::pow(theta, 4) / 6), 1, theta * theta) << theta;
  }
}

TEST(TruePhysics, S0_15_AverageAccelerationRemovesEnergy) {
  for (const double theta : {0.02, 0.05, 0.1}) {
    const Forces<double> one{{spring(1)}, nullptr};
    const Forces<double> two{{spring(1), spring(1)}, nullptr};
    const double lost_one = 1 - matrix_of(average_dx(), one, theta).determinant();
    const double lost_two = 1 - matrix_of(average_dx(), two, theta).determinant();
    EXPECT_NEAR(lost_one / (std::pow(theta, 4) / 24), 1, theta * theta + 1e-5) << theta;
    EXPECT_NEAR(lost_two / (std::pow(theta, 4) / 12), 1, theta * theta + 1e-5) << theta;
  }
}

double radius(const StepMatrix& m) {
  const double half = (m.xx + m.vv) / 2;
  const double discriminant = half * half - m.determinant();
  return discriminant < 0 ? std::sqrt(m.determinant()) : std::fabs(half) + std::sqrt(discriminant);
}

TEST(TruePhysics, S0_15_AverageAccelerationIsStableToPi) {
  const auto largest = [](const Forces<double>& system) {
    double theta = 0.001;
    while (radius(matrix_of(average_dx(), system, theta)) <= 1 + 1e-12) theta += 1e-4;
    return theta;
  };
  EXPECT_NEAR(largest(Forces<double>{{spring(1)}, nullptr}), kPi, 2e-4);
  EXPECT_NEAR(largest(Forces<double>{{spring(1), spring(1)}, nullptr}), kPi / 2, 2e-4);
}

struct Errors {
  double rms;
  double square;
  double last;
};

// Runs n steps from rest at x = 1. Returns the errors of x.
template <class Method, class S>
Errors errors(Method method, S system, double w, double h, long n) {
  State<double> state{0, {1}, {0}};
  method.start(state, system, h);
  Errors out{};
  for (long i = 1; i <= n; ++i) {
    method.step(state, system, h);
    out.last = std::fabs(state.x[0] - std::cos(w * h * static_cast<double>(i)));
    out.square += out.last * out.last / static_cast<double>(n);
  }
  out.rms = std::sqrt(out.square);
  return out;
}

// Divides the mean squared error of semi-implicit Euler by those of the kinematic integrator, in
// its exact and its average form. The run is short and has two equal springs. The ratios, 12,000
// and 64 million, are near those in the document, 12,000 and 58 million. In a run over three hours
// the first ratio is 1.
TEST(TruePhysics, S0_14_S0_18_RatiosToSemiImplicitEuler) {
  constexpr double kStiffness = 2.669190;
  constexpr double kStep = 0.02;
  const double w = std::sqrt(2 * kStiffness);
  const Forces<double> two{{spring(kStiffness), spring(kStiffness)}, nullptr};
  const auto square = [&](auto method, const auto& system) {
    return errors(method, system, w, kStep, 94).square;
  };
  const double euler = square(SemiImplicitEuler<double>(1), Oscillator<double>{2 * kStiffness});
  const double to_exact = euler / square(exact_dx(), two);
  const double to_average = euler / square(average_dx(), two);
  EXPECT_NEAR(to_exact, 1.199763e4, 1);
  EXPECT_NEAR(to_average, 6.429886e7, 6.5e4);
}

TEST(TruePhysics, S0_16_AverageBetterOnlyForSpringsOfSimilarStiffness) {
  const auto rms = [](auto method, double k1, double k2, double time, long n) {
    const Forces<double> system{{spring(k1), spring(k2)}, nullptr};
    return errors(method, system, std::sqrt(k1 + k2), time / static_cast<double>(n), n).rms;
  };
  EXPECT_NEAR(rms(average_dx(), 7.5, 7.5, 10, 1024), 9.0656e-6, 1e-9);
  EXPECT_NEAR(rms(exact_dx(), 7.5, 7.5, 10, 1024), 9.2712e-4, 1e-7);
  EXPECT_LT(rms(exact_dx(), 1, 0.001, 10, 1024), rms(average_dx(), 1, 0.001, 10, 1024));
}

TEST(TruePhysics, S0_17_FivePercentInThreeHours) {
  const struct {
    double h;
    double stiffness;
  } cases[] = {{1 / 60.0, 3.508731}, {0.02, 2.669190}, {0.01, 7.549531}, {1 / 30.0, 1.240540}};
  for (const auto& [h, stiffness] : cases) {
    const Forces<double> two{{spring(stiffness), spring(stiffness)}, nullptr};
    const double kept = matrix_of(average_dx(), two, h).determinant();
    EXPECT_NEAR(std::pow(kept, 10'800 / h), 0.95, 5e-4) << h;
  }
}

// With the same number of force evaluations, RK4 has the smaller error if the steps are small
// enough. With unequal springs, RK4 has the smaller error already at larger steps.
TEST(TruePhysics, S0_19_NotBetterThanRk4InGeneral) {
  const auto rk4 = [](double k, long n) {
    return errors(RungeKutta4<double>(1), Oscillator<double>{k}, std::sqrt(k),
                  40.0 / static_cast<double>(n), n / 4)
        .rms;
  };
  const auto average = [](double k1, double k2, long n) {
    const Forces<double> system{{spring(k1), spring(k2)}, nullptr};
    return errors(average_dx(), system, std::sqrt(k1 + k2), 10.0 / static_cast<double>(n), n).rms;
  };
  EXPECT_LT(average(7.5, 7.5, 2048), rk4(15, 2048));
  EXPECT_GT(average(7.5, 7.5, 16384), rk4(15, 16384));
  EXPECT_GT(average(12, 3, 1024), rk4(15, 1024));
}

TEST(TruePhysics, S0_20_Orders) {
  const auto slope = [](auto method, std::vector<Force<double>> list, double w) {
    const Forces<double> system{std::move(list), nullptr};
    const double coarse = errors(method, system, w, 10.0 / 2048, 2048).rms;
    return std::log2(coarse / errors(method, system, w, 10.0 / 4096, 4096).rms);
  };
  const double w = std::sqrt(15.0);
  EXPECT_NEAR(slope(exact_dx(), {spring(7.5), spring(7.5)}, w), 2, 0.05);
  EXPECT_NEAR(slope(exact_dx(), {spring(12), spring(3)}, w), 2, 0.05);
  EXPECT_NEAR(slope(average_dx(), {spring(7.5), spring(7.5)}, w), 3, 0.05);
  EXPECT_NEAR(slope(average_dx(), {spring(12), spring(3)}, w), 2, 0.05);
}

// Returns the error of x after 10 s in n steps. The mass starts from rest at x = 1, under gravity
// and a spring. With `together`, both forces are solved as one.
double gravity_spring_error(const Kinematic<double>& method, bool together, long n) {
  constexpr double kGravity = -9.8;
  Forces<double> system{{constant(kGravity), spring(15)}, nullptr};
  if (together) combine_constants(system.list);
  const State<double> end = run(method, system, {0, {1}, {0}}, 10 / static_cast<double>(n), n);
  return std::fabs(end.x[0] - Oscillator<double>{15, 0, kGravity}.exact(1, 0, 10).x[0]);
}

TEST(TruePhysics, S0_21_S0_23_GravityAndSpringAreExactOnlyTogether) {
  const double exact = gravity_spring_error(exact_dx(), false, 2048);
  const double average = gravity_spring_error(average_dx(), false, 2048);
  EXPECT_NEAR(exact, 1.87599e-5, 1e-9);
  EXPECT_NEAR(average, 7.94841e-4, 1e-8);
  EXPECT_NEAR(std::log2(exact / gravity_spring_error(exact_dx(), false, 4096)), 2, 0.05);
  EXPECT_NEAR(std::log2(average / gravity_spring_error(average_dx(), false, 4096)), 2, 0.05);
  EXPECT_LT(gravity_spring_error(exact_dx(), true, 600), 1e-12);
  EXPECT_LT(gravity_spring_error(exact_dx(), true, 10), 1e-13);
}

TEST(TruePhysics, S0_22_GravityAndDragGiveABiasedTerminalSpeed) {
  const struct {
    double b;
    double h;
  } cases[] = {{0.1, 1 / 60.0}, {1, 1 / 60.0}, {1, 0.1}};
  for (const auto& [b, h] : cases) {
    Forces<double> system{{constant(9.8), drag(b)}, nullptr};
    const State<double> end =
        run(exact_dx(), system, {0, {0}, {0}}, h, static_cast<long>(60 / (b * h)));
    EXPECT_NEAR(end.v[0] / (9.8 / b), b * h / (1 - std::exp(-b * h)), 1e-8);
  }
}

TEST(TruePhysics, DragAloneIsExact) {
  for (const double h : {1e-6, 0.01, 1.0, 100.0}) {
    Forces<double> system{{drag(0.3)}, nullptr};
    const State<double> end = run(exact_dx(), system, {0, {2}, {5}}, h, 3);
    EXPECT_NEAR(end.v[0], 5 * std::exp(-0.9 * h), 1e-14);
    EXPECT_NEAR(end.x[0], 2 - 5 * std::expm1(-0.9 * h) / 0.3, 1e-13);
  }
}

}  // namespace
}  // namespace orrery::integrate::test
