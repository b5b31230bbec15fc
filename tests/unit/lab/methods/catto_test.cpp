// Tests the claims of Catto's "Numerical Methods" about methods for an oscillator.
//
// rotation_methods_test.cpp tests the claims about rotation.
#include <gtest/gtest.h>

#include <cmath>

#include "client/lab/methods/euler.h"
#include "client/lab/methods/implicit.h"
#include "tests/unit/lab/methods/problems.h"

namespace orrery::integrate::test {
namespace {

constexpr double kPi = 3.14159265358979323846;

double radius(double trace, double determinant) {
  const double half = trace / 2;
  const double discriminant = half * half - determinant;
  return discriminant < 0 ? std::sqrt(determinant) : std::fabs(half) + std::sqrt(discriminant);
}

// Returns the largest modulus of an eigenvalue of one step with h w = theta.
template <class Method>
double spectral_radius(const Method& method, double theta) {
  Oscillator<double> system{1};
  const State<double> x = run(method, system, State<double>{0, {1}, {0}}, theta, 1);
  const State<double> v = run(method, system, State<double>{0, {0}, {1}}, theta, 1);
  return radius(x.x[0] + v.v[0], x.x[0] * v.v[0] - v.x[0] * x.v[0]);
}

// Returns the largest |(x, v)| that semi-implicit Euler reaches from (1, 0).
double largest(double theta, int steps) {
  Oscillator<double> system{1};
  SemiImplicitEuler<double> method(1);
  State<double> state{0, {1}, {0}};
  double size = 1;
  for (int i = 0; i < steps; ++i) {
    method.step(state, system, theta);
    size = std::max(size, std::hypot(state.x[0], state.v[0]));
  }
  return size;
}

TEST(Catto, S3_01_ExplicitEulerAlwaysAboveOne) {
  for (const double theta : {0.001, 0.1, 1.0, 2.0}) {
    EXPECT_NEAR(spectral_radius(ExplicitEuler<double>(1), theta), std::sqrt(1 + theta * theta),
                1e-12);
  }
}

TEST(Catto, S3_02_OneIsEnough) {
  EXPECT_NEAR(spectral_radius(SemiImplicitEuler<double>(1), 1), 1, 1e-15);
  EXPECT_LT(largest(1, 100'000), 1.5);
}

TEST(Catto, S3_03_DampingStabilisesExplicitEuler) {
  const auto growth = [](double h) {
    Oscillator<double> system{15, 0.1};
    const State<double> end =
        run(ExplicitEuler<double>(1), system, State<double>{0, {1}, {0}}, h, 1'000'000);
    return end.x[0] * end.x[0] + end.v[0] * end.v[0] / 15;
  };
  EXPECT_LT(growth(0.99 * 0.1 / 15), 0.1);
  EXPECT_GT(growth(1.01 * 0.1 / 15), 10);
}

TEST(Catto, S3_04_S3_06_ImplicitEulerStableAndDamped) {
  for (const double theta : {0.1, 1.0, 2.0, 1000.0}) {
    EXPECT_NEAR(spectral_radius(BackwardEuler<double>(1), theta), 1 / std::sqrt(1 + theta * theta),
                1e-12);
  }
}

// The claim: "If I use the current velocity in the position update, explicit Euler becomes
// semi-implicit". It has to be the new velocity. With the old velocity the method stays explicit.
TEST(Catto, S3_07_ItIsTheNewVelocity) {
  Oscillator<double> system{1};
  const State<double> start{0, {1}, {0.5}};
  const State<double> a = run(SemiImplicitEuler<double>(1), system, start, 0.1, 1);
  EXPECT_DOUBLE_EQ(a.x[0], 1 + 0.1 * (0.5 - 0.1));
  const State<double> b = run(ExplicitEuler<double>(1), system, start, 0.1, 1);
  EXPECT_DOUBLE_EQ(b.x[0], 1 + 0.1 * 0.5);
  EXPECT_EQ(a.v[0], b.v[0]);
}

// S4-14 claims that semi-implicit Euler is as stable as implicit Euler, which is stable at every
// step size. The test shows that semi-implicit Euler is unstable from h w = 2 on.
TEST(Catto, S3_08_S4_14_SemiImplicitEulerUnstableAtTwo) {
  const SemiImplicitEuler<double> method(1);
  EXPECT_NEAR(spectral_radius(method, 1.9999), 1, 1e-12);
  EXPECT_NEAR(spectral_radius(method, 2.01), 1.221301, 1e-6);
  EXPECT_NEAR(spectral_radius(method, 2.1), 1.877328, 1e-6);
  EXPECT_NEAR(spectral_radius(method, 2.5), 4, 1e-12);
  EXPECT_LT(largest(1.99, 100'000), 20);
  EXPECT_GT(largest(2, 10'000), 10'000);
  EXPECT_GT(largest(2.01, 1'000), 1e80);
}

TEST(Catto, S3_09_S3_10_HalfTheLimitIsAHexagon) {
  Oscillator<double> system{1};
  const State<double> start{0, {1}, {0}};
  const State<double> end = run(SemiImplicitEuler<double>(1), system, start, 1.0, 6);
  EXPECT_EQ(end.x[0], 1);
  EXPECT_EQ(end.v[0], 0);
}

// The period, in steps, is 2 pi divided by the angle of the eigenvalue.
TEST(Catto, S3_11_FourStepsPerOscillation) {
  Oscillator<double> system{1};
  const double theta = kPi / 2;
  const State<double> x = run(SemiImplicitEuler<double>(1), system, {0, {1}, {0}}, theta, 1);
  const State<double> v = run(SemiImplicitEuler<double>(1), system, {0, {0}, {1}}, theta, 1);
  EXPECT_NEAR(2 * kPi / std::acos((x.x[0] + v.v[0]) / 2), 3.4778, 1e-3);
}

TEST(Catto, S3_22_OverdampedCrossesAtMostOnce) {
  const auto crossings = [](double damping_ratio) {
    Oscillator<double> system{1, 2 * damping_ratio};
    SemiImplicitEuler<double> method(1);
    State<double> state{0, {1}, {-3}};
    int count = 0;
    for (int i = 0; i < 6000; ++i) {
      const double before = state.x[0];
      method.step(state, system, 0.01);
      if ((before < 0) != (state.x[0] < 0)) ++count;
    }
    return count;
  };
  EXPECT_GT(crossings(0.5), 5);
  EXPECT_LE(crossings(1), 1);
  EXPECT_LE(crossings(1.5), 1);
}

}  // namespace
}  // namespace orrery::integrate::test
