// Tests that a world counts its ticks, and that its hash is always the hash of its state.
#include <gtest/gtest.h>

#include "common/world/image/image.h"
#include "common/world/image/state_hash.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/backward_executor.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

TEST(Step, CountsTicksAndKeepsItsHashAndSceneApart) {
  World world(small_scene());
  SerialExecutor serial;
  EXPECT_EQ(world.tick(), Tick{0});
  EXPECT_EQ(world.hash(), state_hash(world, serial));
  for (std::uint64_t tick = 1; tick <= 10; ++tick) {
    const std::uint64_t before = world.hash();
    step(world, {}, serial);
    EXPECT_EQ(world.tick(), Tick{tick});
    EXPECT_NE(world.hash(), before);
    EXPECT_EQ(world.hash(), state_hash(world, serial));
    EXPECT_TRUE(world.applied().empty());
  }
}

}  // namespace
}  // namespace orrery
