// Tests the controls in an image: the state they restore, and the values that are refused.
#include "common/world/image/controls_image.h"

#include <gtest/gtest.h>

#include "common/core/hash.h"
#include "common/world/fault_injector.h"
#include "common/world/image/image.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"
#include "tests/unit/world/image/forged_image.h"

namespace orrery {
namespace {

using namespace test;

TEST(Image, ReusedSlotsKeepTheirGenerationPrototypeAndOwner) {
  const World world = busy_world();
  World other(small_scene());
  ASSERT_TRUE(restore_image(other, image_of(world)).ok());
  EXPECT_EQ(other.controls().generations, world.controls().generations);
  EXPECT_EQ(other.controls().prototypes, world.controls().prototypes);
  EXPECT_EQ(other.controls().owners, world.controls().owners);
  EXPECT_EQ(body_id(other, kFreeBox), make_body_id(kFreeBox, 1));
  EXPECT_FALSE(other.bodies().alive(kGuarded));
}

TEST(Image, ClientsAndThrustsAreWithinTheLimitsOfCommands) {
  const Layout at{busy_world()};
  const std::size_t second = kClients + 4 + kClientBytes;
  const std::size_t target = kClients + 4 + 4 + 1 + 1 + 4 + 3 * 4;
  const std::size_t thrust = at.thrusts + 4;
  EXPECT_TRUE(restores_with(kClients + 4, std::uint32_t{1}));
  EXPECT_FALSE(restores_with(kClients + 4, std::uint32_t{0})) << "the server as a client";
  EXPECT_TRUE(restores_with(second, limits::kClientsMax));
  EXPECT_FALSE(restores_with(second, limits::kClientsMax + 1));
  EXPECT_TRUE(restores_with(target, 9e11f));
  EXPECT_FALSE(restores_with(target, 2e12f)) << "a target beyond the limit of lengths";
  EXPECT_TRUE(restores_with(thrust + 4, std::uint32_t{2}));
  EXPECT_FALSE(restores_with(thrust + 4, std::uint32_t{3})) << "the thrust of a client not there";
  EXPECT_TRUE(restores_with(thrust + 8, 9e23f));
  EXPECT_FALSE(restores_with(thrust + 8, 2e24f)) << "a force beyond its limit";
}

// The image of the busy world lists slots 0 and 1 as different from the scene, because their bodies
// were removed.
TEST(Image, ListsOfSlotsHaveOneForm) {
  const Layout at{busy_world()};
  constexpr std::size_t kEntryBytes = 4 + 2 + 4 + 4;
  const std::size_t first = at.slots + 4;
  EXPECT_EQ(at.slots + 4 + 2 * kEntryBytes, at.state);
  EXPECT_FALSE(restores_with(first + kEntryBytes, std::uint32_t{0})) << "a slot twice";
  EXPECT_FALSE(restores_with(first, std::uint32_t{kOwned})) << "in another order";
  EXPECT_FALSE(restores_with(first + 4, std::uint16_t{0})) << "a scene's body that is listed";
  std::vector<std::uint8_t> image = without_checksum(busy_world());
  overwrite(image, at.slots, std::uint32_t{1});
  image.erase(image.begin() + static_cast<std::ptrdiff_t>(first + kEntryBytes),
              image.begin() + static_cast<std::ptrdiff_t>(at.state));
  World world(small_scene());
  EXPECT_FALSE(restores(world, image)) << "an empty slot that is not listed";
}

// Returns a world whose admin has given body 0 of the scene to the owner 5.
World world_with_a_gift() {
  World world(small_scene());
  EXPECT_TRUE(try_command(world, join(1, Role::admin)));
  EXPECT_TRUE(try_command(world, give(1, command::SetControl{BodyId{0}, Control::owner, 5})));
  return world;
}

TEST(Image, AccountsAndGivenBodiesComeBack) {
  World world = world_with_a_gift();
  constexpr std::uint64_t kAccount = ~std::uint64_t{0} - 1;
  ASSERT_TRUE(try_command(world, give(0, command::Join{ClientId{2}, Role::play, kAccount})));
  ASSERT_TRUE(try_command(world, give(2, command::Spawn{kUnowned, {1, 2, 3}, {}})));
  World other(small_scene());
  ASSERT_TRUE(restore_image(other, image_of(world)).ok());
  EXPECT_EQ(other.hash(), world.hash());
  EXPECT_EQ(other.controls().owners, world.controls().owners);
  EXPECT_EQ(other.controls().control, world.controls().control);
  EXPECT_EQ(other.controls().clients[1].account, kAccount);
  EXPECT_EQ(other.controls().owners[0], 5u);
  EXPECT_EQ(image_of(other), image_of(world));
}

TEST(Image, GivenBodiesHaveOneForm) {
  const World world = world_with_a_gift();
  const Layout at{world};
  const std::size_t owner = at.slots + 4 + 4 + 2 + 4;
  ASSERT_EQ(owner + 4 + 8 + 1, at.state);
  const auto with = [&](std::size_t offset, auto value) {
    std::vector<std::uint8_t> image = without_checksum(world);
    overwrite(image, offset, value);
    World other(small_scene());
    return restores(other, image);
  };
  const std::size_t control = owner + 4 + 8;
  EXPECT_TRUE(with(owner + 4, std::uint64_t{6}));
  EXPECT_TRUE(with(control, std::uint8_t{0}));
  EXPECT_FALSE(with(control, std::uint8_t{1})) << "the control of the scene in the long form";
  EXPECT_FALSE(with(control, std::uint8_t{3})) << "no such control";
  EXPECT_FALSE(with(at.slots + 4 + 6, std::uint32_t{1})) << "a scene's body like another";
}

// The scene determines the owners of its bodies, whatever happened in the world before.
TEST(Image, OwnersOfTheScenesBodiesComeFromTheScene) {
  const std::vector<std::uint8_t> image = image_of(World(small_scene()));
  World world(small_scene());
  FaultInjector(world).state().controls.owners[kOwned] = 7;
  ASSERT_TRUE(restore_image(world, image).ok());
  EXPECT_EQ(world.controls().owners[kOwned], 1u);
}

}  // namespace
}  // namespace orrery
