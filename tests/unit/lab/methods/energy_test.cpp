// Tests the energy of long runs: bounded for symplectic methods, Beeman and the trapezoidal rule,
// unbounded for explicit Runge-Kutta methods. Also tests that symmetric methods are reversible.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "client/lab/methods/composition.h"
#include "client/lab/methods/euler.h"
#include "client/lab/methods/implicit.h"
#include "client/lab/methods/runge_kutta.h"
#include "client/lab/methods/velocity_verlet.h"
#include "tests/unit/lab/methods/problems.h"

namespace orrery::integrate::test {
namespace {

constexpr double kPeriod = 2 * std::numbers::pi;

double energy(const Oscillator<double>&, const State<double>& s) {
  return (s.x[0] * s.x[0] + s.v[0] * s.v[0]) / 2;
}
double energy(const Kepler<double>&, const State<double>& s) { return Kepler<double>::energy(s); }

// Largest relative errors of energy in the first 10 and the last 10 periods.
struct Ends {
  double first = 0;
  double last = 0;
};

template <class Method, class S>
Ends follow(Method method, S system, State<double> state, int steps_per_period, long periods) {
  const double h = kPeriod / steps_per_period;
  const double start = energy(system, state);
  method.start(state, system, h);
  Ends out;
  for (long period = 0; period < periods; ++period) {
    for (int i = 0; i < steps_per_period; ++i) {
      method.step(state, system, h);
      const double error = std::fabs(energy(system, state) / start - 1);
      if (period < 10) out.first = std::max(out.first, error);
      if (period >= periods - 10) out.last = std::max(out.last, error);
    }
  }
  return out;
}

template <class Method>
Ends oscillator(const Method& method, int steps_per_period, long periods) {
  return follow(method, Oscillator<double>{1}, {0, {1}, {0}}, steps_per_period, periods);
}

template <class Method>
Ends kepler(const Method& method, int steps_per_period, long periods) {
  return follow(method, Kepler<double>{}, Kepler<double>{}.start(), steps_per_period, periods);
}

// Each explicit method evaluates the force 60 times a period, except Yoshida 6 with 70 times.
void check_oscillator(long periods) {
  const auto bounded = [](const Ends& ends, double size, const char* name) {
    EXPECT_NEAR(ends.first, size, 0.02 * size) << name;
    EXPECT_LE(ends.last, 1.10 * ends.first) << name;
  };
  bounded(oscillator(SemiImplicitEuler<double>(1), 60, periods), 5.525286e-2, "semi-implicit");
  bounded(oscillator(VelocityVerlet<double>(1), 60, periods), 2.741555e-3, "velocity Verlet");
  bounded(oscillator(LeapfrogKickDriftKick<double>(1), 60, periods), 2.741555e-3, "kdk");
  bounded(oscillator(LeapfrogDriftKickDrift<double>(1), 60, periods), 2.741555e-3, "dkd");
  bounded(oscillator(Beeman<double>(1), 60, periods), 9.171636e-4, "Beeman");
  bounded(oscillator(ForestRuth<double>(1), 20, periods), 7.963005e-4, "Forest-Ruth");
  bounded(oscillator(Suzuki4<double>(1), 12, periods), 5.596608e-4, "Suzuki");
  bounded(oscillator(Pefrl<double>(1), 15, periods), 8.983962e-5, "PEFRL");
  bounded(oscillator(Yoshida6<double>(1), 10, periods), 2.494756e-4, "Yoshida 6");
  EXPECT_LT(oscillator(Trapezoidal<double>(1), 60, periods).last, 1e-10);
}

TEST(Energy, OscillatorOverThousandPeriods) { check_oscillator(1'000); }

TEST(Energy, SlowOscillatorOverHundredThousandPeriods) {
  check_oscillator(100'000);
  EXPECT_GT(oscillator(RungeKutta4<double>(1), 15, 100'000).last, 0.999);
}

TEST(Energy, RungeKuttaIsNotBounded) {
  EXPECT_NEAR(oscillator(RungeKutta4<double>(1), 15, 1'000).first, 1.094680e-2, 1e-4);
  EXPECT_GT(oscillator(RungeKutta4<double>(1), 15, 1'000).last, 0.5);
  EXPECT_GT(oscillator(Midpoint<double>(1), 30, 1'000).last, 100);
}

// Each method evaluates the force 240 times a period of an ellipse of eccentricity 1/2.
void check_kepler(long periods) {
  const auto bounded = [](const Ends& ends, double size, const char* name) {
    EXPECT_NEAR(ends.first, size, 0.02 * size) << name;
    EXPECT_LE(ends.last, 1.10 * ends.first) << name;
  };
  bounded(kepler(SemiImplicitEuler<double>(2), 240, periods), 4.232769e-2, "semi-implicit");
  bounded(kepler(VelocityVerlet<double>(2), 240, periods), 1.866102e-3, "velocity Verlet");
  bounded(kepler(LeapfrogDriftKickDrift<double>(2), 240, periods), 4.390903e-4, "dkd");
  bounded(kepler(Beeman<double>(2), 240, periods), 3.604565e-3, "Beeman");
  bounded(kepler(ForestRuth<double>(2), 80, periods), 3.397249e-4, "Forest-Ruth");
  bounded(kepler(Suzuki4<double>(2), 48, periods), 5.587813e-5, "Suzuki");
  bounded(kepler(Pefrl<double>(2), 60, periods), 9.844452e-5, "PEFRL");
}

TEST(Energy, KeplerOverHundredPeriods) { check_kepler(100); }

TEST(Energy, SlowKeplerOverHundredThousandPeriods) {
  check_kepler(100'000);
  EXPECT_GT(kepler(RungeKutta4<double>(2), 60, 100'000).last, 0.9);
}

// Time-reversible methods return to their starting point.
TEST(Energy, SymmetricMethodsAreReversible) {
  const auto returns = [](auto method) {
    Kepler<double> system;
    State<double> state = system.start();
    method.start(state, system, 0.01);
    for (int i = 0; i < 1000; ++i) method.step(state, system, 0.01);
    for (double& v : state.v) v = -v;
    method.start(state, system, 0.01);
    for (int i = 0; i < 1000; ++i) method.step(state, system, 0.01);
    for (double& v : state.v) v = -v;
    return distance(state, system.start());
  };
  EXPECT_LT(returns(VelocityVerlet<double>(2)), 1e-10);
  EXPECT_LT(returns(LeapfrogDriftKickDrift<double>(2)), 1e-10);
  EXPECT_LT(returns(Pefrl<double>(2)), 1e-10);
  EXPECT_LT(returns(Yoshida6<double>(2)), 1e-10);
  EXPECT_LT(returns(ImplicitMidpoint<double>(2)), 1e-10);
  EXPECT_GT(returns(SemiImplicitEuler<double>(2)), 1e-4);
  EXPECT_GT(returns(RungeKutta4<double>(2)), 1e-9);
}

}  // namespace
}  // namespace orrery::integrate::test
