// Tests the scene `solar` against the published periods, and its conserved quantities.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/energy.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

constexpr double kPi = 3.14159265358979323846;

World world_of(std::string_view spec) { return World(built_in_scene(spec).value()); }

// Adds up the angle that each planet travels around the Sun.
class Orbits {
 public:
  explicit Orbits(const World& world) : before_(6), turned_(6, 0) {
    for (std::uint32_t i = 1; i < 6; ++i) before_[i] = from_sun(world, i);
  }

  void follow(const World& world) {
    for (std::uint32_t i = 1; i < 6; ++i) {
      const Vec3 now = from_sun(world, i);
      turned_[i] += std::atan2(length(cross(before_[i], now)), dot(before_[i], now));
      before_[i] = now;
    }
  }

  double period(std::uint32_t planet, double days) const {
    return days * 2 * kPi / turned_[planet];
  }

 private:
  static Vec3 from_sun(const World& world, std::uint32_t i) {
    return world.bodies().position(i) - world.bodies().position(0);
  }

  std::vector<Vec3> before_;
  std::vector<double> turned_;
};

// Runs ten orbits of Pluto: 2,480 years.
TEST(Scenes, SolarGivesThePublishedPeriods) {
  struct {
    double days;
    double tolerance;
  } const published[] = {{0, 0},           {4332.59, 0.005}, {10759.22, 0.005},
                         {30688.5, 0.005}, {60182, 0.02},    {90560, 0.02}};
  World world = world_of("solar");
  SerialExecutor serial;
  Orbits orbits(world);
  constexpr int kTicks = 90560;
  for (int i = 0; i < kTicks; ++i) {
    step(world, {}, serial);
    orbits.follow(world);
  }
  for (std::uint32_t i = 1; i < 6; ++i) {
    const double period = orbits.period(i, 10.0 * kTicks);
    std::printf("%s: %.2f days, published %.2f (%+.3f %%)\n", world.scene().names[i].c_str(),
                period, published[i].days, 100 * (period / published[i].days - 1));
    EXPECT_NEAR(period / published[i].days, 1, published[i].tolerance) << world.scene().names[i];
  }
}

TEST(Scenes, SolarKeepsEnergyAndMomentumFor1000Years) {
  World world = world_of("solar");
  SerialExecutor serial;
  const double energy = test::total_energy(world);
  const Vec3 momentum = test::orbital_momentum(world);
  double energy_error = 0;
  double momentum_error = 0;
  double last_century = 0;
  for (int tick = 1; tick <= 36525; ++tick) {
    step(world, {}, serial);
    const double error = std::abs(test::total_energy(world) / energy - 1);
    energy_error = std::max(energy_error, error);
    if (tick > 36525 - 3652) last_century = std::max(last_century, error);
    momentum_error = std::max(momentum_error,
                              length(test::orbital_momentum(world) - momentum) / length(momentum));
  }
  std::printf("1,000 years: energy %.2e (last century %.2e), angular momentum %.2e\n", energy_error,
              last_century, momentum_error);
  EXPECT_LT(energy_error, 5e-6);
  EXPECT_LT(momentum_error, 36525 * 2.3e-16);
}

}  // namespace
}  // namespace orrery
