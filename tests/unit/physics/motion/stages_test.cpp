// Tests methods with stages on an oscillator, for which each step is known in closed form.
#include "common/physics/motion/stages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

namespace orrery {
namespace {

constexpr double kW = 3;  // angular frequency

// Returns one point mass at x = 1, at rest.
physics::Bodies at_one() {
  physics::Bodies bodies(1);
  bodies.occupy(0);
  bodies.set(physics::BodyField::inverse_mass, 0, 1);
  bodies.set_position(0, {1, 0, 0});
  return bodies;
}

physics::ForceSet oscillator() {
  physics::ForceSet forces;
  forces.tethers = {{0, {}, {}, kW * kW, 0, 0}};
  return forces;
}

// Returns x + i v / w. An exact step h multiplies it by exp(-i w h).
std::complex<double> phase(const physics::Bodies& bodies) {
  return {bodies.position(0).x, bodies.velocity(0).x / kW};
}

template <class Step>
std::complex<double> after(int steps, Step step) {
  physics::Bodies bodies = at_one();
  physics::Stages stages(bodies.capacity());
  for (int i = 0; i < steps; ++i) step(stages, bodies);
  return phase(bodies);
}

void expect_near(std::complex<double> a, std::complex<double> b, double error) {
  EXPECT_NEAR(std::abs(a - b), 0, error);
}

TEST(Stages, ExplicitEulerMultipliesByItsStabilityFunction) {
  constexpr double kH = 0.01;
  const auto found = after(100, [](physics::Stages& stages, physics::Bodies& bodies) {
    stages.explicit_euler(bodies, oscillator(), {}, kH);
  });
  expect_near(found, std::pow(std::complex<double>(1, -kW * kH), 100), 1e-12);
}

TEST(Stages, RungeKuttaMultipliesByItsStabilityFunction) {
  constexpr double kH = 0.1;
  const std::complex<double> z(0, -kW * kH);
  const std::complex<double> factor =
      1.0 + z + z * z / 2.0 + z * z * z / 6.0 + z * z * z * z / 24.0;
  const auto found = after(100, [](physics::Stages& stages, physics::Bodies& bodies) {
    stages.rk4(bodies, oscillator(), {}, kH);
  });
  expect_near(found, std::pow(factor, 100), 1e-12);
}

// Each of the eight rounds of the fixed-point iteration multiplies the error by (w h)^2 = 8e-5.
// Only rounding errors are left.
TEST(Stages, BackwardEulerSolvesItsEquations) {
  constexpr double kH = 0.003;
  const auto found = after(100, [](physics::Stages& stages, physics::Bodies& bodies) {
    stages.backward_euler(bodies, oscillator(), {}, kH);
  });
  expect_near(found, std::pow(1.0 / std::complex<double>(1, kW * kH), 100), 1e-12);
}

TEST(Stages, AreExactInFreeFall) {
  physics::Bodies bodies = at_one();
  bodies.set(physics::BodyField::gravity_scale, 0, 1);
  bodies.set_velocity(0, {2, 3, 0});
  physics::Stages stages(bodies.capacity());
  for (int i = 0; i < 10; ++i) stages.rk4(bodies, {}, {0, -10, 0}, 0.1);
  EXPECT_NEAR(bodies.position(0).x, 1 + 2, 1e-14);
  EXPECT_NEAR(bodies.position(0).y, 3 - 5, 1e-14);
  EXPECT_NEAR(bodies.velocity(0).y, 3 - 10, 1e-14);
}

TEST(Stages, LeaveAnchorsWhereTheyAre) {
  physics::Bodies bodies = at_one();
  bodies.set(physics::BodyField::inverse_mass, 0, 0);
  bodies.set_velocity(0, {1, 1, 1});
  physics::Stages stages(bodies.capacity());
  stages.explicit_euler(bodies, oscillator(), {0, -10, 0}, 0.1);
  stages.backward_euler(bodies, oscillator(), {0, -10, 0}, 0.1);
  EXPECT_EQ(bodies.position(0), (Vec3{1, 0, 0}));
}

}  // namespace
}  // namespace orrery
