// Tests logs of several segments: read as one, and every mismatch named.
#include "common/session/segment_chain.h"

#include <gtest/gtest.h>

#include "common/core/hash.h"
#include "common/session/log_reader.h"
#include "common/session/replay/recovery.h"
#include "common/session/replay/replay.h"
#include "common/session/writer/log_writer.h"
#include "common/world/fault_injector.h"
#include "common/world/image/image.h"
#include "common/world/image/state_hash.h"
#include "tests/support/lossy_log.h"

namespace orrery {
namespace {

constexpr std::uint64_t kTicks = 60;

struct Session {
  test::MemorySegments log;
  std::uint64_t hash = 0;  // of the last state
};

// Records a session with a new segment every 20 ticks.
Session record(std::uint64_t seed, codec::SessionId id = {1}) {
  Session session;
  World world(test::any_scene(seed));
  SerialExecutor executor;
  CommandStream commands(seed);
  std::optional<session::SessionLog> log(std::in_place, session.log,
                                         session::make_log_header(world, "test", id));
  for (std::uint64_t tick = 1; tick <= kTicks; ++tick) {
    step(world, commands.next(world), executor);
    EXPECT_TRUE(log->append_tick(world));
    if (tick % 20 == 0 && tick < kTicks) test::begin_segment(world, session.log, log);
  }
  log->close();
  session.hash = world.hash();
  return session;
}

session::Verification verify_segments(const test::MemorySegments& log,
                                      std::uint64_t* last_hash = nullptr) {
  test::MemorySource first(log.segments[0]);
  session::LogReader reader(first, log.opener());
  const codec::LogHeader header = reader.read_header().value();
  World world = std::move(session::initial_world(header).value());
  SerialExecutor executor;
  const session::Verification found = session::verify(reader, header, world, executor, [] {});
  if (last_hash) *last_hash = world.hash();
  return found;
}

TEST(SegmentChain, AreReadAsOneLog) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Session session = record(seed);
    ASSERT_EQ(session.log.segments.size(), 3u);
    std::uint64_t hash = 0;
    const session::Verification found = verify_segments(session.log, &hash);
    EXPECT_TRUE(found.sound() && found.tail.closed) << seed << found.tail.reason;
    EXPECT_EQ(found.verified, kTicks) << seed;
    EXPECT_GE(found.checkpoints, 2u) << seed;
    EXPECT_EQ(hash, session.hash) << seed;
    EXPECT_EQ(found.tail.lost_bytes, 0u) << seed;
    EXPECT_EQ(found.tail.segment, 2u);
    EXPECT_EQ(found.tail.segment_bytes, session.log.segments[2].size());
  }
}

TEST(SegmentChain, WithoutTheLastTheLogIsTorn) {
  Session session = record(3);
  session.log.segments.pop_back();
  const session::Verification found = verify_segments(session.log);
  EXPECT_TRUE(found.sound());
  EXPECT_FALSE(found.tail.closed);
  EXPECT_EQ(found.verified, 40u);
}

TEST(SegmentChain, OneThatWasOnlyBegunIsATornTail) {
  const Session whole = record(4);
  const std::vector<std::uint8_t>& last = whole.log.segments[2];
  ByteReader in(Bytes(last).subspan(session::kPreambleBytes));
  const std::size_t begun = session::kPreambleBytes + session::read_frame(in.rest())->size();
  for (std::size_t size = 0; size < begun; size += 7) {
    Session session = record(4);
    session.log.segments[2].resize(size);
    const session::Verification found = verify_segments(session.log);
    ASSERT_TRUE(found.sound()) << size << found.tail.reason;
    ASSERT_EQ(found.verified, 40u) << size;
    ASSERT_FALSE(found.tail.closed) << size;
    ASSERT_EQ(found.tail.lost_bytes, size);
    ASSERT_EQ(found.tail.segment, 1u);
  }
}

// Returns the reason for refusing a log with changed segments, after `ticks` verified ticks.
std::string reason_of(const test::MemorySegments& log, std::uint64_t ticks) {
  const session::Verification found = verify_segments(log);
  EXPECT_EQ(found.verified, ticks);
  EXPECT_FALSE(found.sound());
  EXPECT_FALSE(found.tail.closed);
  return found.tail.reason;
}

