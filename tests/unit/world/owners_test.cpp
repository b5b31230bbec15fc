// Tests the owners of bodies: with and without an account, after a leave, and by an admin.
#include <gtest/gtest.h>

#include "common/world/image/image.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr std::uint64_t kAnn = 0x1234567890abcdef;
constexpr std::uint64_t kBob = 77;

Command join_as(std::uint32_t client, std::uint64_t account, Role role = Role::play,
                std::uint32_t sequence = 1) {
  return give(0, command::Join{ClientId{client}, role, account}, sequence);
}

bool may_thrust(World world, std::uint32_t client, BodyId body) {
  return try_command(world, give(client, command::Thrust{body, {1, 0, 0}}));
}

// Worlds cannot be copied, so this restores the state of one in another.
World copy_of(const World& world) {
  World copy(world.scene());
  std::vector<std::uint8_t> image;
  save_image(world, image);
  EXPECT_TRUE(restore_image(copy, image).ok());
  EXPECT_EQ(copy.hash(), world.hash());
  return copy;
}

bool owns(const World& world, std::uint32_t client, BodyId body) {
  return may_thrust(copy_of(world), client, body);
}

// Makes a world in which Ann is client 1, Bob is client 2, and each has spawned a body.
struct TwoPlayers {
  World world;
  BodyId of_ann;
  BodyId of_bob;
};

TwoPlayers two_players(const Scene& scene = small_scene()) {
  World world(scene);
  EXPECT_TRUE(try_command(world, join_as(1, kAnn)));
  EXPECT_TRUE(try_command(world, join_as(2, kBob)));
  EXPECT_TRUE(try_command(world, give(1, command::Spawn{kUnowned, {1, 2, 3}, {}})));
  EXPECT_TRUE(try_command(world, give(2, command::Spawn{kUnowned, {4, 2, 3}, {}})));
  const BodyId of_ann = body_id(world, kSmallBodies);
  const BodyId of_bob = body_id(world, kSmallBodies + 1);
  return {std::move(world), of_ann, of_bob};
}

TEST(Owners, AnAccountKeepsItsBodiesUnderAnotherClientId) {
  TwoPlayers t = two_players();
  EXPECT_TRUE(owns(t.world, 1, t.of_ann) && !owns(t.world, 1, t.of_bob));
  // All leave, as after a crash, and come back in another order.
  ASSERT_TRUE(try_command(t.world, leave(1)));
  ASSERT_TRUE(try_command(t.world, leave(2)));
  ASSERT_TRUE(try_command(t.world, join_as(1, kBob)));
  ASSERT_TRUE(try_command(t.world, join_as(2, kAnn)));
  EXPECT_TRUE(owns(t.world, 2, t.of_ann));
  EXPECT_FALSE(owns(t.world, 1, t.of_ann));
  EXPECT_TRUE(owns(t.world, 1, t.of_bob));
  EXPECT_FALSE(owns(t.world, 2, t.of_bob));
}

// Rules end what a player holds: they take the body away, and may give it back in the same tick.
TEST(Owners, TakingABodyEndsWhatItsOwnerHolds) {
  TwoPlayers t = two_players();
  const auto set_control = [&](Control control, std::uint64_t owner, std::uint32_t sequence) {
    return give(0, command::SetControl{t.of_ann, control, owner}, sequence);
  };
  ASSERT_TRUE(try_command(t.world, give(1, command::Thrust{t.of_ann, {1, 0, 0}}, 1)));
  ASSERT_TRUE(try_command(t.world, give(1, command::Grab{t.of_ann, {}, {}}, 2)));
  ASSERT_TRUE(try_command(t.world, give(2, command::Thrust{t.of_bob, {1, 0, 0}}, 1)));
  ASSERT_TRUE(try_command(t.world, set_control(Control::anyone, 0, 1)));
  EXPECT_EQ(t.world.controls().thrusts.size(), 2u) << "Ann may still command it";
  EXPECT_TRUE(t.world.controls().clients[0].grabbing);
  const Command both[] = {set_control(Control::nobody, 0, 1), set_control(Control::owner, kAnn, 2)};
  SerialExecutor serial;
  step(t.world, both, serial);
  ASSERT_EQ(t.world.controls().thrusts.size(), 1u);
  EXPECT_EQ(t.world.controls().thrusts[0].body, t.of_bob);
  EXPECT_FALSE(t.world.controls().clients[0].grabbing);
  EXPECT_TRUE(owns(t.world, 1, t.of_ann));
}

TEST(Owners, ASceneNamesAnAccount) {
  Scene scene = small_scene();
  scene.bodies[kOwned].owner = kAnn;
  World world(scene);
  ASSERT_TRUE(try_command(world, join_as(1, kBob)));
  ASSERT_TRUE(try_command(world, join_as(9, kAnn)));
  EXPECT_FALSE(owns(world, 1, BodyId{kOwned}));
  EXPECT_TRUE(owns(world, 9, BodyId{kOwned}));
}

