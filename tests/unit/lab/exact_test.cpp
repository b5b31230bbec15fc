// Tests that each exact solution satisfies its equation of motion.
#include "client/lab/exact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "client/lab/elliptic.h"
#include "client/lab/rotation_run.h"
#include "client/lab/system.h"

namespace orrery::lab {
namespace {

std::vector<Real> position(const Problem& problem, Real t) {
  std::vector<Real> x(problem.dimension()), v(problem.dimension());
  exact_state(problem, t, x, v);
  return x;
}

// Returns the derivative of a function of time at t, by the central difference of fourth order.
template <class Function>
Real derivative(Function f, Real t) {
  constexpr Real kStep = 1e-3L;
  return (8 * (f(t + kStep) - f(t - kStep)) - (f(t + 2 * kStep) - f(t - 2 * kStep))) / (12 * kStep);
}

void expect_solves_its_equation(const Problem& problem, const char* name) {
  const std::size_t n = problem.dimension();
  LabSystem<Real> system(problem);
  std::vector<Real> x(n), v(n), a(n);
  for (const Real t : {0.0L, 0.3L, 1.7L, 4.9L}) {
    exact_state(problem, t, x, v);
    system.acceleration(t, x, v, a);
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = [&](Real time) { return position(problem, time)[i]; };
      const auto speed = [&](Real time) {
        std::vector<Real> x1(n), v1(n);
        exact_state(problem, time, x1, v1);
        return v1[i];
      };
      const Real size = 1 + std::fabs(v[i]) + std::fabs(a[i]);
      EXPECT_NEAR(static_cast<double>((derivative(at, t) - v[i]) / size), 0, 1e-8)
          << name << " v at " << static_cast<double>(t);
      EXPECT_NEAR(static_cast<double>((derivative(speed, t) - a[i]) / size), 0, 1e-8)
          << name << " a at " << static_cast<double>(t);
    }
  }
}

TEST(Exact, EveryProblemSolvesItsEquation) {
  for (const ProblemInfo& info : problems()) {
    std::vector<Setting> settings;
    if (info.name == "bounce") settings = {{"kept", 0.9}};  // the ball does not rest by 4.9 s
    const Problem problem = make_problem(info.name, settings).value();
    expect_solves_its_equation(problem, std::string(info.name).c_str());
  }
}

TEST(Exact, EveryProblemStartsWhereItSays) {
  for (const ProblemInfo& info : problems()) {
    const Problem problem = make_problem(info.name).value();
    std::vector<Real> x(problem.dimension()), v(problem.dimension());
    exact_state(problem, 0, x, v);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(x[i] - problem.x0[i]), 0, 1e-15) << info.name;
      EXPECT_NEAR(static_cast<double>(v[i] - problem.v0[i]), 0, 1e-15) << info.name;
    }
  }
}

TEST(Exact, DampingOfEveryKind) {
  for (const double b : {0.0, 0.5, 2.0, 5.0}) {
    const std::vector<Setting> settings{{"k", 1}, {"b", b}, {"x0", 1}, {"v0", -3}};
    expect_solves_its_equation(make_problem("damped", settings).value(), "damped");
  }
}

TEST(Exact, PendulumThatGoesOverTheTop) {
  for (const double v0 : {-3.0, -2.0, 1.5, 2.0, 3.0}) {
    for (const double x0 : {0.0, 1.0, -2.5, 7.0}) {
      const std::vector<Setting> settings{{"x0", x0}, {"v0", v0}};
      expect_solves_its_equation(make_problem("pendulum", settings).value(), "pendulum");
    }
  }
}

// A ball that falls for one unit of time, and keeps half of its speed, bounces at the times 1, 2,
// 2.5, 2.75, ..., and rests at 3.
TEST(Exact, ABallBouncesAtTheTimesOfAGeometricSeries) {
  const std::vector<Setting> settings{{"g", -2}, {"kept", 0.5}, {"x0", 1}};
  const Problem ball = make_problem("bounce", settings).value();
  Real lands = 1, flight = 1, x = 0, v = 0;
  for (int bounces = 0; bounces < 18; ++bounces, lands += flight, flight /= 2) {
    exact_state(ball, lands, {&x, 1}, {&v, 1});
    EXPECT_NEAR(static_cast<double>(x), 0, 1e-15) << bounces;
    exact_state(ball, lands + flight / 2, {&x, 1}, {&v, 1});
    EXPECT_NEAR(static_cast<double>(x / std::pow(flight / 2, Real(2))), 1, 1e-9) << bounces;
    EXPECT_NEAR(static_cast<double>(v / flight), 0, 1e-9) << bounces;
  }
  exact_state(ball, 3, {&x, 1}, {&v, 1});
  EXPECT_EQ(x, 0);
  EXPECT_EQ(v, 0);
}

TEST(Exact, EnergyIsKept) {
  for (const char* name : {"oscillator", "two-springs", "gravity-spring", "pendulum", "inverted",
                           "kepler", "chain", "projectile"}) {
    const Problem problem = make_problem(name).value();
    std::vector<Real> x(problem.dimension()), v(problem.dimension());
    const Real first = *energy(problem, problem.x0, problem.v0);
    for (const Real t : {0.4L, 3.0L, 9.0L}) {
      exact_state(problem, t, x, v);
      EXPECT_NEAR(static_cast<double>(*energy(problem, x, v) / first), 1, 1e-12) << name;
    }
  }
}

// Values from Abramowitz and Stegun, table 17.1, and identities.
TEST(Elliptic, KnownValues) {
  EXPECT_NEAR(static_cast<double>(complete_integral(0)), 1.5707963267948966, 1e-15);
  EXPECT_NEAR(static_cast<double>(complete_integral(std::sqrt(0.5L))), 1.8540746773013719, 1e-15);
  const Real quarter = complete_integral(0.8L);
  EXPECT_NEAR(static_cast<double>(jacobi(quarter, 0.8L).sn), 1, 1e-15);
  EXPECT_NEAR(static_cast<double>(jacobi(quarter, 0.8L).dn), 0.6, 1e-15);
  for (const Real amplitude : {-4.0L, -1.0L, 0.2L, 1.5L, 3.0L}) {
    const Real u = incomplete_integral(amplitude, 0.9L);
    EXPECT_NEAR(static_cast<double>(jacobi(u, 0.9L).am - amplitude), 0, 1e-15);
  }
}

// Compares the exact spin about the middle axis, from elliptic functions, with Runge-Kutta in small
// steps.
TEST(Rotation, ExactFlipsAgreeWithSmallSteps) {
  const Triple<double> omegas[] = {
      {0.01, 5, 0.01}, {0.3, 4, -0.2}, {-0.5, -3, 0.4}, {1, 2, -3}, {2, -1, 0.5}};
  for (const Triple<double>& omega : omegas) {
    for (const Triple<double>& inertia :
         {Triple<double>{1, 2, 3}, Triple<double>{3, 1, 2}, Triple<double>{2, 3, 1.5}}) {
      const auto clock = exact_flips(inertia, omega);
      ASSERT_TRUE(clock);
      const RotationReport report = run_rotation({"rk4", inertia, omega, 1 / 2048.0, 2048 * 20});
      EXPECT_EQ(report.flips, clock->flips_by(20));
      EXPECT_NEAR(report.first_flip.value_or(0), static_cast<double>(clock->first), 1e-3);
    }
  }
}

}  // namespace
}  // namespace orrery::lab
