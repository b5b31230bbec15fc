// Tests chains of masses and springs: solved by their modes, and one spring at a time.
#include "client/lab/methods/normal_modes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "client/lab/methods/composition.h"
#include "client/lab/methods/kinematic.h"
#include "tests/unit/lab/methods/problems.h"

namespace orrery::integrate::test {
namespace {

constexpr double kPi = std::numbers::pi;

Force<double> spring(double stiffness) {
  return {.kind = ForceKind::spring, .strength = stiffness};
}

// Returns springs for n masses of 1 kg in a row between two walls: one between each pair of
// neighbours, and one to each wall.
std::vector<Force<double>> chain(std::size_t n, double stiffness) {
  std::vector<Force<double>> forces = {spring(stiffness)};
  for (std::size_t i = 0; i + 1 < n; ++i) {
    forces.push_back({.kind = ForceKind::spring,
                      .a = i,
                      .b = i + 1,
                      .strength = stiffness,
                      .inverse_mass_a = 1,
                      .inverse_mass_b = 1});
  }
  forces.push_back({.kind = ForceKind::spring, .a = n - 1, .strength = stiffness});
  return forces;
}

// Returns the positions of the chain at time t, in closed form. The chain starts from rest in the
// shape of mode `mode`.
std::vector<double> mode_shape(std::size_t n, int mode, double stiffness, double t) {
  const double part = kPi * mode / static_cast<double>(n + 1);
  const double w = 2 * std::sqrt(stiffness) * std::sin(part / 2);
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = std::sin(part * static_cast<double>(i + 1)) * std::cos(w * t);
  }
  return x;
}

TEST(TruePhysics, S0_25_ChainIsSolvedExactlyByItsModes) {
  constexpr std::size_t kMasses = 16;
  for (const int mode : {1, 5, 16}) {
    for (const double h : {0.01, 1.0, 25.0}) {
      Forces<double> system{chain(kMasses, 40), nullptr};
      const NormalModes<double> method(kMasses, system.list, libm<double>());
      const State<double> end = run(
          method, system,
          State<double>{0, mode_shape(kMasses, mode, 40, 0), std::vector<double>(kMasses)}, h, 200);
      const std::vector<double> exact = mode_shape(kMasses, mode, 40, 200 * h);
      for (std::size_t i = 0; i < kMasses; ++i) EXPECT_NEAR(end.x[i], exact[i], 1e-11 * (1 + h));
    }
  }
}

// Two masses in free fall, joined by one spring. The centre falls, and the distance oscillates with
// w^2 = k (1/m1 + 1/m2).
TEST(TruePhysics, S0_25_ModesOfAFreePairUnderGravity) {
  const std::vector<Force<double>> forces = {
      {.kind = ForceKind::spring,
       .a = 0,
       .b = 1,
       .strength = 6,
       .rest = -1,
       .inverse_mass_a = 1,
       .inverse_mass_b = 0.5},
      {.a = 0, .strength = -9.8, .inverse_mass_a = 1},
      {.a = 1, .strength = -19.6, .inverse_mass_a = 0.5},
  };
  Forces<double> system{forces, nullptr};
  const NormalModes<double> method(2, forces, libm<double>());
  const State<double> end = run(method, system, {0, {0, 1.25}, {0, 0}}, 0.5, 4);
  const double centre = 2.5 / 3 - 9.8 * 2;
  const double distance = 1 + 0.25 * std::cos(3 * 2.0);
  EXPECT_NEAR(end.x[0], centre - distance * 2 / 3, 1e-12);
  EXPECT_NEAR(end.x[1], centre + distance / 3, 1e-12);
}

// The chain in the form that explicit methods need: x'' = -K x for the springs of a list, with
// masses of 1.
struct ChainSystem {
  std::vector<Force<double>> list;

  void acceleration(double, std::span<const double> x, std::span<const double>,
                    std::span<double> a) const {
    std::fill(a.begin(), a.end(), 0);
    for (const Force<double>& force : list) {
      const bool grounded = force.b == kGround;
      const double pull = -force.strength * (x[force.a] - (grounded ? 0 : x[force.b]));
      a[force.a] += pull;
      if (!grounded) a[force.b] -= pull;
    }
  }
  bool depends_on_velocity() const { return false; }
};

// Returns the rms error of the positions over 10 s in n steps, for a chain of 16 masses in one
// mode.
template <class Method, class S>
double chain_error(Method method, S system, int mode, long n) {
  constexpr std::size_t kMasses = 16;
  const double h = 10.0 / static_cast<double>(n);
  State<double> state{0, mode_shape(kMasses, mode, 40, 0), std::vector<double>(kMasses)};
  method.start(state, system, h);
  double square = 0;
  for (long step = 1; step <= n; ++step) {
    method.step(state, system, h);
    const auto exact = mode_shape(kMasses, mode, 40, h * static_cast<double>(step));
    for (std::size_t i = 0; i < kMasses; ++i) square += std::pow(state.x[i] - exact[i], 2);
  }
  return std::sqrt(square / static_cast<double>(n * 16));
}

// Each spring is solved independently. The document calls this a pretty good approximation for
// springs of equal stiffness. Both forms of the method have order 2. For the slow, visible modes
// the error of the exact form is many times that of leapfrog. For the fastest mode the error of the
// average form is smaller than that of leapfrog.
TEST(TruePhysics, S0_24_NetworkOfSpringsEachSolvedAlone) {
  const Forces<double> forces{chain(16, 40), nullptr};
  const ChainSystem system{chain(16, 40)};
  const LeapfrogKickDriftKick<double> leapfrog(16);
  const Kinematic<double> exact(16, KinematicPosition::exact, libm<double>());
  const Kinematic<double> average(16, KinematicPosition::average, libm<double>());
  EXPECT_GT(chain_error(exact, forces, 1, 600), 50 * chain_error(leapfrog, system, 1, 600));
  EXPECT_GT(chain_error(exact, forces, 3, 600), 5 * chain_error(leapfrog, system, 3, 600));
  EXPECT_LT(chain_error(average, forces, 16, 600), chain_error(leapfrog, system, 16, 600) / 10);
  for (const Kinematic<double>& method : {exact, average}) {
    const double coarse = chain_error(method, forces, 3, 8'000);
    EXPECT_NEAR(std::log2(coarse / chain_error(method, forces, 3, 16'000)), 2, 0.05);
  }
}

}  // namespace
}  // namespace orrery::integrate::test
