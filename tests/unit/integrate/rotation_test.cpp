// Tests free rotation: its flips against elliptic integrals, its order and conserved quantities.
#include "common/integrate/rotation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/core/rng.h"
#include "common/math/quat.h"

namespace orrery::integrate {
namespace {

using State = RotationState<double>;

constexpr double kInertia[3] = {1, 2, 3};
constexpr double kInverse[3] = {1, 1.0 / 2, 1.0 / 3};
constexpr double kH = 1.0 / 60;

State tumbling() { return {{0.01 * 1, 5.0 * 2, 0.01 * 3}, {0, 0, 0, 1}}; }

double energy(const State& s) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += s.l[k] * s.l[k] * kInverse[k] / 2;
  return sum;
}

double squared_momentum(const State& s) {
  return s.l[0] * s.l[0] + s.l[1] * s.l[1] + s.l[2] * s.l[2];
}

Quat attitude(const State& s) { return {s.q[0], s.q[1], s.q[2], s.q[3]}; }
Vec3 world_momentum(const State& s) { return rotate(attitude(s), {s.l[0], s.l[1], s.l[2]}); }

// Returns the complete elliptic integral of the first kind, by the arithmetic-geometric mean.
double elliptic_k(double k_squared) {
  double a = 1;
  double b = std::sqrt(1 - k_squared);
  while (std::abs(a - b) > 1e-15) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::acos(-1.0) / (2 * a);
}

// Returns 2 K(k) / lambda: the time between two sign changes of the angular velocity about axis 2,
// with I_1 < I_2 < I_3. Source: Landau, Lifshitz, Mechanics, section 37. For L^2 < 2 E I_2 the axes
// 1 and 3 exchange roles.
double flip_interval(const State& s) {
  const double l2 = squared_momentum(s);
  const double e2 = 2 * energy(s);
  const bool swapped = l2 < e2 * kInertia[1];
  const double i1 = swapped ? kInertia[2] : kInertia[0];
  const double i2 = kInertia[1];
  const double i3 = swapped ? kInertia[0] : kInertia[2];
  const double lambda = std::sqrt((i3 - i2) * (l2 - e2 * i1) / (i1 * i2 * i3));
  const double k2 = (i2 - i1) * (e2 * i3 - l2) / ((i3 - i2) * (l2 - e2 * i1));
  return 2 * elliptic_k(k2) / lambda;
}

TEST(RotateFreely, TumblesForAnHourAsTheExactBodyDoes) {
  State s = tumbling();
  EXPECT_NEAR(flip_interval(s), 5.025929138, 1e-9);  // checks the reference
  const double energy0 = energy(s);
  const double momentum0 = std::sqrt(squared_momentum(s));
  const Vec3 world0 = world_momentum(s);
  double energy_error = 0;
  double momentum_error = 0;
  double world_error = 0;
  int flips = 0;
  for (int i = 0; i < 216000; ++i) {
    const bool sign = s.l[1] > 0;
    rotate_freely(s, kInverse, kH);
    flips += (s.l[1] > 0) != sign ? 1 : 0;
    energy_error = std::max(energy_error, std::abs(energy(s) / energy0 - 1));
    momentum_error =
        std::max(momentum_error, std::abs(std::sqrt(squared_momentum(s)) / momentum0 - 1));
    world_error = std::max(world_error, length(world_momentum(s) - world0) / momentum0);
  }
  // A flip is a sign change of l[1]. The body starts shortly before l[1] is largest, so the first
  // flip comes after slightly more than half an interval.
  EXPECT_NEAR(flips, 3600 / flip_interval(tumbling()), 1);
  EXPECT_EQ(flips, 716);
  EXPECT_LT(energy_error, 1e-11);
  EXPECT_LT(momentum_error, 1e-10);
  EXPECT_LT(world_error, 1e-10);
}

double attitude_error(double h, int steps, const State& reference) {
  State s{{1 * 1, 5 * 2, 0.5 * 3}, {0, 0, 0, 1}};
  for (int i = 0; i < steps; ++i) rotate_freely(s, kInverse, h);
  double sum = 0;
  for (int k = 0; k < 4; ++k) sum += (s.q[k] - reference.q[k]) * (s.q[k] - reference.q[k]);
  return std::sqrt(sum);
}

TEST(RotateFreely, HasOrderTwo) {
  State reference{{1 * 1, 5 * 2, 0.5 * 3}, {0, 0, 0, 1}};
  for (int i = 0; i < 4 * 65536; ++i) rotate_freely(reference, kInverse, 1.0 / 65536);
  const double coarse = attitude_error(1.0 / 128, 4 * 128, reference);
  const double fine = attitude_error(1.0 / 256, 4 * 256, reference);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.02);
  EXPECT_LT(fine, 1e-4);
}

TEST(RotateFreely, GoesBackTheWayItCame) {
  State s = tumbling();
  for (int i = 0; i < 1000; ++i) rotate_freely(s, kInverse, kH);
  for (int i = 0; i < 1000; ++i) rotate_freely(s, kInverse, -kH);
  const State start = tumbling();
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(s.l[k], start.l[k], 1e-9);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(s.q[k], start.q[k], 1e-9);
}

