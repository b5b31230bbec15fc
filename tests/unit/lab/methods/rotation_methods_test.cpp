// Tests methods of free rotation: orders, energy, momentum and flips, and Catto's "Numerical
// Methods".
//
// The body is a box of inertia 1, 2, 3 that spins about its middle axis.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "client/lab/methods/rolling_resistance.h"
#include "common/core/rng.h"
#include "tests/unit/lab/methods/every_rotation.h"

namespace orrery::integrate::test {
namespace {

const Triple<double> kBox = {1, 2, 3};
const Triple<double> kTumble = {0.01, 5, 0.01};
constexpr double kStep = 1 / 60.0;
constexpr int kMinute = 3'600;
constexpr int kHour = 216'000;

// Results of a run from kTumble at h = 1/60. Errors are relative.
struct Tumbling {
  double energy_max = 0;     // of |E/E0 - 1|
  double energy_last = 0;    // E/E0 - 1
  double momentum_max = 0;   // of ||L|/|L0| - 1|
  double direction_max = 0;  // sine of the angle between L and L0
  int flips = 0;             // sign changes of the middle component
  double first_flip = 0;
  bool energy_fell_always = true;
  int steps = 0;  // steps up to the blow-up; without one, the requested steps + 1
};

template <class Method>
Tumbling tumble(Method method, double speed, int steps) {
  RotationState<double> state =
      spinning(kBox, {kTumble[0] * speed, kTumble[1] * speed, kTumble[2] * speed});
  method.start(state, kBox, kStep);
  const Triple<double> l0 = world_momentum(state);
  const double e0 = doubled_energy(state, kBox);
  Tumbling out;
  double side = state.l[1];
  double energy = 1;
  for (out.steps = 1; out.steps <= steps; ++out.steps) {
    method.step(state, kBox, kStep);
    const double e = doubled_energy(state, kBox) / e0;
    if (!(e < 1e12)) break;
    out.energy_fell_always = out.energy_fell_always && e <= energy * (1 + 1e-15);
    energy = e;
    out.energy_last = e - 1;
    out.energy_max = std::max(out.energy_max, std::fabs(e - 1));
    const Triple<double> l = world_momentum(state);
    const double size = std::sqrt(dot(l, l) / dot(l0, l0));
    out.momentum_max = std::max(out.momentum_max, std::fabs(size - 1));
    const Triple<double> across = cross(l, l0);
    out.direction_max =
        std::max(out.direction_max, std::sqrt(dot(across, across)) / (size * dot(l0, l0)));
    if ((state.l[1] < 0) == (side < 0)) continue;
    if (out.flips++ == 0) out.first_flip = out.steps * kStep;
    side = state.l[1];
  }
  return out;
}

using Real = long double;

// Returns the attitude after 4 s from w = (1, 5, .5) in steps of 1/rate.
template <class Method>
Quaternion<Real> attitude_after(Method method, int rate) {
  const Triple<Real> box = {1, 2, 3};
  RotationState<Real> state = spinning<Real>(box, {1, 5, 0.5L});
  const Real h = 1 / static_cast<Real>(rate);
  method.start(state, box, h);
  for (int i = 0; i < 4 * rate; ++i) method.step(state, box, h);
  return attitude(state);
}

// Returns the difference of two attitudes. q and -q are the same attitude.
Real difference(const Quaternion<Real>& a, const Quaternion<Real>& b) {
  Real minus = 0;
  Real plus = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    minus += (a[i] - b[i]) * (a[i] - b[i]);
    plus += (a[i] + b[i]) * (a[i] + b[i]);
  }
  return std::sqrt(std::min(minus, plus));
}

// Two unrelated methods compute the same reference attitude.
TEST(Rotation, ReferenceAttitude) {
  EXPECT_LT(difference(attitude_after(CayleyMidpoint4<Real>(), 4096),
                       attitude_after(RotationRungeKutta4<Real>(), 4096)),
            1e-13L);
}

TEST(Rotation, Orders) {
  const struct ExpectedOrder {
    double order;
    int rate;
    double error;  // error of the attitude in steps of 1/256 s; 0: not tested
  } late = {2, 32768, 0};
  const std::map<std::string, ExpectedOrder> expected = {
      {"explicit", {1, 512, 7.032e-2}},
      {"dropped", {0, 512, 1.299}},
      {"momentum", {1, 32768, 0}},
      {"implicit-gyro", {1, 512, 7.09e-2}},
      {"implicit-gyro-converged", {1, 512, 7.099e-2}},
      {"implicit-gyro-midpoint", {2, 512, 3.777e-4}},
      {"buss", late},
      {"momentum-midpoint", {2, 16384, 0}},
      {"rk4", {4, 512, 1.61e-9}},
      {"splitting", {2, 512, 7.81e-5}},
      {"cayley", {2, 512, 1.976e-5}},
      {"cayley-4", {4, 512, 9.789e-10}},
      {"moser-veselov", {2, 512, 8.48e-4}},
      {"lie-midpoint", {2, 512, 3.03e-4}},
  };
  const Quaternion<Real> exact = attitude_after(CayleyMidpoint4<Real>(), 16384);
  std::size_t found = 0;
  each_rotation_method<Real>([&](const char* name, const auto& method) {
    ASSERT_TRUE(expected.contains(name)) << name;
    ++found;
    const ExpectedOrder& e = expected.at(name);
    const auto error = [&](int rate) { return difference(attitude_after(method, rate), exact); };
    const Real slope = std::log2(error(e.rate) / error(2 * e.rate));
    EXPECT_NEAR(static_cast<double>(slope), e.order, 0.1) << name;
    if (e.error == 0) return;
    EXPECT_NEAR(static_cast<double>(error(256)), e.error, 3e-3 * e.error) << name;
  });
  EXPECT_EQ(found, expected.size());
}

// Upper bounds for one hour. The tests below give lower bounds for errors that a method is known to
// have.
TEST(Rotation, AnHourOfTumbling) {
  const struct Bounds {
    double energy, momentum, direction;
    int flips;
  } splitting = {5e-5, 1e-10, 1e-10, 716};
  const std::map<std::string, Bounds> bounds = {
      {"implicit-gyro-midpoint", {6e-4, 3e-4, 5e-7, 716}},
      {"rk4", {6.5e-6, 3.2e-6, 6e-7, 716}},
      {"splitting", splitting},
      {"cayley", {1e-11, 1e-10, 1e-10, 716}},
      {"cayley-4", {1e-11, 1e-10, 1e-10, 716}},
      {"moser-veselov", {1e-11, 1e-10, 1e-10, 718}},
      {"lie-midpoint", {3e-4, 1e-10, 1e-10, 716}},
      {"dropped", {1e-12, 1e-12, 3e-3, 0}},
  };
  std::size_t found = 0;
  each_rotation_method<double>([&](const char* name, const auto& method) {
    if (!bounds.contains(name)) return;
    ++found;
    const Tumbling run = tumble(method, 1, kHour);
    const Bounds& bound = bounds.at(name);
    EXPECT_LE(run.energy_max, bound.energy) << name;
    EXPECT_LE(run.momentum_max, bound.momentum) << name;
    EXPECT_LE(run.direction_max, bound.direction) << name;
    EXPECT_NEAR(run.flips, bound.flips, 1) << name;
  });
  EXPECT_EQ(found, bounds.size());
}

// A step turns by a quarter of a radian (speed 3) or by one radian (speed 12).
TEST(Rotation, LargeSteps) {
  EXPECT_LT(tumble(CayleyMidpoint<double>(), 3, kMinute).energy_max, 1e-12);
  EXPECT_LT(tumble(CayleyMidpoint<double>(), 12, kMinute).energy_max, 1e-12);
  EXPECT_NEAR(tumble(ImplicitGyroscopicMidpoint<double>(), 3, kMinute).energy_max, 5.236e-3, 1e-5);
  EXPECT_NEAR(tumble(RotationRungeKutta4<double>(), 12, kMinute).energy_max, 0.182, 1e-3);
  EXPECT_NEAR(tumble(ImplicitGyroscopic<double>(), 12, kMinute).energy_max, 0.972, 1e-3);
}

TEST(Rotation, MomentumMethodsKeepMomentumAndGainEnergy) {
  const Tumbling buss = tumble(BussAugmented<double>(libm<double>()), 1, kHour);
  EXPECT_LT(buss.momentum_max, 1e-10);
  EXPECT_NEAR(buss.energy_last, 0.390279, 1e-3);
  const Tumbling midpoint = tumble(MomentumMidpoint<double>(libm<double>()), 1, kHour);
  EXPECT_LT(midpoint.momentum_max, 1e-10);
  EXPECT_NEAR(midpoint.energy_last, 0.171030, 1e-3);
}

TEST(Rotation, MoserVeselovHasNoSolutionAtLargeSteps) {
  RotationState<double> state = spinning<double>(kBox, {0.12, 60, 0.12});
  MoserVeselov<double> method;
  for (int i = 0; i < 20; ++i) method.step(state, kBox, kStep);
  EXPECT_FALSE(std::isfinite(state.l[0]));
}

TEST(Catto, S3_13_S3_18_ExplicitGyroscopicBlowsUp) {
  const Tumbling run = tumble(ExplicitGyroscopic<double>(), 1, 2 * kMinute);
  EXPECT_LT(run.steps, 2 * kMinute);
  EXPECT_NEAR(run.steps * kStep, 87.7, 0.5);
  EXPECT_NEAR(tumble(ExplicitGyroscopic<double>(), 1, kMinute).energy_last, 4.584, 1e-3);
}

TEST(Catto, S3_14_DroppedTermNeverTumblesAndTurnsTheMomentum) {
  const Tumbling run = tumble(DroppedGyroscopic<double>(), 1, kMinute);
  EXPECT_EQ(run.flips, 0);
  EXPECT_LT(run.energy_max, 1e-12);
  EXPECT_NEAR(run.direction_max, 2.83e-3, 1e-5);
}

TEST(Catto, S3_15_MomentumWithOldInertiaGainsEnergy) {
  const Tumbling run = tumble(MomentumOldInertia<double>(), 1, kMinute);
  EXPECT_LT(run.momentum_max, 1e-13);
  EXPECT_GT(run.energy_last, 0.9);
  EXPECT_EQ(run.flips, 101);
}

TEST(Catto, S3_16_OneNewtonStepIsEnough) {
  const double one = tumble(ImplicitGyroscopic<double>(1), 1, kMinute).energy_last;
  const double converged = tumble(ImplicitGyroscopic<double>(20), 1, kMinute).energy_last;
  EXPECT_NEAR(one, converged, 1e-5);
}

// The exact interval between flips is 5.025929 s; the first flip is at 2.750 s.
TEST(Catto, S3_17_TumblingIsReproduced) {
  const Tumbling run = tumble(ImplicitGyroscopic<double>(), 1, kMinute);
  EXPECT_NEAR(run.flips, 12, 1);
  EXPECT_NEAR(run.first_flip, 2.75, 0.1);
}

// In one hour the method also loses 81 % of the momentum, although the number of flips is almost
// right (716 are exact).
TEST(Catto, S3_19_ImplicitGyroscopicDissipates) {
  const Tumbling minute = tumble(ImplicitGyroscopic<double>(), 1, kMinute);
  EXPECT_TRUE(minute.energy_fell_always);
  EXPECT_NEAR(minute.energy_last, -0.598, 1e-3);
  const Tumbling hour = tumble(ImplicitGyroscopic<double>(), 1, kHour);
  EXPECT_NEAR(hour.energy_last, -0.9764, 1e-3);
  EXPECT_NEAR(hour.momentum_max, 0.8120, 1e-3);
  EXPECT_EQ(hour.flips, 718);
}

// Returns the share of random boxes that gain energy in one step of h |w| = angle. The squares of a
// box's extents are between `least` and `least` + 1.
double part_that_gains(int iterations, double angle, double least) {
  constexpr int kBoxes = 50'000;
  constexpr std::uint64_t kSeed = 2015;
  SplitMix64 draw(kSeed);
  ImplicitGyroscopic<double> method(iterations);
  int gained = 0;
  for (int i = 0; i < kBoxes; ++i) {
    Triple<double> squares;
    for (double& square : squares) square = least + (1 + draw.symmetric()) / 2;
    const auto& [x, y, z] = squares;
    const Triple<double> box{y + z, z + x, x + y};
    Triple<double> w;
    for (double& component : w) component = draw.symmetric();
    RotationState<double> state = spinning(box, w);
    const double before = doubled_energy(state, box);
    method.step(state, box, angle / std::sqrt(dot(w, w)));
    if (doubled_energy(state, box) > before * (1 + 1e-14)) ++gained;
  }
  std::printf("seed %llu, angle %g: %d of %d boxes gain energy\n",
              static_cast<unsigned long long>(kSeed), angle, gained, kBoxes);
  return static_cast<double>(gained) / kBoxes;
}

// One Newton step adds no energy up to h w = .3 for boxes of common shapes, and up to .2 for
// slender ones. The converged method adds none at any h w that was tried.
TEST(Catto, S3_20_OneNewtonStepIsDissipativeForSmallStepsOnly) {
  EXPECT_EQ(part_that_gains(1, 0.3, 0.05), 0);
  EXPECT_EQ(part_that_gains(1, 0.2, 1e-6), 0);
  EXPECT_GT(part_that_gains(1, 3, 0.05), 0.05);
  EXPECT_EQ(part_that_gains(20, 0.3, 0.05), 0);
  EXPECT_EQ(part_that_gains(20, 1, 0.05), 0);
  const Triple<double> slender = {0.98241, 0.0466688, 1.02615};
  const Triple<double> w = {0.588688, 0.025564, -0.402921};
  RotationState<double> state = spinning(slender, w);
  const double before = doubled_energy(state, slender);
  ImplicitGyroscopic<double>(1).step(state, slender, 0.3 / std::sqrt(dot(w, w)));
  EXPECT_NEAR(doubled_energy(state, slender) / before - 1, 5.3e-4, 1e-5);
}

// Steps a slender capsule with rolling resistance. Its spin axis is close to its long axis. Returns
// the last state. Expects that no step adds energy.
template <class Method>
RotationState<double> resisted(Method method, double impulse, int steps) {
  const Triple<double> capsule = {1, 1, 0.2};
  RotationState<double> state = spinning<double>(capsule, {1, 0.5, 20});
  double last = doubled_energy(state, capsule);
  for (int i = 0; i < steps; ++i) {
    method.step(state, capsule, kStep);
    resist_rolling(state, impulse);
    const double energy = doubled_energy(state, capsule);
    EXPECT_LE(energy, last * (1 + 1e-12));
    last = energy;
  }
  return state;
}

TEST(Catto, S3_24_S3_25_RollingResistanceBringsToRest) {
  const double l0 = std::sqrt(1 + 0.25 + 16);
  const double impulse = l0 / 1000.5;
  for (const int steps : {500, 1001}) {
    const RotationState<double> dropped = resisted(DroppedGyroscopic<double>(), impulse, steps);
    const Triple<double> l = momentum(dropped);
    EXPECT_NEAR(std::sqrt(dot(l, l)), std::max(0.0, l0 - steps * impulse), 1e-9);
    EXPECT_NEAR(l[0] * 4, l[2] * 1, 1e-9);
  }
  const RotationState<double> implicit = resisted(ImplicitGyroscopic<double>(), impulse, 1001);
  EXPECT_EQ(implicit.l[0], 0);
  EXPECT_EQ(implicit.l[2], 0);
  const RotationState<double> cayley = resisted(CayleyMidpoint<double>(), impulse, 1001);
  EXPECT_EQ(cayley.l[0], 0);
  EXPECT_EQ(cayley.l[2], 0);
}

}  // namespace
}  // namespace orrery::integrate::test
