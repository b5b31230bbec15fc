// Tests the first difference of logs where only a checkpoint describes a state: after lost ticks,
// and at tick 0. Also tests a log that ends earlier than the other.
#include "common/session/explain/first_difference.h"

#include <gtest/gtest.h>

#include "common/world/scenes/scenes.h"
#include "tests/support/displaced_bodies.h"
#include "tests/support/lossy_log.h"

namespace orrery {
namespace {

constexpr int kTicks = 900;
constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kBehindGap = 600;  // tick of the checkpoint after lossy()'s gap

Scene scene() { return built_in_scene("tumble").value(); }

// From this tick on, the states of record(true) differ from those of record(). The tick is one of
// those that lossy() has lost.
constexpr int kBrokenTick = 500;

void move_a_body(World& world) {
  std::uint32_t slot = 0;
  while (!world.bodies().alive(slot)) ++slot;
  test::displace(world, {slot}, 1);
}

test::MemorySegments record(bool broken = false) {
  test::MemorySegments segments;
  World world(scene());
  SerialExecutor executor;
  CommandStream commands(kSeed);
  session::SessionLog log(segments, session::make_log_header(world, "test", codec::SessionId{1}));
  for (int tick = 1; tick <= kTicks; ++tick) {
    step(world, commands.next(world), executor);
    if (broken && tick == kBrokenTick) move_a_body(world);
    EXPECT_TRUE(log.append_tick(world));
  }
  log.close();
  return segments;
}

// Returns the session of record(), written to a disk that lost the ticks from `durable` + 1 to
// kBehindGap.
test::LossyLog lossy() { return test::lossy_log(scene(), kSeed, kTicks, test::Loss::ticks); }

std::optional<session::LogDifference> difference_of(const test::MemorySegments& a,
                                                    const test::MemorySegments& b,
                                                    std::uint64_t* equal_ticks = nullptr) {
  test::MemorySource first_a(a.segments[0]);
  test::MemorySource first_b(b.segments[0]);
  session::LogReader log_a(first_a, a.opener());
  session::LogReader log_b(first_b, b.opener());
  const Result<codec::LogHeader> header = log_a.read_header();
  EXPECT_TRUE(header && log_b.read_header());
  return session::first_difference(log_a, log_b, header.value().initial_hash, [&] {
    if (equal_ticks) ++*equal_ticks;
  });
}

TEST(FirstDifference, LostTicksAreNone) {
  const test::LossyLog lost = lossy();
  ASSERT_LT(lost.durable, std::uint64_t{kBrokenTick});
  std::uint64_t equal_ticks = 0;
  EXPECT_FALSE(difference_of(lost.log, record(), &equal_ticks));
  EXPECT_EQ(equal_ticks, lost.durable + kTicks - kBehindGap);
  equal_ticks = 0;
  EXPECT_FALSE(difference_of(lost.log, lost.log, &equal_ticks));
}

TEST(FirstDifference, IsSeenAtTheCheckpointBehindLostTicks) {
  const test::LossyLog lost = lossy();
  const test::MemorySegments broken = record(true);
  for (const bool lost_first : {true, false}) {
    const auto found =
        lost_first ? difference_of(lost.log, broken) : difference_of(broken, lost.log);
    ASSERT_TRUE(found && found->a && found->b) << lost_first;
    EXPECT_EQ(found->tick.value, kBehindGap) << lost_first;
    const session::TickRecord& known = lost_first ? *found->a : *found->b;
    EXPECT_EQ(known.hash, lost.hashes[kBehindGap]);
    EXPECT_TRUE(known.commands.empty());
    const auto& first = lost_first ? found->lost_in_a : found->lost_in_b;
    EXPECT_EQ(first, Tick{lost.durable + 1});
    EXPECT_FALSE(lost_first ? found->lost_in_b : found->lost_in_a);
    const session::KeptCheckpoint& kept = lost_first ? found->checkpoint_a : found->checkpoint_b;
    EXPECT_EQ(kept.hash, lost.hashes[kBehindGap]);
  }
}

// The log ends with the checkpoint that differs.
TEST(FirstDifference, IsSeenAtACheckpointThatIsTheLastOfALog) {
  test::LossyLog lost = lossy();
  test::RecordedSession part;
  part.log = lost.log.segments[1];
  test::find_records(part);
  ASSERT_EQ(part.records[1], session::RecordType::checkpoint);
  lost.log.segments[1].resize(part.record_ends[1]);
  const auto of_broken = difference_of(lost.log, record(true));
  ASSERT_TRUE(of_broken && of_broken->a && of_broken->b);
  EXPECT_EQ(of_broken->tick.value, kBehindGap);
  const auto of_whole = difference_of(lost.log, record());
  ASSERT_TRUE(of_whole);
  EXPECT_FALSE(of_whole->a);
  EXPECT_EQ(of_whole->tick.value, kBehindGap + 1);
}

// The checkpoints of tick 600 have equal hashes in both logs, but different images.
TEST(FirstDifference, TheOtherLogsCheckpointBehindLostTicksCounts) {
  test::MemorySegments edited = record();
  edited.segments[0] = test::with_checkpoints_changed(edited.segments[0],
                                                      [](auto& payload) { payload.back() ^= 1; });
  const test::LossyLog lost = lossy();
  const auto found = difference_of(lost.log, edited);
  ASSERT_TRUE(found && found->a && found->b);
  EXPECT_EQ(found->tick.value, kBehindGap);
  EXPECT_EQ(found->a->hash, found->b->hash);
  EXPECT_NE(found->checkpoint_a, found->checkpoint_b);
}

TEST(FirstDifference, ALogThatEndsEarlier) {
  const test::RecordedSession longer = test::record_session(scene(), kSeed, 20);
  const test::RecordedSession shorter = test::record_session(scene(), kSeed, 15);
  const session::OpenedLog a = test::opened(longer.log);
  const session::OpenedLog b = test::opened(shorter.log);
  const auto found = session::first_difference(*a.reader, *b.reader, a.header.initial_hash, [] {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tick.value, 16u);
  EXPECT_TRUE(found->a);
  EXPECT_FALSE(found->b);
}

// A session that was resumed before its first tick has a checkpoint of tick 0.
TEST(FirstDifference, ACheckpointOfTick0Counts) {
  test::MemorySegments with;
  test::MemorySegments without;
  for (test::MemorySegments* const segments : {&with, &without}) {
    World world(scene());
    SerialExecutor executor;
    session::SessionLog log(*segments,
                            session::make_log_header(world, "test", codec::SessionId{1}));
    if (segments == &with) test::append_checkpoint(world, *segments);
    step(world, {}, executor);
    ASSERT_TRUE(log.append_tick(world));
    log.close();
  }
  EXPECT_FALSE(difference_of(with, without));
  EXPECT_FALSE(difference_of(with, with));
  for (const bool in_its_hash : {true, false}) {
    test::MemorySegments edited = with;
    edited.segments[0] = test::with_checkpoints_changed(
        with.segments[0], [&](auto& payload) { (in_its_hash ? payload[1] : payload.back()) ^= 1; });
    const auto found = difference_of(with, edited);
    ASSERT_TRUE(found && found->a && found->b) << in_its_hash;
    EXPECT_EQ(found->tick, Tick{});
    EXPECT_NE(found->checkpoint_a, found->checkpoint_b);
    EXPECT_EQ(difference_of(without, edited).has_value(), in_its_hash) << "the header has the hash";
  }
}

}  // namespace
}  // namespace orrery
