// Tests frames of worlds: all bodies within the bounds of the grid, and the bodies that clients
// move.
#include "common/codec/delta/world_frame.h"

#include <gtest/gtest.h>

#include "common/world/scenes/scenes.h"
#include "tests/unit/codec/delta/sessions.h"

namespace orrery::codec {
namespace {

TEST(WorldFrame, FramesOfAWorldAreItsBodies) {
  World world(built_in_scene("playground").value());
  const DeltaScene scene = delta_scene_of(world.scene());
  QuantisedFrame frame;
  quantise(world, scene.grid, frame);
  ASSERT_EQ(frame.bodies.size(), scene.slots);
  std::uint32_t count = 0;
  for (std::uint32_t slot = 0; slot < scene.slots; ++slot) {
    const QuantisedBody& body = frame.bodies[slot];
    const bool is_alive = slot < world.bodies().slots() && world.bodies().alive(slot);
    ASSERT_EQ(body.present, is_alive);
    if (!body.present) continue;
    ++count;
    ASSERT_EQ(body.id, body_id(world, slot));
    const Vec3 away = position_of(scene.grid, body) - world.bodies().position(slot);
    ASSERT_LE(length(away), scene.grid.position_step);
  }
  EXPECT_EQ(count, world.bodies().count());
}

TEST(WorldFrame, SleepingBodiesAreNotActive) {
  World world(built_in_scene("cubes").value());
  SerialExecutor executor;
  QuantisedFrame frame;
  const auto active = [&] {
    quantise(world, Grid{}, frame);
    return std::count_if(frame.bodies.begin(), frame.bodies.end(),
                         [](const QuantisedBody& body) { return body.active; });
  };
  EXPECT_GT(active(), 800);
  for (int tick = 0; tick < 120; ++tick) step(world, {}, executor);
  EXPECT_LT(active(), 800);
}

TEST(WorldFrame, GrabbedBodiesAreReferences) {
  World world(built_in_scene("playground").value());
  SerialExecutor executor;
  std::vector<std::uint32_t> references{99};
  find_references(world, references);
  EXPECT_TRUE(references.empty());
  CommandStream commands(3);
  bool any = false;
  for (int tick = 0; tick < 200; ++tick) {
    step(world, commands.next(world), executor);
    find_references(world, references);
    any |= !references.empty();
    EXPECT_TRUE(std::is_sorted(references.begin(), references.end()));
    for (const std::uint32_t slot : references) EXPECT_TRUE(world.bodies().alive(slot));
  }
  EXPECT_TRUE(any);
}

}  // namespace
}  // namespace orrery::codec
