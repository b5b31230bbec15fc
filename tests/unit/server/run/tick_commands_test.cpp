// Tests the commands of a tick with rules: total order, dropped and replaced ones, and refusals.
#include "server/run/tick_commands.h"

#include <limits>
#include <vector>

#include "common/world/scenes/scenes.h"
#include "gtest/gtest.h"
#include "server/inbox.h"

namespace orrery {
namespace {

const command::Impulse kPushUp{BodyId{0}, {0, 1, 0}};

// A world with a body, and the commands of a tick: a join of the server, and two of client 3.
struct RuledTick {
  World world{built_in_scene("boxes:2").value()};
  std::vector<Command> closed = {{kServer, Sequence{1}, command::Join{ClientId{4}, Role::play, 0}},
                                 {ClientId{3}, Sequence{7}, kPushUp},
                                 {ClientId{3}, Sequence{8}, command::Release{}}};
  server::TickCommands commands{world, 2};

  RuledTick() { commands.begin(closed); }
};

TEST(TickCommands, AreNotCopiedWithoutRules) {
  RuledTick tick;
  EXPECT_EQ(tick.commands.merged().data(), tick.closed.data());
  EXPECT_EQ(tick.commands.merged().size(), tick.closed.size());
}

TEST(TickCommands, DecisionsFollowTheServerAndPrecedeTheClients) {
  RuledTick tick;
  EXPECT_EQ(tick.commands.decide(kPushUp), Verdict::applied);
  EXPECT_EQ(tick.commands.decide(command::Remove{BodyId{0}}), Verdict::applied);
  const auto merged = tick.commands.merged();
  ASSERT_EQ(merged.size(), 5u);
  for (std::size_t i = 1; i < merged.size(); ++i) {
    EXPECT_TRUE(comes_before(merged[i - 1], merged[i])) << i;
  }
  EXPECT_TRUE(std::holds_alternative<command::Join>(merged[0].payload));
  EXPECT_TRUE(std::holds_alternative<command::Impulse>(merged[1].payload));
  EXPECT_TRUE(std::holds_alternative<command::Remove>(merged[2].payload));
  EXPECT_EQ(tick.commands.decision(merged[0].sequence), std::nullopt);
  EXPECT_EQ(tick.commands.decision(merged[1].sequence), 0u);
  EXPECT_EQ(tick.commands.decision(merged[2].sequence), 1u);
  tick.commands.begin(tick.closed);
  EXPECT_EQ(tick.commands.merged().size(), 3u);
}

TEST(TickCommands, OfClientsAreDroppedAndReplaced) {
  RuledTick tick;
  EXPECT_EQ(tick.commands.drop(1), Verdict::applied);
  EXPECT_EQ(tick.commands.replace(2, kPushUp), Verdict::applied);
  EXPECT_EQ(tick.commands.list().size(), 3u);
  auto merged = tick.commands.merged();
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[1].client, ClientId{3});
  EXPECT_EQ(merged[1].sequence, Sequence{8});
  EXPECT_TRUE(std::holds_alternative<command::Impulse>(merged[1].payload));
  EXPECT_EQ(tick.commands.replace(1, command::Release{}), Verdict::applied);
  EXPECT_EQ(tick.commands.merged().size(), 3u) << "a replaced command is no longer dropped";
}

TEST(TickCommands, OfTheServerStay) {
  RuledTick tick;
  EXPECT_EQ(tick.commands.drop(0), Verdict::role);
  EXPECT_EQ(tick.commands.replace(0, kPushUp), Verdict::role);
  EXPECT_EQ(tick.commands.drop(3), Verdict::no_body);
  EXPECT_EQ(tick.commands.replace(1, command::Leave{ClientId{3}}), Verdict::role);
  EXPECT_EQ(tick.commands.decide(command::Leave{ClientId{3}}), Verdict::role);
  EXPECT_EQ(tick.commands.merged().data(), tick.closed.data());
}

TEST(TickCommands, RefuseNonsense) {
  RuledTick tick;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(tick.commands.decide(command::Impulse{BodyId{0}, {0, nan, 0}}), Verdict::malformed);
  EXPECT_EQ(tick.commands.decide(command::Impulse{BodyId{99'999}, {}}), Verdict::no_body);
  EXPECT_EQ(tick.commands.decide(command::SetMotor{5, 1, 1}), Verdict::no_joint);
  EXPECT_EQ(tick.commands.decide(kPushUp), Verdict::applied);
  EXPECT_EQ(tick.commands.decide(kPushUp), Verdict::applied);
  EXPECT_EQ(tick.commands.decide(kPushUp), Verdict::full);
  EXPECT_EQ(tick.commands.decisions(), 2u);
}

}  // namespace
}  // namespace orrery
