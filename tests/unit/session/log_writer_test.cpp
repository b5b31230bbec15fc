// Tests the bytes of a session log against schema/log.md 2 and 3. The test decodes them by itself.
#include "common/session/writer/log_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "common/core/hash.h"
#include "common/session/versions.h"
#include "common/world/image/image.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/session.h"

namespace orrery {
namespace {

TEST(SessionLog, BytesAreAsSpecified) {
  test::MemorySink sink;
  World world(test::any_scene(5));
  const codec::LogHeader header =
      session::make_log_header(world, "a build", codec::SessionId{9, 8, 7});
  session::SessionLog log(sink, header);
  const std::size_t header_end = sink.bytes.size();
  SerialExecutor executor;
  const Command join{kServer, Sequence{1}, command::Join{ClientId{1}, Role::play}};
  step(world, {&join, 1}, executor);
  log.append_tick(world);
  log.close();

  ByteReader in(sink.bytes);
  const std::string magic = "ORRERYLG";
  for (const char c : magic) EXPECT_EQ(in.u8(), static_cast<std::uint8_t>(c));
  EXPECT_EQ(in.u32(), 8u);
  std::uint64_t chain = XXH3_64bits(sink.bytes.data(), 12);
  const auto expect_checksum = [&](std::size_t begin) {
    chain = XXH3_64bits_withSeed(sink.bytes.data() + begin, in.offset() - begin, chain);
    EXPECT_EQ(in.u64(), chain);
  };

  std::size_t begin = in.offset();
  EXPECT_EQ(in.u8(), 1);
  in.bytes(static_cast<std::size_t>(in.varint()));
  expect_checksum(begin);
  EXPECT_EQ(in.offset(), header_end);

  begin = in.offset();
  EXPECT_EQ(in.u8(), 7);
  EXPECT_EQ(in.varint(), 8u + 3);
  EXPECT_EQ(in.u64(), world.hash());
  for (const int byte : {0xE9, 1, 1}) EXPECT_EQ(in.u8(), byte);
  expect_checksum(begin);

  const std::size_t index = in.offset();
  EXPECT_EQ(in.u8(), 5);
  EXPECT_EQ(in.varint(), 8u);
  EXPECT_EQ(in.u64(), index) << "no checkpoints, and where the index is";
  expect_checksum(index);

  begin = in.offset();
  EXPECT_EQ(in.u8(), 3);
  EXPECT_EQ(in.varint(), 8u);
  EXPECT_EQ(in.u64(), 1u);
  expect_checksum(begin);
  EXPECT_TRUE(in.ok() && in.at_end());
}

TEST(SessionLog, CheckpointsAreImagesAndTheIndexFindsThem) {
  Scene scene = built_in_scene("tumble").value();
  scene.tick_rate = 1;
  const test::RecordedSession session = test::record_session(scene, 1, 25);
  World world(scene);
  SerialExecutor executor;
  CommandStream commands(1);
  std::vector<session::CheckpointEntry> expected;
  for (std::size_t i = 0; i < session.records.size(); ++i) {
    const std::size_t begin = i == 0 ? session::kPreambleBytes : session.record_ends[i - 1];
    const Bytes record = Bytes(session.log).subspan(begin);
    const session::RecordFrame frame = session::read_frame(record).value();
    const Bytes payload = record.subspan(frame.payload_offset, frame.payload_size);
    if (frame.type == session::RecordType::tick) step(world, commands.next(world), executor);
    if (frame.type == session::RecordType::checkpoint) {
      expected.push_back({world.tick(), begin});
      std::vector<std::uint8_t> bytes;
      ByteWriter out(bytes);
      out.varint(world.tick().value);
      out.u64(world.hash());
      std::vector<std::uint8_t> image;
      save_image(world, image);
      out.bytes(image);
      EXPECT_TRUE(std::ranges::equal(payload, bytes));
    }
    if (frame.type == session::RecordType::index) {
      ByteReader in(payload);
      for (const session::CheckpointEntry& place : expected) {
        EXPECT_EQ(in.u64(), place.tick.value);
        EXPECT_EQ(in.u64(), place.offset);
      }
      EXPECT_EQ(in.u64(), begin);
      EXPECT_TRUE(in.ok() && in.at_end());
    }
  }
  ASSERT_EQ(expected.size(), 2u);
  EXPECT_EQ(expected[0].tick.value, 10u);
  EXPECT_EQ(expected[1].tick.value, 20u);
}

// Header and checkpoint of a later segment reach the disk together.
TEST(SessionLog, ALaterSegmentBeginsAtOnce) {
  struct CountingSink final : session::RecordSink {
    bool begin(const codec::LogHeader&, const session::LogRecord* first) override {
      return ++calls > 0 && first && first->type == session::RecordType::checkpoint;
    }
    bool append(const session::LogRecord&) override { return ++calls > 0; }
    int calls = 0;
  };
  World world(test::any_scene(5));
  SerialExecutor executor;
  step(world, {}, executor);
  codec::LogHeader header =
      session::make_log_header(World(world.scene()), "a build", codec::SessionId{});
  header.scene.clear();
  header.segment = 1;
  header.after_tick = world.tick();
  CountingSink sink;
  const session::SessionLog log(sink, header, world);
  EXPECT_EQ(sink.calls, 1);
}

TEST(SessionLog, AnEmptyTickTakesAtMostTwentyBytes) {
  test::MemorySink sink;
  World world(test::any_scene(5));
  session::SessionLog log(sink, session::make_log_header(world, "", {}));
  const std::size_t before = sink.bytes.size();
  SerialExecutor executor;
  step(world, {}, executor);
  log.append_tick(world);
  EXPECT_EQ(sink.bytes.size() - before, 18u);
}

TEST(SessionLog, CommandsTakeAboutSixteenBytes) {
  const test::RecordedSession session =
      test::record_session(built_in_scene("playground").value(), 4, 2000);
  test::MemorySource source(session.log);
  session::LogReader reader(source);
  ASSERT_TRUE(reader.read_header());
  std::size_t commands = 0;
  session::TickRecord record;
  while (reader.next(record)) commands += record.commands.size();
  std::size_t bytes = 0;
  for (std::size_t i = 1; i < session.records.size(); ++i) {
    if (session.records[i] != session::RecordType::tick) continue;
    bytes += session.record_ends[i] - session.record_ends[i - 1] - 18;
  }
  ASSERT_GT(commands, 1000u);
  EXPECT_LE(static_cast<double>(bytes) / static_cast<double>(commands), 20);
}

// Eight clients each hold a body and move it in every tick of a minute. They have sent commands for
// half an hour before, so their sequences take three bytes.
TEST(SessionLog, EightClientsThatMoveInEveryTickTakeSixteenBytesEach) {
  constexpr std::uint32_t kClients = 8;
  constexpr std::uint32_t kGivenBefore = 108000;
  World world(built_in_scene("playground").value());
  test::MemorySink sink;
  session::SessionLog log(sink, session::make_log_header(world, "test", {}));
  SerialExecutor executor;
  std::uint64_t ticks = 0;
  std::uint64_t commands = 0;
  std::uint64_t bytes = 0;
  std::vector<Command> next;
  for (std::uint32_t i = 1; i <= kClients; ++i) {
    next.push_back({kServer, Sequence{i}, command::Join{ClientId{i}, Role::play}});
  }
  std::uint32_t body = 0;
  for (std::uint32_t i = 1; i <= kClients; ++i) {
    while (world.scene().bodies[body].control != Control::anyone) ++body;
    next.push_back({ClientId{i}, Sequence{1}, command::Grab{BodyId{body++}, {}, {0, 2, 0}}});
  }
  for (std::uint32_t tick = 2; tick <= 3600; ++tick) {
    step(world, next, executor);
    const std::size_t before = sink.bytes.size();
    log.append_tick(world);
    const bool checkpoint = world.tick().value % (session::kCheckpointSeconds * 60) == 0;
    if (!checkpoint && tick > 2) {
      ++ticks;
      commands += world.applied().size();
      bytes += sink.bytes.size() - before;
    }
    next.clear();
    for (std::uint32_t i = 1; i <= kClients; ++i) {
      const float x = static_cast<float>(1 + (tick + i) % 5);
      next.push_back({ClientId{i}, Sequence{kGivenBefore + tick}, command::Move{{x, 2, 0}}});
    }
  }
  EXPECT_EQ(commands, kClients * ticks);
  EXPECT_LE(bytes, 20 * ticks + 16 * commands);
  std::printf("%.1f bytes a tick\n", static_cast<double>(bytes) / static_cast<double>(ticks));
}

}  // namespace
}  // namespace orrery