TEST(RotateFreely, TurnsASymmetricBodyAboutItsAxisByTheCayleyAngle) {
  constexpr double kSphere[3] = {0.5, 0.5, 0.5};
  State s{{0, 0, 3}, {0, 0, 0, 1}};
  rotate_freely(s, kSphere, kH);
  const double half = kH * 3 * 0.5 / 2;
  EXPECT_NEAR(s.q[2] / s.q[3], half + half * half * half / 3, 1e-17);
  EXPECT_EQ(s.l[2], 3);
  EXPECT_EQ(s.q[0], 0);
  EXPECT_EQ(s.q[1], 0);
}

TEST(RotateFreely, KeepsTheSpinOfASymmetricBodyAboutItsAxis) {
  // Slim and flat bodies, each axis, both directions, slow and fast. The closed form: the spin
  // about the axis and the energy stay, and so does the angle between axis and momentum.
  for (const double ratio : {1e-6, 1e-2, 0.5, 2.0, 1e2, 1e6}) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const double spin : {-20.0, 1e-3, 20.0, 1e4}) {
        for (const double h : {1.0 / 4000, 1.0 / 240, 0.1}) {
          double inverse[3] = {1, 1, 1};
          inverse[axis] = ratio;
          State s{{5, 100, -30}, {0, 0, 0, 1}};
          s.l[axis] = spin / ratio;
          const double before = s.l[axis], momentum = squared_momentum(s);
          for (int i = 0; i < 2000; ++i) rotate_freely(s, inverse, h);
          EXPECT_NEAR(s.l[axis] / before, 1, 1e-12) << ratio << " " << axis << " " << h;
          EXPECT_NEAR(squared_momentum(s) / momentum, 1, 1e-11);
        }
      }
    }
  }
}

TEST(RotateFreely, LeavesABodyThatDoesNotTurnAsItIs) {
  constexpr double kNone[3] = {0, 0, 0};
  State s{{0, 0, 0}, {0.5, 0.5, -0.5, 0.5}};
  for (int i = 0; i < 1000; ++i) rotate_freely(s, kNone, kH);
  EXPECT_EQ(attitude(s), (Quat{0.5, 0.5, -0.5, 0.5}));
}

// Random bodies with extents up to 1:1000, at turns from 0.01 to 10,000 rad in a step.
TEST(RotateFreely, KeepsTheEnergyOfAnyBodyAtAnySpin) {
  SplitMix64 draw(11);
  int turned = 0;
  for (int body = 0; body < 20'000; ++body) {
    const double long_side = std::pow(10, 1.5 * (1 + draw.symmetric()));
    const double mid = std::pow(long_side, 0.5 * (1 + draw.symmetric()));
    double squares[3] = {1, mid * mid, long_side * long_side};
    std::swap(squares[0], squares[draw.below(3)]);
    std::swap(squares[1], squares[draw.below(3)]);
    const auto& [x, y, z] = squares;
    const double inverse[3] = {1 / (y + z), 1 / (z + x), 1 / (x + y)};
    const double spin = std::pow(10, 1 + 3 * draw.symmetric());
    State s{{0, 0, 0}, {0, 0, 0, 1}};
    for (int k = 0; k < 3; ++k) s.l[k] = spin * draw.symmetric() / inverse[k];
    const auto energy = [&] {
      return s.l[0] * s.l[0] * inverse[0] + s.l[1] * s.l[1] * inverse[1] +
             s.l[2] * s.l[2] * inverse[2];
    };
    const double energy0 = energy(), momentum0 = squared_momentum(s), before = s.l[0];
    const Vec3 world0 = world_momentum(s);
    for (int i = 0; i < 100; ++i) rotate_freely(s, inverse, 1.0);
    EXPECT_NEAR(energy() / energy0, 1, 1e-10) << body;
    EXPECT_NEAR(squared_momentum(s) / momentum0, 1, 1e-11) << body;
    EXPECT_LT(length(world_momentum(s) - world0), 1e-11 * length(world0)) << body;
    turned += s.l[0] != before ? 1 : 0;
  }
  EXPECT_GT(turned, 10'000);  // bodies that stay as they are would prove nothing
}

TEST(RotateFreely, KeepsItsLengthsAtAnySpin) {
  for (double spin = 1; spin < 1e14; spin *= 10) {
    State s{{spin, 2 * spin, -spin}, {0, 0, 0, 1}};
    const double before = squared_momentum(s);
    for (int i = 0; i < 1000; ++i) rotate_freely(s, kInverse, 1.0);
    EXPECT_NEAR(squared_momentum(s) / before, 1, 1e-11) << spin;
    const Quat q = attitude(s);
    EXPECT_NEAR(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1, 1e-14) << spin;
  }
}

template <class T>
class RotateFreelyOf : public testing::Test {};
using Scalars = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(RotateFreelyOf, Scalars);

TYPED_TEST(RotateFreelyOf, KeepsMomentumToItsPrecision) {
  using T = TypeParam;
  RotationState<T> s{{T(0.3), T(2), T(-0.7)}, {0, 0, 0, 1}};
  const T inverse[3] = {T(1), T(0.5), T(0.4)};
  const T before = s.l[0] * s.l[0] + s.l[1] * s.l[1] + s.l[2] * s.l[2];
  for (int i = 0; i < 1000; ++i) rotate_freely(s, inverse, T(1) / 60);
  const T after = s.l[0] * s.l[0] + s.l[1] * s.l[1] + s.l[2] * s.l[2];
  EXPECT_LT(std::abs(after / before - 1), 1000 * std::numeric_limits<T>::epsilon());
}

}  // namespace
}  // namespace orrery::integrate
