// Tests that a replay equals the live session, and that it names the first difference.
#include "common/session/replay/replay.h"

#include <gtest/gtest.h>

#include "common/session/versions.h"
#include "common/world/fault_injector.h"
#include "common/world/image/image.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/session.h"

namespace orrery {
namespace {

session::Verification verify_bytes(Bytes log, std::uint64_t* last_hash = nullptr) {
  test::MemorySource source(log);
  session::LogReader reader(source);
  const Result<codec::LogHeader> header = reader.read_header();
  EXPECT_TRUE(header);
  Result<World> world = session::initial_world(header.value());
  EXPECT_TRUE(world);
  SerialExecutor executor;
  std::uint64_t calls = 0;
  const session::Verification found =
      session::verify(reader, header.value(), world.value(), executor, [&] { ++calls; });
  EXPECT_EQ(calls, found.ticks);
  if (last_hash) *last_hash = world.value().hash();
  return found;
}

TEST(Replay, RandomSessionsReplayToTheSameHashes) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const test::RecordedSession session = test::record_session(test::any_scene(seed), seed, 150);
    std::uint64_t last_hash = 0;
    const session::Verification found = verify_bytes(session.log, &last_hash);
    EXPECT_TRUE(found.sound()) << "seed " << seed;
    EXPECT_EQ(found.verified, 150u) << "seed " << seed;
    EXPECT_EQ(last_hash, session.hashes.back()) << "seed " << seed;
    EXPECT_EQ(found.hash, session.hashes.back()) << "seed " << seed;
  }
}

TEST(Replay, BuiltInScenesReplayToTheSameHashes) {
  for (const BuiltInScene& built_in : built_in_scenes()) {
    const Scene scene = built_in_scene(built_in.name).value();
    const session::Verification found = verify_bytes(test::record_session(scene, 3, 60).log);
    EXPECT_TRUE(found.sound() && found.tail.closed) << built_in.name;
    EXPECT_EQ(found.verified, 60u) << built_in.name;
  }
}

// At a random tick the state is saved and restored into a new world, which continues.
TEST(Replay, AnImageContinuesAsIfNeverStopped) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SplitMix64 draw(seed);
    const Scene scene = test::any_scene(seed + 1000);
    World world(scene);
    CommandStream commands(seed);
    SerialExecutor executor;
    const std::uint32_t cut = draw.below(120);
    for (std::uint32_t i = 0; i < cut; ++i) step(world, commands.next(world), executor);
    std::vector<std::uint8_t> image;
    save_image(world, image);
    World fresh(scene);
    ASSERT_TRUE(restore_image(fresh, image)) << "seed " << seed;
    ASSERT_EQ(fresh.hash(), world.hash()) << "seed " << seed << " tick " << cut;
    for (int i = 0; i < 120; ++i) {
      const auto next = commands.next(world);
      step(world, next, executor);
      step(fresh, next, executor);
      ASSERT_EQ(fresh.hash(), world.hash()) << "seed " << seed << " tick " << world.tick().value;
    }
  }
}

TEST(Replay, StateAtATickIsThatState) {
  const test::RecordedSession session = test::record_session(test::any_scene(8), 8, 50);
  for (const std::uint64_t at : {0u, 1u, 17u, 50u}) {
    test::MemorySource source(session.log);
    session::LogReader reader(source);
    const codec::LogHeader header = reader.read_header().value();
    World world = std::move(session::initial_world(header).value());
    SerialExecutor executor;
    EXPECT_TRUE(session::replay_to(reader, header, world, executor, Tick{at}, [] {}));
    EXPECT_EQ(world.tick().value, at);
    EXPECT_EQ(world.hash(), session.hashes[at]);
  }
}

// Records a session. After tick `at`, `fault` changes the world without a command.
std::vector<std::uint8_t> log_with_fault(std::uint64_t at, void (*fault)(World&)) {
  test::MemorySink sink;
  World world(built_in_scene("playground").value());
  SerialExecutor executor;
  CommandStream commands(12);
  session::SessionLog log(sink, session::make_log_header(world, "test", {}));
  for (int i = 0; i < 60; ++i) {
    step(world, commands.next(world), executor);
    if (world.tick().value == at) fault(world);
    log.append_tick(world);
  }
  log.close();
  return sink.bytes;
}

TEST(Replay, NamesTheFirstTickWithAnotherHash) {
  for (const std::uint64_t at : {1u, 30u, 60u}) {
    const session::Verification found =
        verify_bytes(log_with_fault(at, [](World& w) { FaultInjector(w).state().hash ^= 1; }));
    EXPECT_EQ(found.first_divergent_tick, at);
    EXPECT_EQ(found.verified, at - 1);
    EXPECT_EQ(found.ticks, 60u);
    EXPECT_FALSE(found.sound());
  }
}

TEST(Replay, ACommandThatDoesNotApplyDiverges) {
  const auto fault = [](World& world) {
    FaultInjector(world).state().applied = {{ClientId{1000}, Sequence{1}, command::Release{}}};
  };
  const session::Verification found = verify_bytes(log_with_fault(20, fault));
  EXPECT_EQ(found.first_divergent_tick, 20u);
}

TEST(Replay, AnotherInitialStateDivergesAtTickZero) {
  test::MemorySink sink;
  World world(test::any_scene(2));
  codec::LogHeader header = session::make_log_header(world, "test", {});
  header.initial_hash ^= 1;
  session::SessionLog log(sink, header);
  log.close();
  EXPECT_EQ(verify_bytes(sink.bytes).first_divergent_tick, 0u);
}

TEST(Replay, OtherRulesAndBrokenScenesAreRefused) {
  const World world(test::any_scene(2));
  codec::LogHeader header = session::make_log_header(world, "test", {});
  header.rules = kRulesVersion + 2;
  EXPECT_EQ(session::initial_world(header).error().text(),
            "was recorded under " + session::other_rules(kRulesVersion + 2));
  header.rules = kRulesVersion;
  header.scene.resize(header.scene.size() / 2);
  EXPECT_FALSE(session::initial_world(header));
}

}  // namespace
}  // namespace orrery
