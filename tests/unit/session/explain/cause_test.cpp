// Tests the cause in a divergence report: each kind of difference has its own sentence.
#include "common/session/explain/cause.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <variant>

#include "common/world/fault_injector.h"
#include "common/world/image/state_hash.h"
#include "tests/support/planted_session.h"

namespace orrery {
namespace {

using test::diff;
using test::planted_scene;
using test::PlantedSession;
using test::record_planted;

bool is_impulse(const Command& command) {
  return std::holds_alternative<command::Impulse>(command.payload);
}

// Records `whole` again, without the first impulse of `tick` or with a changed one. Hashes stay the
// same and all checksums are correct.
PlantedSession retell(const Scene& scene, const PlantedSession& whole, std::uint64_t tick,
                      bool without) {
  PlantedSession told;
  test::MemorySink sink;
  World world(scene);
  SerialExecutor executor;
  session::SessionLog log(sink, session::make_log_header(world, "test", {}));
  for (const auto& commands : whole.commands) {
    step(world, commands, executor);
    std::vector<Command>& applied = FaultInjector(world).state().applied;
    const auto found = std::find_if(applied.begin(), applied.end(), is_impulse);
    if (world.tick().value == tick && without) applied.erase(found);
    if (world.tick().value == tick && !without) {
      float& x = std::get<command::Impulse>(found->payload).impulse.x;
      x = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) ^ 1u);
    }
    told.commands.push_back(world.applied());
    log.append_tick(world);
  }
  log.close();
  told.log = std::move(sink.bytes);
  return told;
}

TEST(Cause, NamesCommandsThatDifferUnderEqualHashes) {
  const Scene scene = planted_scene(0);
  const PlantedSession whole = record_planted(scene, 5, 60);
  std::uint64_t tick = 1;
  while (std::ranges::none_of(whole.commands.at(tick - 1), is_impulse)) ++tick;
  for (const bool without : {true, false}) {
    const PlantedSession changed = retell(scene, whole, tick, without);
    const auto found = diff(whole, changed);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->tick.value, tick);
    EXPECT_EQ(found->hash_a, found->hash_b);
    EXPECT_EQ(found->cause, session::Cause::commands);
    EXPECT_EQ(found->phase, session::Phase::commands);
    EXPECT_EQ(found->command_differences.size(), without ? 1u : 2u);
    EXPECT_EQ(found->source_a, session::Source::replay);
    EXPECT_EQ(found->unknown, "");
    const std::string lead = without ? "b lacks a command of a" : "the commands of the tick differ";
    EXPECT_EQ(found->why, lead +
                              ", but the hashes are equal. The commands of b lead to another "
                              "hash: log b was changed after it was recorded");
    EXPECT_NE(diff(changed, whole)->why.find("log a was changed"), std::string::npos);
  }
}

// A command was removed from the log after the session was recorded, so a replay of this log has
// one command less than the session had.
TEST(Cause, DoesNotTakeTheCommandsOfALogForThoseOfTheSession) {
  const Scene scene = planted_scene(0);
  World world(scene);
  World other(scene);
  SerialExecutor executor;
  const command::Impulse push{BodyId{9}, {1, 2, 3}};
  const std::vector<Command> commands = {
      {kServer, Sequence{1}, command::Join{ClientId{1}, Role::admin}},
      {ClientId{1}, Sequence{2}, push}};
  step(other, commands, executor);
  ASSERT_EQ(other.applied().size(), 2u);
  const auto left = std::span(commands).first(1);
  const session::Divergence found = session::explain(
      &world, Tick{1}, {left, other.hash(), "one", ""}, {left, {}, "one", ""}, executor);
  EXPECT_EQ(found.cause, session::Cause::machine);
  EXPECT_EQ(found.why.find("commands or a hash were changed after they were recorded, or a "), 0u)
      << found.why;
}

TEST(Cause, NamesASkippedTick) {
  const Scene scene = planted_scene(0);
  const PlantedSession whole = record_planted(scene, 5, 60);
  std::uint64_t tick = 1;
  while (whole.commands[tick - 1].empty()) ++tick;
  const session::Fault fault{session::Fault::Kind::skip, Tick{tick}, {}, {}, {}};
  const auto found = diff(whole, record_planted(scene, 5, 60, &whole, fault, true));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tick.value, tick);
  EXPECT_EQ(found->cause, session::Cause::fault);
  EXPECT_EQ(found->why, "b was recorded with --break skip@" + std::to_string(tick));
  EXPECT_EQ(found->command_differences.size(), whole.commands[tick - 1].size());
}

// If no single change gives the recorded hash, the state is unknown, and the report says so.
TEST(Cause, SaysWhatItCannotKnow) {
  const Scene scene = planted_scene(0);
  World world(scene);
  SerialExecutor executor;
  World other(scene);
  step(other, {}, executor);
  for (const std::uint32_t slot : {5u, 9u}) {
    const double x = other.bodies().at(physics::BodyField::velocity_x, slot);
    FaultInjector(other).state().bodies.set(physics::BodyField::velocity_x, slot, x + 1e-9);
  }
  const std::uint64_t hash = state_hash(other, executor);
  const session::Divergence found =
      session::explain(&world, Tick{1}, {{}, hash, "one", ""}, {{}, {}, "another", ""}, executor);
  EXPECT_EQ(found.source_a, session::Source::unknown);
  EXPECT_EQ(found.source_b, session::Source::replay);
  EXPECT_EQ(found.hash_a, hash);
  EXPECT_FALSE(found.body || found.field || found.phase);
  EXPECT_NE(found.unknown.find("log a has only a hash of this state"), std::string::npos);
  EXPECT_EQ(found.cause, session::Cause::build);
  const session::Divergence again =
      session::explain(&world, Tick{1}, {{}, hash, "one", ""}, {{}, {}, "one", ""}, executor);
  EXPECT_EQ(again.cause, session::Cause::machine);
  const session::Divergence blind = session::explain(nullptr, Tick{7}, {{}, hash, "one", ""},
                                                     {{}, hash + 1, "two", ""}, executor);
  EXPECT_EQ(blind.tick.value, 7u);
  EXPECT_EQ(blind.hash_b, hash + 1);
  EXPECT_EQ(blind.cause, session::Cause::build);
}

}  // namespace
}  // namespace orrery
