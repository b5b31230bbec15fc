// Tests the values of a session, and the rights to set them, to write to the rules and to tell.
#include "common/world/commands/values.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/limits.h"
#include "common/core/rng.h"
#include "common/world/image/image.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

Verdict verdict_of(World& world, const Command& command) {
  SerialExecutor serial;
  std::vector<RefusedCommand> refused;
  step(world, {&command, 1}, serial, &refused);
  if (!refused.empty()) return refused[0].reason;
  return world.applied().empty() ? Verdict::unchanged : Verdict::applied;
}

Verdict set(World& world, std::string_view key, std::string_view value, std::uint32_t client = 0) {
  return verdict_of(world, give(client, command::SetValue{bytes_of<command::Key>(key),
                                                          bytes_of<command::Value>(value)}));
}

using Table = std::map<std::string, std::string>;

std::string string_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

Table table_of(const World& world) {
  Table table;
  for (const NamedValue& v : world.controls().values) {
    table.emplace(string_of(v.key.view()), string_of(v.value.view()));
  }
  return table;
}

TEST(Values, AreSetChangedAndEnded) {
  World world(small_scene());
  const std::uint64_t none = world.controls().values.size();
  EXPECT_EQ(none, 0u);
  EXPECT_EQ(set(world, "score", "1:0"), Verdict::applied);
  EXPECT_EQ(set(world, "score", "1:0"), Verdict::unchanged);
  EXPECT_EQ(set(world, "clock", "90"), Verdict::applied);
  EXPECT_EQ(set(world, "score", "2:0"), Verdict::applied);
  EXPECT_EQ(table_of(world), (Table{{"score", "2:0"}, {"clock", "90"}}));
  ASSERT_NE(find_value(world.controls(), bytes_of<command::Key>("clock")), nullptr);
  EXPECT_EQ(find_value(world.controls(), bytes_of<command::Key>("cloc")), nullptr);
  EXPECT_EQ(set(world, "clock", ""), Verdict::applied);
  EXPECT_EQ(set(world, "clock", ""), Verdict::unchanged);
  EXPECT_EQ(table_of(world), (Table{{"score", "2:0"}}));
}

TEST(Values, AreStateThatHashesAndImagesHave) {
  World a(small_scene()), b(small_scene());
  EXPECT_EQ(set(a, "k", "1"), Verdict::applied);
  EXPECT_EQ(set(b, "k", "2"), Verdict::applied);
  EXPECT_NE(a.hash(), b.hash());
  EXPECT_EQ(set(b, "k", "1"), Verdict::applied);
  EXPECT_EQ(set(a, "k", "1"), Verdict::unchanged);
  EXPECT_EQ(a.hash(), b.hash());
  std::vector<std::uint8_t> image;
  save_image(a, image);
  World c(small_scene());
  EXPECT_EQ(set(c, "other", "3"), Verdict::applied);
  ASSERT_TRUE(restore_image(c, image).ok());
  EXPECT_EQ(c.hash(), a.hash());
  EXPECT_EQ(table_of(c), table_of(a));
  std::vector<std::uint8_t> again;
  save_image(c, again);
  EXPECT_EQ(again, image);
}

// A map of the standard library is the second path. Few keys, so that all of them change and end.
TEST(Values, EqualAMapAfterRandomCommands) {
  World world(small_scene());
  SplitMix64 draw(5);
  Table expected;
  for (int i = 0; i < 2'000; ++i) {
    std::string key(1 + draw.below(3), 'a'), value(draw.below(4), 'x');
    for (char& c : key) c = static_cast<char>(draw.below(4) + (draw.below(2) != 0 ? 0xfe : 0));
    if (!value.empty()) value[0] = static_cast<char>(draw.below(256));
    const auto at = expected.find(key);
    const bool changes =
        value.empty() ? at != expected.end() : at == expected.end() || at->second != value;
    EXPECT_EQ(set(world, key, value), changes ? Verdict::applied : Verdict::unchanged);
    if (value.empty()) {
      expected.erase(key);
    } else {
      expected[key] = value;
    }
    ASSERT_EQ(table_of(world), expected) << i;
  }
  const auto& values = world.controls().values;
  for (std::size_t i = 1; i < values.size(); ++i) EXPECT_LT(values[i - 1].key, values[i].key);
}

