// Tests the targets of scripts, and the bodies that they pull.
#include "common/world/script.h"

#include <gtest/gtest.h>

#include "common/core/hash.h"
#include "common/core/rng.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using test::run;

// Returns three balls in empty space: 0 has the script, 1 is 2 m away, 2 is 20 m away.
Scene three_balls() {
  Scene scene;
  use_contacts(scene);
  scene.gravity = {};
  const std::uint32_t ball = add_ball_shape(scene, 0.5);
  for (const double x : {0.0, 2.0, 20.0}) {
    scene.bodies.push_back(shaped_body(scene, ball, {x, 0, 0}));
  }
  ScriptDef script;
  script.seed = 5;
  script.period = 600;
  script.centre = {0, 3, 0};
  script.range = 4;
  script.reach = 5;
  script.pull = 6;
  scene.scripts.push_back(script);
  return scene;
}

TEST(Script, PullsItsBodyToThePlaceOfTheLeg) {
  World world(three_balls());
  run(world, 590);
  SplitMix64 draw(mix64(5));
  const double x = 4 * draw.symmetric();
  const double z = 4 * draw.symmetric();
  EXPECT_LT(length(world.bodies().position(0) - Vec3{x, 3, z}), 1e-3);
  EXPECT_EQ(world.bodies().position(2), (Vec3{20, 0, 0}));
}

// The script's spring holds body 0 in place. In the second of three legs of 10 ticks, body 0 pulls
// body 1. The speed that body 1 gains is the time of the leg times the acceleration.
TEST(Script, PullsWhatIsNearInEverySecondLeg) {
  Scene scene = three_balls();
  scene.scripts[0].period = 10;
  scene.scripts[0].centre = {};
  scene.scripts[0].range = 0;
  World world(scene);
  run(world, 10);
  EXPECT_EQ(world.bodies().velocity(1), (Vec3{0, 0, 0}));
  run(world, 10);
  EXPECT_NEAR(world.bodies().velocity(1).x, -6 * 10.0 / 60, 1e-12);
  const Vec3 pulled = world.bodies().velocity(1);
  run(world, 10);
  EXPECT_EQ(world.bodies().velocity(1), pulled);
  EXPECT_EQ(world.bodies().velocity(2), (Vec3{0, 0, 0}));
}

TEST(Script, EndsWithItsBody) {
  World world(three_balls());
  ASSERT_TRUE(test::try_command(world, test::join(1, Role::play)));
  ASSERT_TRUE(test::try_command(world, test::give(1, command::Remove{BodyId{0}})));
  ASSERT_TRUE(test::try_command(world, test::give(1, command::Spawn{1, {0, 0, 0}, {}}, 2)));
  run(world, 60);
  EXPECT_EQ(world.bodies().position(0), (Vec3{0, 0, 0}));
}

TEST(Script, IsCheckedWithItsScene) {
  const auto refused = [](void (*change)(ScriptDef&)) {
    Scene scene = three_balls();
    change(scene.scripts[0]);
    return !validate(scene).ok();
  };
  EXPECT_FALSE(refused([](ScriptDef&) {}));
  EXPECT_TRUE(refused([](ScriptDef& s) { s.body = 3; }));
  EXPECT_TRUE(refused([](ScriptDef& s) { s.period = 0; }));
  EXPECT_TRUE(refused([](ScriptDef& s) { s.range = -1; }));
  EXPECT_TRUE(refused([](ScriptDef& s) { s.frequency = 0; }));
  EXPECT_TRUE(refused([](ScriptDef& s) { s.pull = 1e300; }));
  Scene scene = built_in_scene("free:3").value();
  scene.scripts.push_back({});
  EXPECT_FALSE(validate(scene).ok());
}

// Most of the field of cubes sleeps while the player moves through it.
TEST(Script, ThePlayerRollsCubesUp) {
  World world(built_in_scene("cubes").value());
  int lifted = 0;
  std::uint32_t asleep = 0;
  for (int i = 0; i < 24; ++i) {
    run(world, 10);
    asleep = std::max(asleep, world.collision()->sleeping->count());
    for (std::uint32_t slot = 1; slot <= 900; ++slot) {
      if (world.bodies().position(slot).y > 0.7) ++lifted;
    }
  }
  EXPECT_GT(lifted, 10);
  EXPECT_GT(asleep, 800u);
}

}  // namespace
}  // namespace orrery
