// Tests that the lander obeys its client, and stays above its pad.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/energy.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using test::run;

World world_of(std::string_view spec) { return World(built_in_scene(spec).value()); }

Command from(std::uint32_t client, CommandPayload payload) {
  return {ClientId{client}, Sequence{1}, std::move(payload)};
}

TEST(Scenes, LanderIsFlownByClient1AndComesBack) {
  World world = world_of("lander");
  SerialExecutor serial;
  const BodyId lander{0};
  const Command join_1{kServer, Sequence{1}, command::Join{ClientId{1}, Role::play}};
  const Command join_2{kServer, Sequence{2}, command::Join{ClientId{2}, Role::play}};
  const Command joins[] = {join_1, join_2};
  step(world, joins, serial);
  const Command pushes[] = {from(1, command::Thrust{lander, {0, 8000, 0}}),
                            from(2, command::Thrust{lander, {0, -9000, 0}})};
  step(world, pushes, serial);
  EXPECT_EQ(world.applied().size(), 1u);
  const double before = world.bodies().velocity(0).y;
  run(world, 120);
  EXPECT_GT(world.bodies().velocity(0).y, before + 4);
  const Command stop = from(1, command::Thrust{lander, {}});
  step(world, {&stop, 1}, serial);
  double nearest = 1e9, farthest = 0;
  for (int i = 0; i < 60 * 600; ++i) {
    step(world, {}, serial);
    nearest = std::min(nearest, world.bodies().position(0).y);
    farthest = std::max(farthest, length(world.bodies().position(0)));
  }
  std::printf("lander: lowest %.1f m, farthest %.1f m, %.1f m at the end\n", nearest, farthest,
              world.bodies().position(0).y);
  EXPECT_LT(farthest, 80);
}

TEST(Scenes, LanderLeftAloneStaysAboveItsPad) {
  World world = world_of("lander");
  double lowest = 1e9;
  for (int i = 0; i < 60; ++i) {
    run(world, 60);
    lowest = std::min(lowest, world.bodies().position(0).y);
  }
  EXPECT_GT(lowest, 1.5);
}

}  // namespace
}  // namespace orrery
