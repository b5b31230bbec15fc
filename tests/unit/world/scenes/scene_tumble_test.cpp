// Tests the flips of the scene `tumble` against the elliptic integral.
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

// Returns the time between two flips for I = 1, 2, 3 and a spin of (0.01, 5, 0.01). It is 2 K(k) /
// lambda, with the elliptic integral K from the arithmetic-geometric mean.
double flip_interval() {
  const double i1 = 1, i2 = 2, i3 = 3;
  const double w1 = 0.01, w2 = 5, w3 = 0.01;
  const double twice_energy = i1 * w1 * w1 + i2 * w2 * w2 + i3 * w3 * w3;
  const double l2 = i1 * i1 * w1 * w1 + i2 * i2 * w2 * w2 + i3 * i3 * w3 * w3;
  // Below L^2 = 2 E I2 the first and third axes exchange roles.
  const double a = l2 > twice_energy * i2 ? i1 : i3;
  const double c = l2 > twice_energy * i2 ? i3 : i1;
  const double lambda = std::sqrt((c - i2) * (l2 - twice_energy * a) / (i1 * i2 * i3));
  const double k2 = (i2 - a) * (twice_energy * c - l2) / ((c - i2) * (l2 - twice_energy * a));
  double mean = 1, other = std::sqrt(1 - k2);
  for (int i = 0; i < 40; ++i) {
    const double next = (mean + other) / 2;
    other = std::sqrt(mean * other);
    mean = next;
  }
  return kPi / mean / lambda;
}

TEST(Scenes, TumbleFlipsAsOftenAsTheEllipticIntegralSays) {
  EXPECT_NEAR(flip_interval(), 5.025929138, 1e-8);
  World world = world_of("tumble");
  SerialExecutor serial;
  int flips = 0;
  double first = 0;
  double least_of_steady = 1;
  double before = world.bodies().angular_momentum(0).y;
  for (int tick = 1; tick <= 60 * 600; ++tick) {
    step(world, {}, serial);
    const double now = world.bodies().angular_momentum(0).y;
    if (now * before < 0 && ++flips == 1) first = tick / 60.0;
    before = now;
    const Vec3 least = world.bodies().angular_momentum(1);
    const Vec3 greatest = world.bodies().angular_momentum(2);
    least_of_steady =
        std::min({least_of_steady, least.x / length(least), greatest.z / length(greatest)});
  }
  const int expected = static_cast<int>((600 - 2.75) / flip_interval()) + 1;
  std::printf("first flip at %.3f s, %d flips in 600 s, expected %d\n", first, flips, expected);
  EXPECT_NEAR(first, 2.75, 1.0 / 60 + 0.01);
  EXPECT_NEAR(flips, expected, 1);
  EXPECT_GT(least_of_steady, 0.99);
}

}  // namespace
}  // namespace orrery
