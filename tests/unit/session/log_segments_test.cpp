// Owns the tests of logs of several segments: read as one, and every misfit named.
#include <gtest/gtest.h>

#include "common/session/log_reader.h"
#include "common/session/log_writer.h"
#include "common/session/replay.h"
#include "tests/support/session.h"

namespace orrery {
namespace {

constexpr std::uint64_t kTicks = 60;

struct Session {
  test::MemorySegments log;
  std::uint64_t hash = 0;  // of the last state
};

// A new segment after every 20 ticks. `lost` is the segment whose sink fails, so that it is given
// up: nothing of it but its first records is there.
Session record(std::uint64_t seed, SessionId id = {1}, std::uint32_t lost = 99) {
  Session session;
  World world(test::any_scene(seed));
  SerialExecutor executor;
  CommandStream commands(seed);
  SessionLog log(session.log, make_log_header(world, "test", id));
  for (std::uint64_t tick = 1; tick <= kTicks; ++tick) {
    step(world, commands.next(world), executor);
    EXPECT_TRUE(log.append_tick(world));
    if (tick % 20 != 0 || tick == kTicks) continue;
    const bool loss = session.log.segments.size() == lost + 1;
    if (loss) session.log.segments.back().resize(session.log.segments.back().size() - 100);
    EXPECT_TRUE(log.begin_segment(world, loss));
  }
  log.close();
  session.hash = world.hash;
  return session;
}

Verification verify_segments(const test::MemorySegments& log, std::uint64_t* last_hash = nullptr) {
  test::MemorySource first(log.segments[0]);
  LogReader reader(first, log.opener());
  const LogHeader header = reader.read_header().value();
  World world = std::move(initial_world(header).value());
  SerialExecutor executor;
  const Verification found = verify(reader, header, world, executor, [] {});
  if (last_hash) *last_hash = world.hash;
  return found;
}

TEST(LogSegments, AreReadAsOneLog) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Session session = record(seed);
    ASSERT_EQ(session.log.segments.size(), 3u);
    std::uint64_t hash = 0;
    const Verification found = verify_segments(session.log, &hash);
    EXPECT_TRUE(found.sound() && found.tail.closed) << seed << found.tail.reason;
    EXPECT_EQ(found.verified, kTicks) << seed;
    EXPECT_GE(found.checkpoints, 2u) << seed;
    EXPECT_EQ(hash, session.hash) << seed;
    EXPECT_EQ(found.tail.lost_bytes, 0u) << seed;
    EXPECT_EQ(found.tail.segment, 2u);
    EXPECT_EQ(found.tail.segment_bytes, session.log.segments[2].size());
  }
}

TEST(LogSegments, WithoutTheLastTheLogIsTorn) {
  Session session = record(3);
  session.log.segments.pop_back();
  const Verification found = verify_segments(session.log);
  EXPECT_TRUE(found.sound());
  EXPECT_FALSE(found.tail.closed);
  EXPECT_EQ(found.verified, 40u);
}

TEST(LogSegments, OneThatWasOnlyBegunIsATornTail) {
  const Session whole = record(4);
  const std::vector<std::uint8_t>& last = whole.log.segments[2];
  ByteReader in(Bytes(last).subspan(kPreambleBytes));
  const std::size_t begun = kPreambleBytes + read_frame(in.rest())->size();
  for (std::size_t size = 0; size < begun; size += 7) {
    Session session = record(4);
    session.log.segments[2].resize(size);
    const Verification found = verify_segments(session.log);
    ASSERT_TRUE(found.sound()) << size << found.tail.reason;
    ASSERT_EQ(found.verified, 40u) << size;
    ASSERT_FALSE(found.tail.closed) << size;
    ASSERT_EQ(found.tail.lost_bytes, size);
    ASSERT_EQ(found.tail.segment, 1u);
  }
}

// The reason that a log of changed segments is refused for, behind the ticks that stand.
std::string reason_of(const test::MemorySegments& log, std::uint64_t ticks) {
  const Verification found = verify_segments(log);
  EXPECT_EQ(found.verified, ticks);
  EXPECT_FALSE(found.sound());
  EXPECT_FALSE(found.tail.closed);
  return found.tail.reason;
}

