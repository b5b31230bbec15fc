// Tests that the scene `springs` keeps its energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/energy.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

World world_of(std::string_view spec) { return World(built_in_scene(spec).value()); }

TEST(Scenes, SpringsKeepTheirEnergy) {
  World world = world_of("springs:100");
  SerialExecutor serial;
  const double energy = test::total_energy(world);
  EXPECT_EQ(energy, 0.5 * (3 * 3 + 5 * 5 + 2 * 2));
  double error = 0;
  double late = 0;
  for (int tick = 1; tick <= 7200; ++tick) {
    step(world, {}, serial);
    const double now = std::abs(test::total_energy(world) / energy - 1);
    error = std::max(error, now);
    if (tick > 6000) late = std::max(late, now);
  }
  std::printf("springs: energy within %.2e over 2 minutes, %.2e at the end\n", error, late);
  EXPECT_LT(error, 0.05);
}

}  // namespace
}  // namespace orrery
