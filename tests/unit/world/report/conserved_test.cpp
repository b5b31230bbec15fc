// Tests that the energy of a world includes its sleeping bodies.
#include "common/world/report/conserved.h"

#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

// Crates at rest fall asleep and keep their mass.
TEST(Conserved, CountsWhatSleeps) {
  Scene scene = built_in_scene("crates:10").value();
  scene.sleeping = true;
  World world(std::move(scene));
  SerialExecutor executor;
  for (int i = 0; i < 600; ++i) step(world, {}, executor);
  ASSERT_GT(world.collision()->sleeping->count(), 0u);
  double by_hand = 0;
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    const BodyDef& def = world.scene().bodies[world.controls().prototypes[slot]];
    if (is_dynamic(def.kind))
      by_hand -= def.mass * dot(world.controls().gravity, world.bodies().position(slot));
  }
  EXPECT_GT(by_hand, 0);
  EXPECT_NEAR(conserved(world).energy, by_hand, 1e-9 * by_hand);
}

}  // namespace
}  // namespace orrery
