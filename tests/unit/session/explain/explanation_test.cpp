// Tests the comparison of two logs, and of a log with its replay.
#include "common/session/explain/explanation.h"

#include <gtest/gtest.h>

#include "common/session/replay/replay.h"
#include "tests/support/planted_session.h"

namespace orrery {
namespace {

using test::compare;
using test::planted_scene;
using test::PlantedSession;
using test::record_planted;

session::Fault fault_of(const std::string& text) { return session::parse_fault(text).value(); }

TEST(Explanation, EqualLogsNeedNone) {
  const PlantedSession session = record_planted(planted_scene(0), 1, 20);
  const session::LogComparison found = compare(session.log, session.log);
  EXPECT_FALSE(found.found);
  EXPECT_EQ(found.ticks, 20u);
  ASSERT_TRUE(found.tail_a && found.tail_b);
  EXPECT_TRUE(found.tail_a->closed);
}

TEST(Explanation, ReplaysTheLogToTheTickBefore) {
  const Scene scene = planted_scene(0);
  const PlantedSession whole = record_planted(scene, 1, 20);
  const session::Fault fault = fault_of("ulp@12:9.velocity.x");
  const PlantedSession broken = record_planted(scene, 1, 20, &whole, fault, true);
  const session::LogComparison comparison = compare(whole.log, broken.log);
  ASSERT_TRUE(comparison.found);
  EXPECT_EQ(comparison.ticks, 11u);
  EXPECT_FALSE(comparison.tail_a);
  const session::Explanation& found = *comparison.found;
  EXPECT_EQ(found.divergence.tick, Tick{12});
  EXPECT_EQ(found.divergence.cause, session::Cause::fault);
  EXPECT_EQ(found.divergence.why, "b was recorded with --break ulp@12:9.velocity.x");
  EXPECT_EQ(found.divergence.body, BodyId{9});
  ASSERT_TRUE(found.played);
  EXPECT_EQ(found.played->world().tick(), Tick{11});
  EXPECT_FALSE(found.later);
}

TEST(Explanation, NamesTheScenesIfTheyDiffer) {
  const PlantedSession a = record_planted(planted_scene(0), 1, 2);
  const PlantedSession b = record_planted(planted_scene(1), 1, 2);
  const session::LogComparison comparison = compare(a.log, b.log);
  ASSERT_TRUE(comparison.found);
  EXPECT_EQ(comparison.found->divergence.cause, session::Cause::scene);
  const std::string& why = comparison.found->divergence.why;
  EXPECT_TRUE(why.starts_with("two scenes cannot be compared tick by tick: a is of playground, "))
      << why;
  EXPECT_NE(why.find("; b is of tethers, 30 bodies at 60 Hz"), std::string::npos) << why;
}

TEST(Explanation, SaysWhichLogEndsEarlier) {
  const PlantedSession longer = record_planted(planted_scene(0), 1, 20);
  const PlantedSession shorter = record_planted(planted_scene(0), 1, 15);
  const session::LogComparison comparison = compare(longer.log, shorter.log);
  ASSERT_TRUE(comparison.found);
  EXPECT_EQ(comparison.found->divergence.tick, Tick{16});
  EXPECT_EQ(comparison.found->divergence.cause, session::Cause::length);
  EXPECT_EQ(comparison.found->divergence.why,
            "the ticks that both have are equal; a ends after tick 20, b ends after tick 15");
  EXPECT_EQ(comparison.ticks, 15u);
}

// The last bytes of log b are missing. The report therefore says whether a program is still writing
// this log. It does not ask this about log a, which is closed.
TEST(Explanation, AsksForALogWithoutAnEndIfItIsBeingWritten) {
  const PlantedSession whole = record_planted(planted_scene(0), 1, 5);
  const Bytes torn = Bytes(whole.log).first(whole.log.size() - 60);
  const session::OpenedLog a = test::opened(whole.log);
  const session::OpenedLog b = test::opened(torn);
  SerialExecutor executor;
  const auto never = [] {
    ADD_FAILURE() << "asked for a closed log";
    return false;
  };
  const session::LogComparison comparison =
      session::compare_logs({a, never}, {b, [] { return true; }}, executor, [] {});
  ASSERT_TRUE(comparison.found);
  const std::string& why = comparison.found->divergence.why;
  EXPECT_NE(why.find("(torn after tick "), std::string::npos) << why;
  EXPECT_TRUE(why.ends_with("; a running program is writing it)")) << why;
}

session::Verification verified(const PlantedSession& session) {
  const session::OpenedLog log = test::opened(session.log);
  World world = std::move(session::initial_world(log.header).value());
  SerialExecutor executor;
  return session::verify(*log.reader, log.header, world, executor, [] {});
}

TEST(Explanation, OfAReplayHasTheLogAsSideA) {
  const Scene scene = planted_scene(2);
  const PlantedSession whole = record_planted(scene, 1, 20);
  const session::Fault fault = fault_of("ulp@7:1.position.y");
  const PlantedSession broken = record_planted(scene, 1, 20, &whole, fault);
  const session::Verification failed = verified(broken);
  ASSERT_EQ(failed.first_divergent_tick, 7u);
  SerialExecutor executor;
  const Result<session::Explanation> found =
      session::explain_replay(test::opener(broken.log), failed, "this build", executor);
  ASSERT_TRUE(found);
  const session::Divergence& divergence = found.value().divergence;
  EXPECT_EQ(divergence.tick, Tick{7});
  EXPECT_EQ(divergence.cause, session::Cause::number);
  EXPECT_EQ(divergence.source_a, session::Source::hash);
  EXPECT_EQ(divergence.source_b, session::Source::replay);
  ASSERT_TRUE(divergence.field);
  EXPECT_EQ(divergence.field->body, BodyId{1});
  EXPECT_GT(divergence.field->a, divergence.field->b);
  EXPECT_EQ(found.value().played->world().tick(), Tick{6});
}

// The initial states are known by their hashes only.
TEST(Explanation, SaysWhyInitialStatesAreUnknown) {
  const PlantedSession session = record_planted(planted_scene(0), 1, 3);
  const session::OpenedLog a = test::opened(session.log);
  session::OpenedLog b = test::opened(session.log);
  b.header.initial_hash ^= 1;
  const auto never = [] { return false; };
  SerialExecutor executor;
  const session::LogComparison comparison =
      session::compare_logs({a, never}, {b, never}, executor, [] {});
  ASSERT_TRUE(comparison.found);
  EXPECT_EQ(comparison.found->divergence.tick, Tick{0});
  EXPECT_EQ(comparison.found->divergence.unknown, "there is no state before state 0");

  const World world(planted_scene(0));
  codec::LogHeader header = session::make_log_header(world, "test", codec::SessionId{1});
  header.initial_hash ^= 1;
  test::MemorySink sink;
  session::SessionLog(sink, header).close();
  session::Verification failed;
  failed.first_divergent_tick = 0;
  const Result<session::Explanation> found =
      session::explain_replay(test::opener(sink.bytes), failed, "this build", executor);
  ASSERT_TRUE(found);
  EXPECT_EQ(found.value().divergence.unknown, "there is no state before state 0");
}

TEST(Explanation, OfAReplayIsAnErrorIfTheLogIsGone) {
  const PlantedSession session = record_planted(planted_scene(2), 1, 3);
  session::Verification failed;
  failed.first_divergent_tick = 9;
  SerialExecutor executor;
  const Result<session::Explanation> found =
      session::explain_replay(test::opener(session.log), failed, "this build", executor);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().text(), "has no tick 8");
}

}  // namespace
}  // namespace orrery
