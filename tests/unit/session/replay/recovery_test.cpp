// Tests resuming a session from prefixes of its log, and from damaged and forged logs.
#include "common/session/replay/recovery.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/world/image/image.h"
#include "tests/support/lossy_log.h"

namespace orrery {
namespace {

constexpr int kTicks = 35;

Scene scene_with_checkpoints() {
  Scene scene = test::any_scene(11);
  scene.tick_rate = 1;  // a checkpoint every ten ticks
  scene.tick_time_numerator = 1;
  scene.tick_time_denominator = 60;
  return scene;
}

Result<session::Recovered> recover_segments(const test::MemorySegments& segments,
                                            std::size_t image_bytes_max = session::kImageBytesMax) {
  Result<session::OpenedLog> log = session::open_log(segments.opener());
  if (!log) return log.error();
  SerialExecutor executor;
  return session::recover(log.value(), executor, image_bytes_max);
}

Result<session::Recovered> recover_bytes(Bytes log) {
  test::MemorySegments segments;
  segments.segments[0].assign(log.begin(), log.end());
  return recover_segments(segments);
}

// Returns the number of tick records in the first `size` bytes.
std::uint64_t ticks_in(const test::RecordedSession& session, std::size_t size) {
  std::uint64_t ticks = 0;
  for (std::size_t i = 0; i < session.records.size(); ++i) {
    ticks +=
        session.records[i] == session::RecordType::tick && session.record_ends[i] <= size ? 1 : 0;
  }
  return ticks;
}

// Returns the offset at which the record of a tick ends.
std::size_t end_of_tick(const test::RecordedSession& session, std::uint64_t tick) {
  std::size_t size = 0;
  while (ticks_in(session, size) < tick) ++size;
  return size;
}

TEST(Recovery, GoesOnFromEveryPrefix) {
  const test::RecordedSession session = test::record_session(scene_with_checkpoints(), 3, kTicks);
  const std::size_t end = end_of_tick(session, kTicks);
  for (std::size_t size = session.record_ends[0]; size <= end; size += 7) {
    const Result<session::Recovered> recovered = recover_bytes(Bytes(session.log).first(size));
    ASSERT_TRUE(recovered) << size << ": " << recovered.error().text();
    const World& world = recovered.value().world;
    const codec::LogHeader& header = recovered.value().header;
    ASSERT_EQ(world.tick().value, ticks_in(session, size)) << size;
    ASSERT_EQ(world.hash(), session.hashes[world.tick().value]) << size;
    ASSERT_EQ(header.after_tick, world.tick());
    ASSERT_EQ(header.segment, 1u);
    ASSERT_TRUE(header.scene.empty());
  }
}

// The state equals that of a world that never stopped, byte for byte.
TEST(Recovery, IsByteForByteTheStateThatWas) {
  const test::RecordedSession session = test::record_session(scene_with_checkpoints(), 3, kTicks);
  const Result<session::Recovered> recovered =
      recover_bytes(Bytes(session.log).first(end_of_tick(session, kTicks)));
  ASSERT_TRUE(recovered);
  World world(scene_with_checkpoints());
  SerialExecutor executor;
  CommandStream commands(3);
  for (int i = 0; i < kTicks; ++i) step(world, commands.next(world), executor);
  std::vector<std::uint8_t> expected;
  std::vector<std::uint8_t> found;
  save_image(world, expected);
  save_image(recovered.value().world, found);
  EXPECT_TRUE(found == expected);
}

// A ban names a client id, which others had before and have later. A client without an account
// cannot return after a crash, so its ban does not count.
TEST(Recovery, KnowsTheAccountsThatWereBanned) {
  World world(scene_with_checkpoints());
  test::MemorySink sink;
  SerialExecutor executor;
  session::SessionLog log(sink, session::make_log_header(world, "test", codec::SessionId{1}));
  const ClientId one{1}, two{2};
  const std::vector<CommandPayload> ticks[] = {
      {command::Join{one, Role::play, 70}, command::Join{two, Role::play, 0}},
      {command::Kick{one, {}}, command::Ban{two, {}}},
      {command::Leave{one}, command::Join{one, Role::play, 80}},
      {command::Ban{one, {}}, command::Ban{ClientId{3}, {}}},
      {command::Leave{one}, command::Join{one, Role::admin, 90}},
      {command::Leave{one}},
      {command::Ban{one, {}}},
  };
  for (const std::vector<CommandPayload>& payloads : ticks) {
    std::vector<Command> commands;
    for (const CommandPayload& payload : payloads) {
      const Sequence next{static_cast<std::uint32_t>(commands.size() + 1)};
      commands.push_back({kServer, next, payload});
    }
    step(world, commands, executor);
    log.append_tick(world);
  }
  const Result<session::Recovered> recovered = recover_bytes(sink.bytes);
  ASSERT_TRUE(recovered) << recovered.error().text();
  EXPECT_EQ(recovered.value().banned, std::vector<std::uint64_t>{80});
}

// A forged log: the checkpoint is of tick 20, but its image is of tick 10. The hash of tick 21 is
// wrong.
TEST(Recovery, ACheckpointOfAnotherTickIsPassedOver) {
  World world(scene_with_checkpoints());
  SerialExecutor executor;
  test::MemorySink sink;
  session::SessionLog log(sink, session::make_log_header(world, "test", {}));
  std::vector<std::uint8_t> image;
  for (int tick = 1; tick <= 20; ++tick) {
    step(world, {}, executor);
    log.append_tick(world);
    if (tick == 10) save_image(world, image);
  }
  // Replace the last checkpoint of the log by the forged one, and append tick 21.
  std::vector<std::uint8_t> payload;
  session::encode_checkpoint(world.tick(), world.hash(), payload);
  std::vector<std::uint8_t> own;
  save_image(world, own);
  std::vector<std::uint8_t> record;
  session::append_record(session::RecordType::checkpoint, payload, own, 0, record);
  sink.bytes.resize(sink.bytes.size() - record.size());
  std::uint64_t chain = ByteReader(Bytes(sink.bytes).last(session::kChecksumBytes)).u64();
  chain =
      session::append_record(session::RecordType::checkpoint, payload, image, chain, sink.bytes);
  session::append_record(session::RecordType::tick, std::vector<std::uint8_t>(8), {}, chain,
                         sink.bytes);
  EXPECT_EQ(recover_bytes(sink.bytes).error().text(),
            "diverges at tick 21: replay gives another state than was recorded");
}

// Changes the tick in an image. With `sealed`, the image's checksum is corrected.
void change_image(std::vector<std::uint8_t>& payload, bool sealed) {
  constexpr std::size_t kBefore = 1 + 8;  // before the image: the tick in one byte, and the hash
  constexpr std::size_t kTickInImage = 8;
  const std::size_t body = payload.size() - session::kChecksumBytes;
  payload[kBefore + kTickInImage] ^= 1;
  if (!sealed) return;
  const Bytes image = Bytes(payload).first(body).subspan(kBefore);
  store_little_endian<8>(payload.data() + body, checksum(image));
}

// The images of the checkpoints from tick `first` on are invalid. Recovery computes the state from
// an earlier checkpoint, or from the start of the session.
TEST(Recovery, CheckpointsThatHoldNoStateArePassedOver) {
  const test::RecordedSession session = test::record_session(scene_with_checkpoints(), 3, kTicks);
  const Bytes torn = Bytes(session.log).first(end_of_tick(session, kTicks));
  for (const bool sealed : {false, true}) {
    for (const std::uint64_t first : {30u, 20u, 10u}) {
      const auto broken = test::with_checkpoints_changed(torn, [&](auto& payload) {
        if (payload[0] >= first) change_image(payload, sealed);
      });
      ASSERT_EQ(broken.size(), torn.size());
      const Result<session::Recovered> recovered = recover_bytes(broken);
      ASSERT_TRUE(recovered) << first << ": " << recovered.error().text();
      EXPECT_EQ(recovered.value().world.tick().value, std::uint64_t{kTicks}) << first;
      EXPECT_EQ(recovered.value().world.hash(), session.hashes[kTicks]) << first;
      std::vector<Tick> expected;
      for (std::uint64_t tick = 30; tick >= first; tick -= 10) expected.push_back(Tick{tick});
      EXPECT_EQ(recovered.value().unusable, expected) << sealed;
    }
  }
}

// The ticks before this checkpoint are lost, so its state cannot be computed from earlier records.
// The session cannot be resumed if this checkpoint is broken.
TEST(Recovery, ACheckpointBehindLostTicksIsNeeded) {
  constexpr int kLossyTicks = 60;
  test::LossyLog lossy =
      test::lossy_log(scene_with_checkpoints(), 3, kLossyTicks, test::Loss::ticks);
  std::vector<std::uint8_t>& last = lossy.log.segments[1];
  last.resize(last.size() - session::kEndRecordBytes);
  ASSERT_EQ(recover_segments(lossy.log).value().world.hash(), lossy.hashes[kLossyTicks]);
  last = test::with_checkpoints_changed(last, [](auto& payload) { change_image(payload, true); });
  EXPECT_EQ(recover_segments(lossy.log).error().text(),
            "cannot continue after the ticks that were lost before tick 30: the checkpoint there "
            "has no valid state");
}

// A resumed session begins a segment with a checkpoint. A state that is larger than the limit of
// checkpoints cannot be resumed.
TEST(Recovery, AStateThatIsTooLargeForACheckpointIsRefused) {
  const test::RecordedSession session = test::record_session(scene_with_checkpoints(), 3, kTicks);
  test::MemorySegments torn;
  torn.segments[0] = session.log;
  torn.segments[0].resize(end_of_tick(session, kTicks));
  std::vector<std::uint8_t> image;
  save_image(recover_segments(torn).value().world, image);
  EXPECT_TRUE(recover_segments(torn, image.size()));
  EXPECT_EQ(recover_segments(torn, image.size() - 1).error().text(),
            "is at a state of " + std::to_string(image.size()) +
                " bytes, and the checkpoint to continue from may have at most " +
                std::to_string(image.size() - 1));
}

// A checkpoint is written only after everything before it was synced, so broken bytes before one
// are damage and not the result of a crash. Of the bytes since the last sync, a power cut may leave
// later sectors without earlier ones. That sync may be as old as the last checkpoint.
TEST(Recovery, IsRefusedOnlyWhereACheckpointIsBehindTheDamage) {
  const test::RecordedSession session = test::record_session(scene_with_checkpoints(), 3, kTicks);
  const std::size_t size = end_of_tick(session, kTicks);
  const auto& records = session.records;
  for (std::size_t i = 1; session.record_ends[i] <= size; ++i) {
    std::vector<std::uint8_t> broken(session.log.begin(),
                                     session.log.begin() + static_cast<std::ptrdiff_t>(size));
    broken[session.record_ends[i - 1] + 5] ^= 1;
    const bool checkpoint_behind =
        std::find(records.begin() + static_cast<std::ptrdiff_t>(i) + 1, records.end(),
                  session::RecordType::checkpoint) != records.end();
    const Result<session::Recovered> recovered = recover_bytes(broken);
    ASSERT_EQ(recovered.ok(), !checkpoint_behind) << i;
    if (!recovered) continue;
    EXPECT_EQ(recovered.value().world.tick().value, ticks_in(session, session.record_ends[i - 1]));
  }
}

TEST(Recovery, SaysWhyItCannotBe) {
  const test::RecordedSession session = test::record_session(scene_with_checkpoints(), 3, kTicks);
  EXPECT_EQ(recover_bytes(session.log).error().text(),
            "was closed, so it cannot be resumed; `orrery fork` continues it in a new log");
  std::vector<std::uint8_t> torn = session.log;
  torn.resize(end_of_tick(session, kTicks));
  std::vector<std::uint8_t> damaged = torn;
  damaged[end_of_tick(session, 4) + 5] ^= 1;
  EXPECT_EQ(recover_bytes(damaged).error().text(),
            "is damaged after tick 4, and valid records follow; orrery log repair copies the ticks "
            "before the damage into a log that can be resumed");
  EXPECT_EQ(recover_bytes(Bytes(torn).first(4)).error().text(),
            "is cut inside its header; nothing of it can be read");
  EXPECT_EQ(recover_bytes({}).error().text(), "is empty; expected a session log");
}

}  // namespace
}  // namespace orrery
