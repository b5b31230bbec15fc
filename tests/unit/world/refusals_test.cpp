// Tests the reason that step() gives for each command that it refuses.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "common/core/rng.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr std::uint32_t kClient = 1;

// Steps a world with one command, and returns the reason why it was refused, if it was.
std::optional<Verdict> reason(World& world, const Command& command) {
  SerialExecutor serial;
  std::vector<RefusedCommand> refused(3);  // of an earlier tick
  step(world, {&command, 1}, serial, &refused);
  if (refused.empty()) return std::nullopt;
  EXPECT_EQ(refused.size(), 1u);
  EXPECT_TRUE(world.applied().empty());
  EXPECT_EQ(refused[0].client, command.client);
  EXPECT_EQ(refused[0].sequence, command.sequence);
  return refused[0].reason;
}

std::optional<Verdict> reason(Role role, CommandPayload payload) {
  World world(small_scene());
  EXPECT_TRUE(try_command(world, join(kClient, role)));
  return reason(world, give(kClient, std::move(payload), 77));
}

command::Impulse push(std::uint32_t slot) { return {BodyId{slot}, {1, 0, 0}}; }

TEST(Refusals, NameTheReason) {
  EXPECT_EQ(reason(Role::play, push(kFreeBox)), std::nullopt);
  EXPECT_EQ(reason(Role::watch, push(kFreeBox)), Verdict::role);
  EXPECT_EQ(reason(Role::play, push(kSmallBodies)), Verdict::no_body);
  EXPECT_EQ(reason(Role::play, push(kAnchor)), Verdict::fixed);
  EXPECT_EQ(reason(Role::admin, push(kAnchor)), Verdict::fixed);
  EXPECT_EQ(reason(Role::admin, command::Remove{BodyId{kAnchor}}), std::nullopt);
  EXPECT_EQ(reason(Role::play, command::Remove{BodyId{kAnchor}}), Verdict::fixed);
  EXPECT_EQ(reason(Role::play, push(kGuarded)), Verdict::not_yours);
  EXPECT_EQ(reason(Role::play, push(kUnowned)), Verdict::not_yours);
  EXPECT_EQ(reason(Role::play, command::Spawn{kGuarded, {}, {}}), Verdict::not_yours);
  EXPECT_EQ(reason(Role::play, command::Spawn{kSmallBodies, {}, {}}), Verdict::no_body);
  EXPECT_EQ(reason(Role::play, command::Move{{1, 2, 3}}), Verdict::no_grab);
  EXPECT_EQ(reason(Role::play, command::SetParameter{Parameter::gravity, {}}), Verdict::role);
  EXPECT_EQ(reason(Role::admin, command::Leave{ClientId{kClient}}), Verdict::role);
  World empty(small_scene());
  EXPECT_EQ(reason(empty, give(kClient, push(kFreeBox))), Verdict::not_joined);
}

TEST(Refusals, AreNotCommandsThatChangeNothing) {
  EXPECT_EQ(reason(Role::play, command::Impulse{BodyId{kFreeBox}, {}}), std::nullopt);
  EXPECT_EQ(reason(Role::play, command::Thrust{BodyId{kFreeBox}, {}}), std::nullopt);
  EXPECT_EQ(reason(Role::play, command::Release{}), std::nullopt);
}

TEST(Refusals, NameAWorldWithoutRoom) {
  Scene scene = small_scene();
  scene.spare_bodies = 1;
  World world(std::move(scene));
  ASSERT_TRUE(try_command(world, join(kClient, Role::play)));
  const auto spawn = give(kClient, command::Spawn{kFreeBox, {50, 0, 0}, {}});
  EXPECT_EQ(reason(world, spawn), std::nullopt);
  EXPECT_EQ(reason(world, spawn), Verdict::full);
}

TEST(Refusals, NameCommandsBeyondTheLimitsOfAScene) {
  Scene scene = small_scene();
  scene.command_excess = Excess::refuse;
  World world(std::move(scene));
  ASSERT_TRUE(try_command(world, join(kClient, Role::play)));
  const BodyId body{kFreeBox};
  EXPECT_EQ(reason(world, give(kClient, command::Thrust{body, {1e20f, 0, 0}})),
            Verdict::too_strong);
  EXPECT_EQ(reason(world, give(kClient, command::Impulse{body, {1e20f, 0, 0}})),
            Verdict::too_strong);
  EXPECT_EQ(reason(world, give(kClient, command::Spawn{kFreeBox, {}, {1e6f, 0, 0}})),
            Verdict::too_strong);
}

TEST(Refusals, NameAParameterThatTheSceneCannotHave) {
  World world(built_in_scene("cubes").value());  // its bodies sleep
  ASSERT_TRUE(try_command(world, join(kClient, Role::admin)));
  const command::SetParameter attraction{Parameter::gravitational_constant, {1, 0, 0}};
  EXPECT_EQ(reason(world, give(kClient, attraction)), Verdict::unavailable);
}

// Every command is applied, refused, or changes nothing. Refusals name commands of the tick in
// their order, and none of the applied ones.
TEST(Refusals, AreDisjointFromAppliedCommands) {
  const std::uint64_t seed = 46;
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomCommands commands(seed);
  World world(small_scene());
  SerialExecutor serial;
  std::vector<RefusedCommand> refused;
  std::size_t all = 0;
  for (int tick = 0; tick < 400; ++tick) {
    const std::vector<Command> given = commands.next(world);
    step(world, given, serial, &refused);
    all += refused.size();
    ASSERT_LE(world.applied().size() + refused.size(), given.size());
    std::size_t at = 0;
    for (const RefusedCommand& r : refused) {
      ASSERT_TRUE(is_refusal(r.reason));
      while (at < given.size() &&
             (given[at].client != r.client || given[at].sequence != r.sequence)) {
        ++at;
      }
      ASSERT_LT(at, given.size());
      for (const Command& c : world.applied()) {
        ASSERT_FALSE(c.client == r.client && c.sequence == r.sequence);
      }
    }
  }
  EXPECT_GT(all, 400u);
}

}  // namespace
}  // namespace orrery