TEST(LogSegments, ThoseThatDoNotFitAreNamed) {
  Session other = record(5, {2});
  Session session = record(5);
  session.log.segments[1] = other.log.segments[1];
  EXPECT_EQ(reason_of(session.log, 20), "segment 1 is of another session");

  session = record(5);
  std::swap(session.log.segments[1], session.log.segments[2]);
  EXPECT_EQ(reason_of(session.log, 20), "segment 1 says that it is segment 2");

  session = record(5);
  session.log.segments[0].resize(session.log.segments[0].size() - 100);
  EXPECT_EQ(reason_of(session.log, verify_segments(session.log).verified).substr(0, 6), "ticks ");

  session = record(5);
  session.log.segments[1][session.log.segments[1].size() - 150] ^= 1;
  const std::uint64_t stand = verify_segments(session.log).verified;
  EXPECT_EQ(reason_of(session.log, stand),
            "segment 1 is damaged behind tick " + std::to_string(stand));

  session = record(5);
  session.log.segments[1][20] ^= 1;
  EXPECT_EQ(reason_of(session.log, 20),
            "segment 1 is damaged at its start, with valid records behind it");
}

TEST(LogSegments, AMissingOneIsNamed) {
  const Session session = record(6);
  test::MemorySource first(session.log.segments[0]);
  const OpenSegment all = session.log.opener();
  LogReader reader(first, [&](std::uint32_t number) {
    return number == 1 ? std::unique_ptr<ByteSource>() : all(number);
  });
  ASSERT_TRUE(reader.read_header());
  TickRecord record;
  while (reader.next(record)) {
  }
  EXPECT_EQ(record.tick.value, 20u);
  EXPECT_TRUE(reader.tail().damaged);
  EXPECT_EQ(reader.tail().reason, "segment 1 is missing");
}

TEST(LogSegments, ALaterOneIsNoLogOfItsOwn) {
  const Session session = record(6);
  test::MemorySource second(session.log.segments[1]);
  LogReader reader(second);
  EXPECT_EQ(reader.read_header().error().message, "is segment 1 of a session log; name the first");
  TickRecord record;
  EXPECT_FALSE(reader.next(record));
}

// The writer knew that the end of segment 1 is lost: replay goes on from the checkpoint behind it.
TEST(LogSegments, AGapThatTheSessionKnewOfIsLeaptOver) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Session session = record(seed, {1}, 1);
    std::uint64_t hash = 0;
    const Verification found = verify_segments(session.log, &hash);
    EXPECT_TRUE(found.sound() && found.tail.closed) << seed << found.tail.reason;
    EXPECT_EQ(hash, session.hash) << seed;
    EXPECT_GT(found.tail.lost_ticks, 0u);
    EXPECT_EQ(found.verified + found.tail.lost_ticks, kTicks);
    EXPECT_EQ(found.ticks, found.verified);
  }
}

// What a server does after a crash: the longest valid prefix, replayed, goes on in a new segment.
TEST(LogSegments, ATornLogIsContinuedInANewSegment) {
  const Session whole = record(7);
  SerialExecutor executor;
  for (std::size_t lost = 0; lost < 400; lost += 13) {
    Session session = record(7);
    session.log.segments[2].resize(session.log.segments[2].size() - lost);
    test::MemorySource first(session.log.segments[0]);
    LogReader reader(first, session.log.opener());
    LogHeader header = reader.read_header().value();
    World world = std::move(initial_world(header).value());
    const Verification before = verify(reader, header, world, executor, [] {});
    header.scene.clear();
    header.segment = before.tail.segment + 1;
    header.after_tick = reader.tick();
    header.after_checksum = reader.last_checksum();
    ASSERT_TRUE(session.log.begin_segment(header.segment));
    SessionLog log(session.log, header, world);
    for (int i = 0; i < 30; ++i) {
      step(world, {}, executor);
      EXPECT_TRUE(log.append_tick(world));
    }
    log.close();
    std::uint64_t hash = 0;
    const Verification after = verify_segments(session.log, &hash);
    ASSERT_TRUE(after.sound() && after.tail.closed) << lost << after.tail.reason;
    ASSERT_EQ(after.verified, before.verified + 30) << lost;
    ASSERT_EQ(hash, world.hash) << lost;
    ASSERT_EQ(after.tail.lost_bytes, before.tail.lost_bytes) << lost;
  }
}

}  // namespace
}  // namespace orrery