// Without an account a client is known by its id only, and the next client gets the same id.
TEST(Owners, AClientWithoutAnAccountLosesItsBodiesAtOnce) {
  World world(small_scene());
  ASSERT_TRUE(try_command(world, join(1, Role::play)));
  ASSERT_TRUE(try_command(world, give(1, command::Spawn{kUnowned, {1, 2, 3}, {}})));
  const BodyId body = body_id(world, kSmallBodies);
  EXPECT_TRUE(owns(world, 1, body));
  ASSERT_TRUE(try_command(world, leave(1)));
  ASSERT_TRUE(try_command(world, join(1, Role::play)));
  EXPECT_FALSE(owns(world, 1, body));
}

TEST(Owners, DisownEndsTheOwnershipOfSpawnedBodiesOnly) {
  Scene scene = small_scene();
  scene.bodies[kOwned].owner = kAnn;
  TwoPlayers t = two_players(scene);
  EXPECT_FALSE(try_command(t.world, give(1, command::Disown{kBob}))) << "only the server may";
  ASSERT_TRUE(try_command(t.world, give(0, command::Disown{kAnn})));
  EXPECT_FALSE(try_command(t.world, give(0, command::Disown{kAnn}))) << "nothing is left";
  EXPECT_FALSE(owns(t.world, 1, t.of_ann));
  EXPECT_TRUE(owns(t.world, 1, BodyId{kOwned}));
  EXPECT_TRUE(owns(t.world, 2, t.of_bob));
}

TEST(Owners, AnAdminGivesAndTakesControl) {
  TwoPlayers t = two_players();
  ASSERT_TRUE(try_command(t.world, join_as(3, 1, Role::admin)));
  const BodyId box{kFreeBox};
  const command::SetControl to_ann{box, Control::owner, kAnn};
  EXPECT_FALSE(try_command(t.world, give(1, to_ann))) << "a player may not";
  EXPECT_TRUE(owns(t.world, 2, box));
  ASSERT_TRUE(try_command(t.world, give(3, to_ann)));
  EXPECT_FALSE(try_command(t.world, give(3, to_ann))) << "it changes nothing";
  EXPECT_TRUE(owns(t.world, 1, box));
  EXPECT_FALSE(owns(t.world, 2, box));
  ASSERT_TRUE(try_command(t.world, give(3, command::SetControl{box, Control::nobody, 0})));
  EXPECT_FALSE(owns(t.world, 1, box));
  // Back to the scene's own control: the image has its first form again.
  World untouched = two_players().world;
  ASSERT_TRUE(try_command(untouched, join_as(3, 1, Role::admin)));
  ASSERT_TRUE(try_command(t.world, give(3, command::SetControl{box, Control::anyone, 0})));
  while (untouched.tick() < t.world.tick()) run(untouched, 1);
  EXPECT_EQ(t.world.hash(), untouched.hash());
  EXPECT_FALSE(try_command(t.world, give(3, command::SetControl{BodyId{~0u}, Control::owner, 1})));
}

TEST(Owners, APlayerSpawnsAtMostWhatTheSceneAllows) {
  Scene scene = small_scene();
  scene.spawned_bodies_max = 2;
  TwoPlayers t = two_players(scene);
  const command::Spawn spawn{kUnowned, {1, 5, 3}, {}};
  EXPECT_TRUE(try_command(t.world, give(1, spawn)));
  EXPECT_FALSE(try_command(t.world, give(1, spawn))) << "the third";
  // Leaving and returning does not help.
  ASSERT_TRUE(try_command(t.world, leave(1)));
  ASSERT_TRUE(try_command(t.world, join_as(1, kAnn)));
  EXPECT_FALSE(try_command(t.world, give(1, spawn)));
  EXPECT_TRUE(try_command(t.world, give(1, command::Remove{t.of_ann})));
  EXPECT_TRUE(try_command(t.world, give(1, spawn)));
  ASSERT_TRUE(try_command(t.world, join_as(3, 1, Role::admin)));
  EXPECT_TRUE(try_command(t.world, give(3, spawn)));
}

// A client without an account leaves, and another one gets its id in the same tick. The bodies of
// the first go back, and those that the server gives the second in this tick stay.
TEST(Owners, ADecisionInTheTickOfAJoinStays) {
  World world(small_scene());
  ASSERT_TRUE(try_command(world, join(1, Role::play)));
  const BodyId box{kFreeBox}, other{kUnowned};
  ASSERT_TRUE(try_command(world, give(0, command::SetControl{other, Control::owner, 1})));
  const std::vector<Command> commands = {leave(1, 1), join(1, Role::play, 2),
                                         give(0, command::SetControl{box, Control::owner, 1}, 3)};
  SerialExecutor serial;
  step(world, commands, serial);
  EXPECT_EQ(world.applied().size(), 3u);
  EXPECT_TRUE(owns(world, 1, box));
  EXPECT_FALSE(owns(world, 1, other));
}

}  // namespace
}  // namespace orrery
