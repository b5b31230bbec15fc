// Tests the claims of the slides "Numerical Integration" (Utrecht) about methods.
#include <gtest/gtest.h>

#include <cmath>

#include "client/lab/methods/euler.h"
#include "client/lab/methods/implicit.h"
#include "client/lab/methods/multistep.h"
#include "client/lab/methods/predictor.h"
#include "client/lab/methods/runge_kutta.h"
#include "client/lab/methods/velocity_verlet.h"
#include "client/lab/methods/verlet.h"
#include "common/integrate/rotation_algebra.h"
#include "tests/unit/lab/methods/problems.h"

namespace orrery::integrate::test {
namespace {

// x'' = f(x) with its derivative f'.
struct Nonlinear {
  double (*f)(double);
  double (*slope)(double);

  void acceleration(double, std::span<const double> x, std::span<const double>,
                    std::span<double> a) const {
    a[0] = f(x[0]);
  }
  bool depends_on_velocity() const { return false; }
  void jacobian(double, std::span<const double> x, std::span<const double>, std::span<double> by_x,
                std::span<double> by_v) const {
    by_x[0] = slope(x[0]);
    by_v[0] = 0;
  }
};

template <class Method>
double oscillator_error(const Method& method, double w, double h, double time) {
  Oscillator<double> system{w * w};
  return distance(run(method, system, {0, {1}, {0}}, h, std::lround(time / h)),
                  system.exact(1, 0, time));
}

// Returns the largest error of x during the run.
template <class Method>
double largest_error(Method method, double h, int steps) {
  Oscillator<double> system{1};
  State<double> state{0, {1}, {0}};
  method.start(state, system, h);
  double largest = 0;
  for (int i = 1; i <= steps; ++i) {
    method.step(state, system, h);
    largest = std::max(largest, std::fabs(state.x[0] - std::cos(h * i)));
  }
  return largest;
}

template <class Method>
double slope(const Method& method, long n) {
  Oscillator<long double> system{1};
  const auto error = [&](long steps) {
    return distance(run(method, system, {0, {1}, {0}}, 10 / static_cast<long double>(steps), steps),
                    system.exact(1, 0, 10));
  };
  return static_cast<double>(std::log2(error(n) / error(2 * n)));
}

TEST(Utrecht, S2_18_S4_01_S4_04_S4_05_S4_06_S4_17_S4_18_S4_19_Orders) {
  EXPECT_NEAR(slope(ExplicitEuler<long double>(1), 32768), 1, 0.05);
  EXPECT_NEAR(slope(BackwardEuler<long double>(1), 32768), 1, 0.05);
  EXPECT_NEAR(slope(Midpoint<long double>(1), 4096), 2, 0.05);
  EXPECT_NEAR(slope(Heun<long double>(1), 4096), 2, 0.05);
  EXPECT_NEAR(slope(PositionVerlet<long double>(1), 4096), 2, 0.05);
  EXPECT_NEAR(slope(Trapezoidal<long double>(1), 4096), 2, 0.05);
  EXPECT_NEAR(slope(Beeman<long double>(1), 4096), 2, 0.05);
  EXPECT_NEAR(slope(RungeKutta4<long double>(1), 4096), 4, 0.1);
  EXPECT_NEAR(slope(AdamsBashforth4<long double>(1), 4096), 4, 0.1);
  EXPECT_NEAR(slope(AdamsBashforthMoulton4<long double>(1), 4096), 4, 0.1);
  EXPECT_NEAR(slope(Newmark<long double>(1, 0.3L, 0.55L), 32768), 1, 0.05);
}

// With beta = 1/12 the positions of an oscillator are of order 4; its velocities are not.
TEST(Utrecht, S4_18_NewmarkFoxGoodwinPositionsAreOfOrder4) {
  Oscillator<long double> system{1};
  const auto error = [&system](long n) {
    const Newmark<long double> method(1, 1 / 12.0L, 0.5L);
    const auto end = run(method, system, {0, {1}, {0}}, 10 / static_cast<long double>(n), n);
    return std::fabs(end.x[0] - std::cos(10.0L));
  };
  EXPECT_NEAR(static_cast<double>(std::log2(error(1024) / error(2048))), 4, 0.05);
}

// The claim: "Better when the step is below 1". The size of h w decides, not the size of h.
TEST(Utrecht, S4_02_MidpointBetterWhereHwIsSmall) {
  EXPECT_LT(oscillator_error(Midpoint<double>(1), 1, 0.5, 5),
            oscillator_error(ExplicitEuler<double>(1), 1, 0.5, 5));
  EXPECT_GT(oscillator_error(Midpoint<double>(1), 10, 0.5, 5),
            1000 * oscillator_error(ExplicitEuler<double>(1), 10, 0.5, 5));
}

TEST(Utrecht, S4_03_ImprovedEulerAveragesOverAndUnderestimate) {
  const auto velocity = [](auto method, double b) {
    Oscillator<double> system{0, b};
    return run(method, system, State<double>{0, {0}, {1}}, 0.1, 1).v[0];
  };
  EXPECT_NEAR(velocity(ExplicitEuler<double>(1), 1), 0.9, 1e-15);
  EXPECT_NEAR(velocity(Heun<double>(1), 1), 0.905, 1e-15);
  EXPECT_NEAR(velocity(ExplicitEuler<double>(1), -1), 1.1, 1e-15);
  EXPECT_NEAR(velocity(Heun<double>(1), -1), 1.105, 1e-15);
}

TEST(Utrecht, S4_07_VerletStartedByEulerIsOfOrder1) {
  EXPECT_NEAR(slope(PositionVerlet<long double>(1, VerletStart::euler), 32768), 1, 0.05);
  EXPECT_NEAR(slope(PositionVerlet<long double>(1, VerletStart::runge_kutta), 4096), 2, 0.05);
  Oscillator<double> system{1};
  PositionVerlet<double> verlet(1, VerletStart::euler);
  SemiImplicitEulerPositionFirst<double> euler(1);
  State<double> a{0, {1}, {0.5}};
  State<double> b = a;
  verlet.start(a, system, 0.1);
  for (int i = 0; i < 100; ++i) {
    verlet.step(a, system, 0.1);
    euler.step(b, system, 0.1);
    ASSERT_NEAR(a.x[0], b.x[0], 1e-12);
  }
}

TEST(Utrecht, S4_08_DragIsOnlyDifficultForVerletDoneNaively) {
  Oscillator<long double> system{15, 0.1L};
  const auto measured = [&system](auto method, long n) {
    const auto error = [&](long steps) {
      return distance(
          run(method, system, {0, {1}, {0}}, 10 / static_cast<long double>(steps), steps),
          system.exact(1, 0, 10));
    };
    return static_cast<double>(std::log2(error(n) / error(2 * n)));
  };
  EXPECT_NEAR(measured(PositionVerlet<long double>(1), 65536), 1, 0.05);
  EXPECT_NEAR(measured(VerletCentral<long double>(1), 4096), 2, 0.05);
}

// S3-05 is Catto's claim that implicit Euler is explicit Euler in reverse. A backward step of
// explicit Euler undoes a step of implicit Euler.
TEST(Utrecht, S4_09_S3_05_ExplicitEulerBackwardsRetracesImplicitEuler) {
  Oscillator<double> system{1};
  State<double> state = run(BackwardEuler<double>(1), system, {0, {1}, {0}}, 0.1, 1000);
  EXPECT_NEAR(state.x[0] * state.x[0] + state.v[0] * state.v[0], 4.771185e-5, 1e-10);
  state = run(ExplicitEuler<double>(1), system, state, -0.1, 1000);
  EXPECT_NEAR(state.x[0], 1, 1e-12);
  EXPECT_NEAR(state.v[0], 0, 1e-12);
  state = run(ExplicitEuler<double>(1), system, {0, {1}, {0}}, -0.1, 1000);
  EXPECT_NEAR(state.x[0] * state.x[0] + state.v[0] * state.v[0], 2.095916e4, 0.1);
}

TEST(Utrecht, S4_10_ImplicitIsNotMoreAccurate) {
  EXPECT_NEAR(largest_error(ExplicitEuler<double>(1), 0.01, 1000), 0.048567807, 1e-8);
  EXPECT_NEAR(largest_error(BackwardEuler<double>(1), 0.01, 1000), 0.046243319, 1e-8);
  EXPECT_NEAR(largest_error(SemiImplicitEuler<double>(1), 0.01, 1000), 0.005032732, 1e-8);
}

TEST(Utrecht, S4_11_ImplicitEulerLosesEnergyWherePotentialsAreConvex) {
  Oscillator<double> system{1};
  BackwardEuler<double> method(1);
  State<double> state{0, {1}, {0}};
  method.start(state, system, 0.1);
  double last = 1;
  for (int i = 0; i < 1000; ++i) {
    method.step(state, system, 0.1);
    const double e = state.x[0] * state.x[0] + state.v[0] * state.v[0];
    ASSERT_LT(e, last);
    last = e;
  }
}

TEST(Utrecht, S4_11_ImplicitEulerGainsEnergyWherePotentialsAreNot) {
  Nonlinear inverted{[](double x) { return x; }, [](double) { return 1.0; }};
  const State<double> fled = run(BackwardEuler<double>(1), inverted, {0, {0}, {1}}, 0.1, 30);
  EXPECT_NEAR((fled.v[0] * fled.v[0] - fled.x[0] * fled.x[0]) / 2, 0.675949, 1e-6);
  Oscillator<double> linear{1};
  const State<double> kept = run(Trapezoidal<double>(1), linear, {0, {1}, {0}}, 0.1, 100'000);
  EXPECT_NEAR(kept.x[0] * kept.x[0] + kept.v[0] * kept.v[0], 1, 1e-10);
}

TEST(Utrecht, S4_12_DragInClosedForm) {
  for (const double bh : {0.1, 1.0, 2.0, 2.5, 10.0}) {
    double v = 1;
    Oscillator<double> system{0, bh};
    for (int i = 0; i < 10; ++i) v = backward_euler_drag(v, bh, 1.0);
    EXPECT_NEAR(v / std::pow(1 / (1 + bh), 10), 1, 1e-14);
    EXPECT_GT(v, 0);
    const State<double> newton =
        run(BackwardEuler<double>(1), system, State<double>{0, {0}, {1}}, 1.0, 10);
    EXPECT_NEAR(newton.v[0], v, 1e-14);
  }
}

TEST(Utrecht, S4_13_PredictorCorrectorIsNotMoreAccurateThanExplicit) {
  const BackwardEulerPredictor<double> from_v1(1);
  const BackwardEulerPredictor<double> from_vp(1, CorrectedPosition::from_predicted_velocity);
  EXPECT_NEAR(largest_error(from_v1, 0.01, 1000), 0.046293376, 1e-8);
  EXPECT_NEAR(largest_error(from_vp, 0.01, 1000), 0.046339017, 1e-8);
  Oscillator<double> drag{0, 1};
  const auto drag_error = [&drag](auto method) {
    return run(method, drag, State<double>{0, {0}, {1}}, 1 / 16.0, 16).v[0] - std::exp(-1.0);
  };
  EXPECT_NEAR(drag_error(ExplicitEuler<double>(1)), -1.180531e-2, 1e-8);
  EXPECT_NEAR(drag_error(from_v1), 1.268941e-2, 1e-8);
}

// The fixed-point iteration converges to backward Euler for h w < 1 and diverges for larger h w.
TEST(Utrecht, S4_13_FixedPointIterationConvergesBelowHw1) {
  const auto difference = [](double h, int iterations) {
    Oscillator<double> system{1};
    const State<double> start{0, {1}, {0}};
    return distance(run(BackwardEulerFixedPoint<double>(1, iterations), system, start, h, 10),
                    run(BackwardEuler<double>(1), system, start, h, 10));
  };
  EXPECT_LT(difference(0.5, 30), 1e-12);
  EXPECT_LT(difference(0.5, 8), difference(0.5, 4) / 20);
  EXPECT_GT(difference(1.2, 30), 1e3);
}

TEST(Utrecht, S4_20_Substeps) {
  const auto error = [](auto method, int n) {
    Oscillator<double> system{1};
    State<double> state{0, {1}, {0}};
    method.start(state, system, 0.1 / n);
    for (int frame = 0; frame < 100; ++frame) substep(method, state, system, 0.1, n);
    return distance(state, system.exact(1, 0, 10));
  };
  EXPECT_NEAR(error(ExplicitEuler<double>(1), 8) / error(ExplicitEuler<double>(1), 16), 2, 0.2);
  EXPECT_NEAR(error(SemiImplicitEuler<double>(1), 8) / error(SemiImplicitEuler<double>(1), 16), 2,
              0.2);
  EXPECT_NEAR(error(VelocityVerlet<double>(1), 8) / error(VelocityVerlet<double>(1), 16), 4, 0.4);
  EXPECT_NEAR(error(RungeKutta4<double>(1), 8) / error(RungeKutta4<double>(1), 16), 16, 1.6);
}

TEST(Utrecht, S4_21_SmallerStepsRoundMore) {
  const auto error = [](long n) {
    Oscillator<float> system{0, 0, 10};
    const State<float> end =
        run(ExplicitEuler<float>(1), system, {0, {0}, {0}}, 10 / static_cast<float>(n), n);
    return std::fabs(static_cast<double>(end.x[0]) - 500);
  };
  EXPECT_NEAR(error(1000), 0.502930, 1e-6);
  EXPECT_NEAR(error(10'000), 0.058868, 1e-4);
  EXPECT_GT(error(1'000'000), 10 * error(10'000));
}

// A rotation about a moving axis is not the sum of its component angles.
TEST(Utrecht, S4_22_RotationDoesNotWorkTheSame) {
  constexpr int kSteps = 100'000;
  const double h = std::acos(-1.0) / kSteps;
  Quaternion<double> q{0, 0, 0, 1};
  Triple<double> sum{};
  for (int i = 0; i < kSteps; ++i) {
    const double t = h * (i + 0.5);
    const Triple<double> w{std::cos(t), std::sin(t), 0};
    q = normalized(product(exponential(w, h, libm<double>()), q));
    sum = plus_scaled(sum, h, w);
  }
  const Quaternion<double> summed = exponential(sum, 1.0, libm<double>());
  const Quaternion<double> back{-summed[0], -summed[1], -summed[2], summed[3]};
  const Quaternion<double> difference = product(q, back);
  EXPECT_NEAR(2 * std::acos(std::fabs(difference[3])), 1.360419, 1e-5);
}

}  // namespace
}  // namespace orrery::integrate::test