TEST(Values, AreRefusedBeyondTheirLimit) {
  World world(small_scene());
  for (std::uint32_t i = 0; i < limits::kValuesMax; ++i) {
    ASSERT_EQ(set(world, std::to_string(i), "v"), Verdict::applied) << i;
  }
  EXPECT_EQ(set(world, "one more", "v"), Verdict::full);
  EXPECT_EQ(set(world, "7", "w"), Verdict::applied);
  EXPECT_EQ(set(world, "7", ""), Verdict::applied);
  EXPECT_EQ(set(world, "one more", "v"), Verdict::applied);
  std::vector<std::uint8_t> image;
  save_image(world, image);
  World copy(small_scene());
  ASSERT_TRUE(restore_image(copy, image).ok());
  EXPECT_EQ(copy.hash(), world.hash());
}

TEST(Values, OnlyAdminsAndTheServerSetThemAndTell) {
  World world(small_scene());
  ASSERT_TRUE(try_command(world, join(1, Role::watch)));
  ASSERT_TRUE(try_command(world, join(2, Role::play)));
  ASSERT_TRUE(try_command(world, join(3, Role::admin)));
  const auto text = bytes_of<command::Value>("hello");
  const std::uint64_t controls = world.controls().values.size();
  for (const std::uint32_t client : {1u, 2u}) {
    EXPECT_EQ(set(world, "k", "v", client), Verdict::role);
    EXPECT_EQ(verdict_of(world, give(client, command::Tell{ClientId{0}, text})), Verdict::role);
  }
  EXPECT_EQ(world.controls().values.size(), controls);
  EXPECT_EQ(set(world, "k", "v", 3), Verdict::applied);
  for (const std::uint32_t client : {0u, 3u}) {
    EXPECT_EQ(verdict_of(world, give(client, command::Tell{ClientId{0}, text})), Verdict::applied);
    EXPECT_EQ(verdict_of(world, give(client, command::Tell{ClientId{2}, text})), Verdict::applied);
    EXPECT_EQ(verdict_of(world, give(client, command::Tell{ClientId{9}, text})),
              Verdict::no_client);
  }
  EXPECT_EQ(verdict_of(world, give(1, command::Message{text})), Verdict::role);
  EXPECT_EQ(verdict_of(world, give(2, command::Message{text})), Verdict::applied);
  EXPECT_EQ(verdict_of(world, give(9, command::Message{text})), Verdict::not_joined);
}

TEST(Values, OnlyAdminsAndTheServerKickAndBan) {
  World world(small_scene());
  ASSERT_TRUE(try_command(world, join(1, Role::watch)));
  ASSERT_TRUE(try_command(world, join(2, Role::play)));
  ASSERT_TRUE(try_command(world, join(3, Role::admin)));
  const auto reason = bytes_of<command::Reason>("spam");
  for (const std::uint32_t client : {0u, 1u, 2u, 3u}) {
    const Verdict right = client == 0 || client == 3 ? Verdict::applied : Verdict::role;
    const Verdict none = right == Verdict::applied ? Verdict::no_client : right;
    EXPECT_EQ(verdict_of(world, give(client, command::Kick{ClientId{2}, reason})), right);
    EXPECT_EQ(verdict_of(world, give(client, command::Ban{ClientId{2}, {}})), right);
    EXPECT_EQ(verdict_of(world, give(client, command::Kick{ClientId{9}, reason})), none);
    EXPECT_EQ(verdict_of(world, give(client, command::Ban{ClientId{9}, reason})), none);
  }
}

// A message and a tell are in the log, which has the commands that were applied, but not in the
// state.
TEST(Values, MessagesTellsKicksAndBansChangeNoState) {
  World a(small_scene()), b(small_scene());
  ASSERT_TRUE(try_command(a, join(2, Role::play)));
  ASSERT_TRUE(try_command(b, join(2, Role::play)));
  const auto text = bytes_of<command::Value>("goal!");
  ASSERT_TRUE(try_command(a, give(2, command::Message{text})));
  run(b, 1);
  EXPECT_EQ(a.hash(), b.hash());
  ASSERT_TRUE(try_command(a, give(0, command::Tell{ClientId{2}, text})));
  run(b, 1);
  EXPECT_EQ(a.hash(), b.hash());
  ASSERT_TRUE(try_command(a, give(0, command::Kick{ClientId{2}, {}})));
  run(b, 1);
  EXPECT_EQ(a.hash(), b.hash());
  ASSERT_TRUE(try_command(a, give(0, command::Ban{ClientId{2}, {}})));
  run(b, 1);
  EXPECT_EQ(a.hash(), b.hash());
}

}  // namespace
}  // namespace orrery
