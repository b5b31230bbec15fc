// Tests that the hash of a tick is the hash of its state, and that it changes with the state.
#include "common/world/image/state_hash.h"

#include <gtest/gtest.h>

#include "common/world/image/image.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/backward_executor.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

TEST(Step, TheHashIsTheStatesWhateverTheMethod) {
  SerialExecutor serial;
  for (const Integrator integrator : every_integrator()) {
    for (const bool forces : {false, true}) {
      Scene scene = scene_for(integrator, small_scene());
      if (!forces) {
        scene.springs.clear();
        scene.tethers.clear();
        for (BodyDef& body : scene.bodies) body.linear_drag = 0;
      }
      World world(scene);
      for (int i = 0; i < 5; ++i) step(world, {}, serial);
      EXPECT_EQ(world.hash(), state_hash(world, serial)) << name_of(integrator);
    }
  }
}

// An applied command changes the hash of its tick; any other command does not.
TEST(Step, EveryAppliedCommandChangesTheHash) {
  SerialExecutor serial;
  World world(small_scene());
  World with(small_scene());
  World without(small_scene());
  std::vector<std::uint8_t> image;
  RandomCommands random(77);
  int changes = 0;
  for (int tick = 0; tick < 1000; ++tick) {
    const std::vector<Command> commands = random.next(world);
    save_image(world, image);
    for (const Command& command : commands) {
      ASSERT_TRUE(restore_image(with, image).ok());
      ASSERT_TRUE(restore_image(without, image).ok());
      step(with, {&command, 1}, serial);
      step(without, {}, serial);
      const bool applied = !with.applied().empty();
      ASSERT_EQ(with.hash() != without.hash(), applied)
          << "tick " << tick << " command " << command.payload.index();
      changes += applied;
    }
    step(world, commands, serial);
  }
  std::printf("%d commands changed the hash\n", changes);
}

TEST(Step, SwappedBodiesHaveAnotherHash) {
  Scene scene = built_in_scene("free:2").value();
  const World a(scene);
  std::swap(scene.bodies[0], scene.bodies[1]);
  const World b(scene);
  EXPECT_NE(a.hash(), b.hash());
}

}  // namespace
}  // namespace orrery