TEST(SegmentChain, ThoseThatDoNotFitAreNamed) {
  Session other = record(5, {2});
  Session session = record(5);
  session.log.segments[1] = other.log.segments[1];
  EXPECT_EQ(reason_of(session.log, 20), "segment 1 is of another session");

  session = record(5);
  std::swap(session.log.segments[1], session.log.segments[2]);
  EXPECT_EQ(reason_of(session.log, 20), "segment 1 says that it is segment 2");

  session = record(5);
  session.log.segments[0].resize(session.log.segments[0].size() - 100);
  const std::uint64_t whole = verify_segments(session.log).verified;
  ASSERT_LT(whole, 20u);
  EXPECT_EQ(reason_of(session.log, whole),
            "ticks " + std::to_string(whole + 1) + " to 20 are missing before segment 1");

  session = record(5);
  session.log.segments[1][session.log.segments[1].size() - 150] ^= 1;
  const std::uint64_t stand = verify_segments(session.log).verified;
  EXPECT_EQ(reason_of(session.log, stand),
            "segment 1 is damaged after tick " + std::to_string(stand));

  session = record(5);
  session.log.segments[1][20] ^= 1;
  EXPECT_EQ(reason_of(session.log, 20),
            "segment 1 is damaged at its start, with valid records after it");
}

TEST(SegmentChain, MissingOnesAreNamed) {
  const Session session = record(6);
  const session::OpenSegment all = session.log.opener();
  for (const std::uint32_t missing : {1u, 2u, 64u}) {
    test::MemorySource first(session.log.segments[0]);
    // The reader finds no segments 1 to `missing`. The later segments exist under numbers that are
    // larger by `missing`.
    session::LogReader reader(first, [&](std::uint32_t number) {
      return number >= 1 && number <= missing ? std::unique_ptr<session::ByteSource>()
                                              : all(number - (number == 0 ? 0 : missing));
    });
    ASSERT_TRUE(reader.read_header());
    session::TickRecord record;
    while (reader.next(record)) {
    }
    EXPECT_EQ(record.tick.value, 20u);
    EXPECT_TRUE(reader.tail().damaged);
    EXPECT_EQ(reader.tail().reason,
              missing == 1 ? "segment 1 is missing"
                           : "segments 1 to " + std::to_string(missing) + " are missing");
  }
}

TEST(SegmentChain, ALaterOneIsNoLogOfItsOwn) {
  const Session session = record(6);
  test::MemorySource second(session.log.segments[1]);
  session::LogReader reader(second);
  EXPECT_EQ(reader.read_header().error().text(), "is segment 1 of a session log; name the first");
  session::TickRecord record;
  EXPECT_FALSE(reader.next(record));
}

// Returns a scene with one tick per second, so that its log has a checkpoint every ten ticks.
Scene scene_of(std::uint64_t seed) {
  Scene scene = test::any_scene(seed);
  scene.tick_rate = 1;
  scene.tick_time_numerator = 1;
  scene.tick_time_denominator = 60;
  return scene;
}

// The writer recorded which ticks the disk may lack. Repeated ticks are read and counted once.
// After lost ticks the replay continues from the next checkpoint.
TEST(SegmentChain, OneThatWasGivenUpEndsWhereTheNextGoesOn) {
  for (const test::Loss loss : {test::Loss::sync, test::Loss::ticks}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const test::LossyLog lossy = test::lossy_log(scene_of(seed), seed, kTicks, loss);
      std::uint64_t hash = 0;
      const session::Verification found = verify_segments(lossy.log, &hash);
      EXPECT_TRUE(found.sound() && found.tail.closed) << seed << found.tail.reason;
      EXPECT_EQ(hash, lossy.hashes.back()) << seed;
      EXPECT_EQ(found.tail.lost_ticks, loss == test::Loss::ticks ? 30 - lossy.durable : 0);
      EXPECT_EQ(found.verified + found.tail.lost_ticks, kTicks);
      EXPECT_EQ(found.ticks, found.verified);
      EXPECT_EQ(found.tail.tick.value, kTicks);
      std::size_t size = 0;
      for (const auto& segment : lossy.log.segments) size += segment.size();
      EXPECT_EQ(found.tail.complete_bytes + found.tail.abandoned_bytes, size) << seed;
      EXPECT_EQ(found.tail.abandoned_bytes > 0, loss == test::Loss::sync) << seed;
      EXPECT_EQ(found.tail.lost_bytes, 0u) << seed;
    }
  }
}

