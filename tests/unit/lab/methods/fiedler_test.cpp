// Tests the claims of Fiedler's "Integration Basics" about methods.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "client/lab/methods/composition.h"
#include "client/lab/methods/euler.h"
#include "client/lab/methods/implicit.h"
#include "client/lab/methods/runge_kutta.h"
#include "client/lab/methods/velocity_verlet.h"
#include "client/lab/methods/verlet.h"
#include "tests/unit/lab/methods/problems.h"

namespace orrery::integrate::test {
namespace {

// Returns a body of 1 kg under 10 N.
template <class T>
Oscillator<T> pushed() {
  return {0, 0, 10};
}

// Returns Fiedler's damped spring, which starts from rest at 1000 m. b = 0 removes the damping.
Oscillator<double> spring(double b = 0.1) { return {15, b}; }

std::string to_six_digits(float x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", static_cast<double>(x));
  return text;
}

struct Followed {
  double error_max = 0;
  double error_rms = 0;
  double size_max = 0;
  State<double> end;
};

template <class Method>
Followed follow(Method method, Oscillator<double> system, double h, long n) {
  State<double> state{0, {1000}, {0}};
  method.start(state, system, h);
  Followed out;
  for (long i = 1; i <= n; ++i) {
    method.step(state, system, h);
    const double exact = system.exact(1000, 0, h * static_cast<double>(i)).x[0];
    const double error = std::fabs(state.x[0] - exact);
    out.error_max = std::max(out.error_max, error);
    out.error_rms += error * error / static_cast<double>(n);
    out.size_max = std::max(out.size_max, std::fabs(state.x[0]));
  }
  out.error_rms = std::sqrt(out.error_rms);
  out.end = state;
  return out;
}

// Returns the energy of the undamped spring, relative to the start.
double energy(const State<double>& s) { return (s.v[0] * s.v[0] / 15 + s.x[0] * s.x[0]) / 1e6; }

// Returns the phase lead over the exact state, as an angle on the ellipse of the state.
double phase(const State<double>& s) {
  const double w = std::sqrt(15.0);
  const double angle = std::atan2(-s.v[0] / w, s.x[0]) - w * s.t;
  return std::remainder(angle, 2 * std::acos(-1.0));
}

TEST(Fiedler, S1_01_TableOfWholeSeconds) {
  Oscillator<float> system = pushed<float>();
  ExplicitEuler<float> method(1);
  State<float> state{0, {0}, {0}};
  const float positions[] = {0, 0, 10, 30, 60, 100, 150, 210, 280, 360, 450};
  for (int t = 0; t <= 10; ++t) {
    EXPECT_EQ(state.x[0], positions[t]);
    EXPECT_EQ(state.v[0], static_cast<float>(10 * t));
    method.step(state, system, 1.0f);
  }
  EXPECT_EQ(state.x[0], 550);
}

TEST(Fiedler, S1_02_ErrorIsHalfTheStep) {
  for (const double h : {1.0, 0.5, 0.25, 0.1, 0.01}) {
    Oscillator<double> system = pushed<double>();
    const State<double> end = run(ExplicitEuler<double>(1), system, {0, {0}, {0}}, h,
                                  static_cast<long>(std::lround(10 / h)));
    EXPECT_NEAR(500 - end.x[0], 50 * h, 1e-9);
  }
}

TEST(Fiedler, S1_03_TableOfHundredthsInBinary32) {
  const char* const rows[][2] = {
      {"489.552155", "98.999062"}, {"490.542145", "99.099060"}, {"491.533142", "99.199059"},
      {"492.525146", "99.299057"}, {"493.518127", "99.399055"}, {"494.512115", "99.499054"},
      {"495.507111", "99.599052"}, {"496.503113", "99.699051"}, {"497.500092", "99.799049"},
      {"498.498077", "99.899048"}, {"499.497070", "99.999046"}};
  Oscillator<float> system = pushed<float>();
  ExplicitEuler<float> method(1);
  State<float> state{0, {0}, {0}};
  for (int i = 0; i <= 1000; ++i) {
    if (i >= 990) {
      EXPECT_EQ(to_six_digits(state.x[0]), rows[i - 990][0]) << i;
      EXPECT_EQ(to_six_digits(state.v[0]), rows[i - 990][1]) << i;
    }
    method.step(state, system, 1.0f / 100.0f);
  }
}

TEST(Fiedler, S1_03_InBinary64OnlyTheMethodErrs) {
  Oscillator<double> system = pushed<double>();
  const State<double> end = run(ExplicitEuler<double>(1), system, {0, {0}, {0}}, 0.01, 1000);
  EXPECT_NEAR(end.x[0], 499.5, 1e-9);
}

TEST(Fiedler, S1_04_VelocityExactUnderConstantForce) {
  Oscillator<double> system = pushed<double>();
  const State<double> end = run(ExplicitEuler<double>(1), system, {0, {0}, {0}}, 0.25, 40);
  EXPECT_EQ(end.v[0], 100);
  EXPECT_NE(end.x[0], 500);
}

TEST(Fiedler, S1_05_ExplicitEulerGainsEnergyOnDampedSpring) {
  const Followed followed = follow(ExplicitEuler<double>(1), spring(), 0.01, 10'000);
  EXPECT_NEAR(followed.size_max, 12108.67, 0.01);
}

TEST(Fiedler, S1_06_ExplicitEulerIsStableBelowBOverK) {
  const auto size = [](double h) {
    return follow(ExplicitEuler<double>(1), spring(), h, std::lround(100 / h));
  };
  EXPECT_LT(std::fabs(size(1 / 200.0).end.x[0]), 200);
  EXPECT_NEAR(size(1 / 150.0).size_max, 1000.083, 0.01);
  EXPECT_NEAR(size(1 / 140.0).size_max, 1428.13, 0.1);
}

TEST(Fiedler, S1_07_SemiImplicitEulerIsCloseOnDampedSpring) {
  const Followed euler = follow(SemiImplicitEuler<double>(1), spring(), 0.01, 10'000);
  EXPECT_NEAR(euler.error_max, 19.819824, 1e-5);
  EXPECT_NEAR(euler.error_rms, 7.536161, 1e-5);
  EXPECT_NEAR(follow(VelocityVerlet<double>(1), spring(), 0.01, 10'000).error_max, 1.785892, 1e-5);
  EXPECT_NEAR(follow(RungeKutta4<double>(1), spring(), 0.01, 10'000).error_max, 0.000535, 1e-6);
  EXPECT_NEAR(follow(BackwardEuler<double>(1), spring(), 0.01, 10'000).error_max, 325.713506, 1e-4);
}

TEST(Fiedler, S1_08_SemiImplicitEulerIsOrder1ButBetter) {
  Oscillator<double> system{1};
  const auto error = [&system](auto method, long n) {
    return distance(run(method, system, {0, {1}, {0}}, 10 / static_cast<double>(n), n),
                    system.exact(1, 0, 10));
  };
  const SemiImplicitEuler<double> euler(1);
  EXPECT_NEAR(std::log2(error(euler, 32768) / error(euler, 65536)), 1, 0.05);
  EXPECT_GT(error(ExplicitEuler<double>(1), 4096), 15 * error(euler, 4096));
}

// "position += velocity dt; velocity += acceleration dt" is symplectic, not explicit Euler, if the
// force is evaluated at the new position.
TEST(Fiedler, S1_09_WhenTheForceIsAskedForDecides) {
  Oscillator<double> system{1};
  const double h = 10.0 / 4096;
  const State<double> start{0, {1}, {0}};
  const State<double> exact = system.exact(1, 0, 10);
  const double old = distance(run(ExplicitEuler<double>(1), system, start, h, 4096), exact);
  const double fresh =
      distance(run(SemiImplicitEulerPositionFirst<double>(1), system, start, h, 4096), exact);
  EXPECT_NEAR(old, 1.228182e-2, 1e-8);
  EXPECT_NEAR(fresh, 6.627449e-4, 1e-10);
}

// Tests the orders of Verlet, RK4, explicit Euler and backward Euler on Kepler's ellipse.
// order_test.cpp uses other problems too.
TEST(Fiedler, S1_10_S1_11_S1_12_Orders) {
  Kepler<long double> kepler;
  const auto slope = [&kepler](auto method, long n) {
    const auto error = [&](long steps) {
      return distance(
          run(method, kepler, kepler.start(), 7 / static_cast<long double>(steps), steps),
          kepler.exact(7));
    };
    return static_cast<double>(std::log2(error(n) / error(2 * n)));
  };
  EXPECT_NEAR(slope(PositionVerlet<long double>(2), 4096), 2, 0.05);
  EXPECT_NEAR(slope(RungeKutta4<long double>(2), 4096), 4, 0.1);
  EXPECT_NEAR(slope(ExplicitEuler<long double>(2), 65536), 1, 0.05);
  EXPECT_NEAR(slope(BackwardEuler<long double>(2), 65536), 1, 0.05);
}

TEST(Fiedler, S1_13_IndistinguishableAtPlotScale) {
  const Followed euler = follow(SemiImplicitEuler<double>(1), spring(), 0.01, 10'000);
  const Followed rk4 = follow(RungeKutta4<double>(1), spring(), 0.01, 10'000);
  EXPECT_LT(euler.error_max, 0.02 * 1000);
  EXPECT_LT(rk4.error_max, 1e-6 * 1000);
}

TEST(Fiedler, S1_14_SemiImplicitEulerOutOfPhase) {
  const double verlet = phase(follow(VelocityVerlet<double>(1), spring(0), 0.1, 900).end);
  const double euler = phase(follow(SemiImplicitEuler<double>(1), spring(0), 0.1, 900).end);
  EXPECT_NEAR(verlet, 2.2242, 1e-3);
  EXPECT_NEAR(euler, 2.35, 0.15);
}

TEST(Fiedler, S1_15_Rk4LosesEnergyAtATenth) {
  const State<double> end = follow(RungeKutta4<double>(1), spring(0), 0.1, 900).end;
  EXPECT_NEAR(energy(end), 0.95944773, 1e-6);
  EXPECT_NEAR(phase(end), -0.061891, 1e-5);
}

TEST(Fiedler, S1_16_Rk4LosesItsFrequencyAtAQuarter) {
  const State<double> end = follow(RungeKutta4<double>(1), spring(0), 0.25, 360).end;
  EXPECT_NEAR(energy(end), 0.025847, 1e-6);
  EXPECT_LT(phase(end), -1.5);
}

TEST(Fiedler, S1_17_S4_15_SemiImplicitEnergyDoesNotDriftButIsBiased) {
  SemiImplicitEuler<double> method(1);
  Oscillator<double> system{1};
  for (const double theta : {std::sqrt(0.15), std::sqrt(0.9375), 1.5, 1.9, 1.99}) {
    State<double> state{0, {1}, {0}};
    double mean[2] = {0, 0};
    for (double& half : mean) {
      for (int i = 0; i < 200'000; ++i) {
        method.step(state, system, theta);
        half += (state.x[0] * state.x[0] + state.v[0] * state.v[0]) / 200'000;
      }
    }
    EXPECT_NEAR(mean[0] / mean[1], 1, 1e-3) << theta;
    EXPECT_NEAR(mean[1] * (1 - theta * theta / 4), 1, 1e-2) << theta;
  }
}

TEST(Fiedler, S1_18_SymplecticOfOrder4BeatsRk4) {
  const Followed tenth = follow(Pefrl<double>(1), spring(0), 0.1, 900);
  const Followed quarter = follow(Pefrl<double>(1), spring(0), 0.25, 360);
  EXPECT_LT(quarter.error_max, 20);
  EXPECT_NEAR(energy(quarter.end), 0.99992264, 1e-7);
  EXPECT_NEAR(phase(quarter.end), -0.017978, 1e-5);
  EXPECT_GT(follow(RungeKutta4<double>(1), spring(0), 0.1, 900).error_max, 100 * tenth.error_max);
  EXPECT_GT(follow(RungeKutta4<double>(1), spring(0), 0.25, 360).error_max, 50 * quarter.error_max);
}

}  // namespace
}  // namespace orrery::integrate::test
