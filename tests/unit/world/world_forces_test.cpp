// Tests that the forces of a world follow its bodies and commands.
#include "common/world/world_forces.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/world/image/image.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

// Three bodies in a row, with springs between neighbours, and a tether at each.
Scene chain_scene() {
  Scene scene;
  scene.bodies.resize(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    scene.bodies[i].position = {1.0 * i, 0, 0};
    scene.bodies[i].linear_drag = i == 0 ? 1 : 0;
    TetherDef tether;
    tether.body = i;
    tether.stiffness = 1;
    scene.tethers.push_back(tether);
  }
  for (std::uint32_t i = 0; i < 2; ++i) {
    SpringDef spring;
    spring.a = i;
    spring.b = i + 1;
    spring.stiffness = 1;
    scene.springs.push_back(spring);
  }
  return scene;
}

TEST(WorldForces, EndWithTheirBodies) {
  World world(chain_scene());
  EXPECT_EQ(world.forces().springs.size(), 2u);
  EXPECT_EQ(world.forces().tethers.size(), 3u);
  EXPECT_EQ(world.forces().dragged.size(), 1u);
  ASSERT_TRUE(try_command(world, give(0, command::Remove{BodyId{0}})));
  EXPECT_EQ(world.forces().springs.size(), 1u);
  EXPECT_EQ(world.forces().tethers.size(), 2u);
  EXPECT_EQ(world.forces().dragged.size(), 0u);
}

TEST(WorldForces, FollowCommandsAndImages) {
  World world(chain_scene());
  ASSERT_TRUE(try_command(world, join(1, Role::admin)));
  ASSERT_TRUE(try_command(world, give(1, command::Grab{BodyId{1}, {}, {0, 5, 0}})));
  ASSERT_TRUE(try_command(world, give(1, command::Thrust{BodyId{2}, {1, 0, 0}})));
  EXPECT_EQ(world.forces().grips.size(), 1u);
  EXPECT_EQ(world.forces().held.size(), 1u);
  std::vector<std::uint8_t> image;
  save_image(world, image);
  World other(world.scene());
  ASSERT_TRUE(restore_image(other, image).ok());
  EXPECT_EQ(other.forces().grips.size(), 1u);
  EXPECT_EQ(other.forces().held.size(), 1u);
  run(world, 20);
  run(other, 20);
  EXPECT_EQ(other.hash(), world.hash());
  ASSERT_TRUE(try_command(world, give(1, command::Release{})));
  ASSERT_TRUE(try_command(world, give(1, command::Thrust{BodyId{2}, {}})));
  EXPECT_TRUE(world.forces().grips.empty());
  EXPECT_TRUE(world.forces().held.empty());
}

}  // namespace
}  // namespace orrery