// A recorded gap hides no other gap: the previous segment must end with the record named in the
// header.
TEST(SegmentChain, DamageBeforeALossIsDamage) {
  for (const test::Loss loss : {test::Loss::sync, test::Loss::ticks}) {
    test::LossyLog lossy = test::lossy_log(scene_of(5), 5, kTicks, loss);
    std::vector<std::uint8_t>& first = lossy.log.segments[0];
    const std::size_t header =
        session::read_frame(Bytes(first).subspan(session::kPreambleBytes))->size();
    const std::size_t middle = (session::kPreambleBytes + header + first.size()) / 2;
    first[middle] ^= 1;
    const std::uint64_t stand = verify_segments(lossy.log).verified;
    EXPECT_LT(stand, lossy.durable);
    EXPECT_EQ(reason_of(lossy.log, stand),
              "segment 0 is damaged after tick " + std::to_string(stand));
    first.resize(middle);
    EXPECT_EQ(reason_of(lossy.log, stand),
              "ticks " + std::to_string(stand + 1) + " to " +
                  std::to_string(loss == test::Loss::sync ? lossy.durable : 30) +
                  " are missing before segment 1");
  }
}

// Appends a record to a segment whose last checksum is `chain`, and updates `chain`.
void append(session::RecordType type, Bytes payload, Bytes more, std::uint64_t& chain,
            std::vector<std::uint8_t>& segment) {
  chain = session::append_record(type, payload, more, chain, segment);
}

// Begins a segment after lost ticks. Sets `chain` to the checksum of its header.
std::vector<std::uint8_t> segment_after_loss(std::uint32_t number, Tick after,
                                             std::uint64_t after_checksum,
                                             const codec::LogHeader& first, std::uint64_t& chain) {
  codec::LogHeader header = first;
  header.scene.clear();
  header.segment = number;
  header.after_tick = after;
  header.after_checksum = after_checksum;
  header.after_loss = true;
  std::vector<std::uint8_t> segment;
  std::vector<std::uint8_t> payload;
  session::append_preamble(segment);
  chain = checksum(segment);
  codec::encode_log_header(header, payload);
  append(session::RecordType::header, payload, {}, chain, segment);
  return segment;
}

// A forged log. Segment 1 begins after a gap, and segment 2 continues from the header of segment 1.
// The only checkpoint for a replay, in segment 1, is thus skipped.
TEST(SegmentChain, NoTickIsReadInAGap) {
  const World world(scene_of(3));
  const codec::LogHeader first = session::make_log_header(world, "test", codec::SessionId{1});
  test::MemorySegments log;
  const session::SessionLog begun(log, first);
  constexpr Tick kAfter{100};
  std::vector<std::uint8_t> image;
  std::vector<std::uint8_t> payload;
  save_image(world, image);
  session::encode_checkpoint(kAfter, 1, payload);
  std::uint64_t chain = 0;
  log.segments.push_back(segment_after_loss(1, kAfter, log.segment.checksum(), first, chain));
  const std::uint64_t behind_header = chain;
  append(session::RecordType::checkpoint, payload, image, chain, log.segments[1]);
  log.segments.push_back(segment_after_loss(2, kAfter, behind_header, first, chain));
  append(session::RecordType::tick, std::vector<std::uint8_t>(8, 1), {}, chain, log.segments[2]);
  const session::Verification found = verify_segments(log);
  EXPECT_EQ(found.ticks, 0u);
  EXPECT_EQ(found.first_divergent_tick, kAfter.value) << "the image is of tick 0";
  EXPECT_TRUE(found.tail.damaged);
  EXPECT_EQ(found.tail.reason, "segment 2 does not continue from tick 100");
}

