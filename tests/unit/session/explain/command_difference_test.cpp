// Tests the comparison of the commands of a tick.
#include "common/session/explain/command_difference.h"

#include <gtest/gtest.h>

#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

Command impulse(std::uint32_t client, std::uint32_t sequence, float x) {
  return {ClientId{client}, Sequence{sequence}, command::Impulse{BodyId{4}, {x, 0, 0}}};
}

TEST(CommandDifference, IsEmptyForEqualLists) {
  const std::vector<Command> commands = {impulse(1, 1, 5), impulse(1, 2, 6), impulse(2, 1, 7)};
  EXPECT_TRUE(session::command_differences(commands, commands).empty());
  EXPECT_TRUE(session::command_differences({}, {}).empty());
  EXPECT_TRUE(session::commands_not_among(commands, commands).empty());
}

TEST(CommandDifference, ListsCommandsOfOneSide) {
  const std::vector<Command> a = {impulse(1, 1, 5), impulse(2, 1, 7)};
  const std::vector<Command> b = {impulse(1, 2, 6), impulse(2, 1, 7), impulse(3, 1, 8)};
  const auto found = session::command_differences(a, b);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[0].in_a);
  EXPECT_EQ(found[0].command.sequence, Sequence{1});
  EXPECT_FALSE(found[1].in_a);
  EXPECT_EQ(found[1].command.sequence, Sequence{2});
  EXPECT_FALSE(found[2].in_a);
  EXPECT_EQ(found[2].command.client, ClientId{3});

  const std::vector<Command> rest = session::commands_not_among(b, a);
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0].sequence, Sequence{2});
  EXPECT_EQ(rest[1].client, ClientId{3});
}

TEST(CommandDifference, ListsBothFormsOfAChangedCommand) {
  const std::vector<Command> a = {impulse(1, 1, 5)};
  const std::vector<Command> b = {impulse(1, 1, -5)};
  const auto found = session::command_differences(a, b);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].in_a);
  EXPECT_FALSE(found[1].in_a);
  // The client and sequence are equal, so neither list lacks the command.
  EXPECT_TRUE(session::commands_not_among(a, b).empty());
}

TEST(CommandDifferenceDeathTest, RequiresSortedCommands) {
  const std::vector<Command> unsorted = {impulse(2, 1, 5), impulse(1, 1, 5)};
  EXPECT_DEATH(session::command_differences(unsorted, {}), "are_sorted");
}

TEST(CommandDifference, KnowsTheBodyThatAClientHolds) {
  World world(built_in_scene("playground").value());
  const BodyId held{9};
  const Command move{ClientId{1}, Sequence{3}, command::Move{}};
  EXPECT_FALSE(session::target_of(world, move));
  const std::vector<Command> commands = {
      {kServer, Sequence{1}, command::Join{ClientId{1}, Role::admin}},
      {ClientId{1}, Sequence{2}, command::Grab{held, {}, {}}}};
  SerialExecutor executor;
  step(world, commands, executor);
  ASSERT_EQ(world.applied().size(), 2u);
  EXPECT_EQ(session::target_of(world, move), held);
  EXPECT_EQ(session::target_of(world, {ClientId{1}, Sequence{4}, command::Release{}}), held);
  EXPECT_FALSE(session::target_of(world, {ClientId{2}, Sequence{1}, command::Release{}}));
  EXPECT_EQ(session::target_of(world, impulse(2, 1, 5)), BodyId{4});
}

}  // namespace
}  // namespace orrery
