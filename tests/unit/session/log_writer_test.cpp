// Owns the tests of the bytes of a session log, against a reading of schema/README.md by hand.
#include "common/session/log_writer.h"

#include <gtest/gtest.h>

#include "common/core/hash.h"
#include "common/session/versions.h"
#include "common/world/scenes.h"
#include "tests/support/session.h"

namespace orrery {
namespace {

TEST(SessionLog, BytesAreAsSpecified) {
  test::MemorySink sink;
  World world(test::any_scene(5));
  const LogHeader header = make_log_header(world, "a build", SessionId{9, 8, 7});
  SessionLog log(sink, header);
  const std::size_t header_end = sink.bytes.size();
  SerialExecutor executor;
  const Command join{kServer, Sequence{1}, command::Join{ClientId{1}, Role::play}};
  step(world, {&join, 1}, executor);
  log.append_tick(world);
  log.close();

  ByteReader in(sink.bytes);
  const std::string magic = "ORRERYLG";
  for (const char c : magic) EXPECT_EQ(in.u8(), static_cast<std::uint8_t>(c));
  EXPECT_EQ(in.u32(), 1u);
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
  EXPECT_EQ(in.u8(), 2);
  EXPECT_EQ(in.varint(), 8u + 5);
  EXPECT_EQ(in.u64(), world.hash);
  for (const int byte : {9, 0, 1, 1, 1}) EXPECT_EQ(in.u8(), byte);
  expect_checksum(begin);

  begin = in.offset();
  EXPECT_EQ(in.u8(), 3);
  EXPECT_EQ(in.varint(), 8u);
  EXPECT_EQ(in.u64(), 1u);
  expect_checksum(begin);
  EXPECT_TRUE(in.ok() && in.at_end());
}

TEST(SessionLog, AnEmptyTickTakesAtMostTwentyBytes) {
  test::MemorySink sink;
  World world(test::any_scene(5));
  SessionLog log(sink, make_log_header(world, "", {}));
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
  LogReader reader(source);
  ASSERT_TRUE(reader.read_header());
  std::size_t commands = 0;
  TickRecord record;
  while (reader.next(record)) commands += record.commands.size();
  const std::size_t ticks = session.record_ends.size() - 2;
  const std::size_t bytes = session.record_ends[ticks] - session.record_ends[0] - 18 * ticks;
  ASSERT_GT(commands, 1000u);
  EXPECT_LE(static_cast<double>(bytes) / static_cast<double>(commands), 20);
}

}  // namespace
}  // namespace orrery