// A forged log that continues after the highest possible tick.
TEST(SegmentChain, NoTickIsReadBehindTheLastThatCanBe) {
  constexpr Tick kLast{~std::uint64_t{0}};
  World world(scene_of(3));
  const codec::LogHeader first = session::make_log_header(world, "test", codec::SessionId{1});
  test::MemorySegments log;
  const session::SessionLog begun(log, first);
  SerialExecutor executor;
  FaultInjector(world).state().tick = kLast;
  FaultInjector(world).update_hash(executor);
  std::vector<std::uint8_t> image;
  std::vector<std::uint8_t> payload;
  save_image(world, image);
  session::encode_checkpoint(kLast, world.hash(), payload);
  std::uint64_t chain = 0;
  log.segments.push_back(segment_after_loss(1, kLast, log.segment.checksum(), first, chain));
  append(session::RecordType::checkpoint, payload, image, chain, log.segments[1]);
  test::MemorySegments ends_there = log;
  append(session::RecordType::tick, std::vector<std::uint8_t>(8, 1), {}, chain, log.segments[1]);
  const session::Verification found = verify_segments(log);
  EXPECT_EQ(found.ticks, 0u);
  EXPECT_TRUE(found.tail.damaged);
  EXPECT_EQ(found.tail.tick, kLast);
  const auto why_not = [&](test::MemorySegments& segments) {
    Result<session::OpenedLog> opened = session::open_log(segments.opener());
    const Result<session::Recovered> recovered = session::recover(opened.value(), executor);
    return recovered ? "it goes on" : recovered.error().text();
  };
  EXPECT_EQ(why_not(log).find("is damaged after tick 18446744073709551615"), 0u);
  EXPECT_EQ(why_not(ends_there).find("is at a tick that no session can reach"), 0u);
}

// Does the work of a server after a crash: replays the valid prefix and continues in a new segment.
TEST(SegmentChain, ATornLogIsContinuedInANewSegment) {
  const Session whole = record(7);
  SerialExecutor executor;
  for (std::size_t lost = 0; lost < 400; lost += 13) {
    Session session = record(7);
    session.log.segments[2].resize(session.log.segments[2].size() - lost);
    test::MemorySource first(session.log.segments[0]);
    session::LogReader reader(first, session.log.opener());
    codec::LogHeader header = reader.read_header().value();
    World world = std::move(session::initial_world(header).value());
    const session::Verification before = session::verify(reader, header, world, executor, [] {});
    header.scene.clear();
    header.segment = before.tail.segment + 1;
    header.after_tick = reader.tick();
    header.after_checksum = reader.place().checksum;
    ASSERT_EQ(header.segment, session.log.segments.size());
    session.log.segments.emplace_back();
    session::SessionLog log(session.log, header, world);
    for (int i = 0; i < 30; ++i) {
      step(world, {}, executor);
      EXPECT_TRUE(log.append_tick(world));
    }
    log.close();
    std::uint64_t hash = 0;
    const session::Verification after = verify_segments(session.log, &hash);
    ASSERT_TRUE(after.sound() && after.tail.closed) << lost << after.tail.reason;
    ASSERT_EQ(after.verified, before.verified + 30) << lost;
    ASSERT_EQ(hash, world.hash()) << lost;
    ASSERT_EQ(after.tail.lost_bytes, before.tail.lost_bytes) << lost;
  }
}

// Build "one" begins the session. Other builds resume it, and in the end build "one" resumes it
// again.
TEST(SegmentChain, TellTheBuildOfEveryTick) {
  World world(test::any_scene(3));
  SerialExecutor executor;
  test::MemorySegments segments;
  std::optional<session::SessionLog> log(std::in_place, segments,
                                         session::make_log_header(world, "one", {1}));
  for (const char* build : {"two", "two", "one"}) {
    for (int i = 0; i < 20; ++i) {
      step(world, {}, executor);
      log->append_tick(world);
    }
    test::begin_segment(world, segments, log, "three");  // ends before its first tick
    test::begin_segment(world, segments, log, build);
  }
  log->close();
  test::MemorySource first(segments.segments[0]);
  session::LogReader reader(first, segments.opener());
  ASSERT_TRUE(reader.read_header());
  EXPECT_EQ(reader.builds().size(), 1u);
  for (session::TickRecord record; reader.next(record);) {
  }
  ASSERT_EQ(reader.tail().segment, 6u);
  ASSERT_EQ(reader.builds().size(), 3u);
  EXPECT_EQ(reader.builds()[1].from, Tick{21});
  for (const auto& [tick, build] : {std::pair(0, "one"), std::pair(20, "one"), std::pair(21, "two"),
                                    std::pair(60, "two"), std::pair(61, "one")}) {
    EXPECT_EQ(session::build_of(reader.builds(), Tick{static_cast<std::uint64_t>(tick)}), build)
        << tick;
  }
  ASSERT_TRUE(reader.go_to_start());
  EXPECT_EQ(reader.builds().size(), 1u);
}

}  // namespace
}  // namespace orrery
