// Tests session logs through the C interface: records, seeking and verification.
#include <gtest/gtest.h>

#include <fstream>

#include "common/world/fault_injector.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/session.h"
#include "tests/support/source_path.h"
#include "tests/unit/client/api/c_interface.h"

namespace orrery::test {
namespace {

LogHandle open_log(const std::vector<std::uint8_t>& bytes) {
  orrery_log* log = nullptr;
  char why[512];
  EXPECT_EQ(orrery_log_from_bytes(bytes.data(), bytes.size(), &log, why, sizeof why), ORRERY_OK)
      << why;
  return LogHandle(log);
}

RecordedSession a_session() {
  return record_session(built_in_scene("playground").value(), 11, 300);
}

orrery_log_info info_of(orrery_log* log) {
  auto info = sized<orrery_log_info>();
  EXPECT_EQ(orrery_get_log_info(log, &info), ORRERY_OK);
  return info;
}

TEST(ApiLog, ReadsRecordsThatReplayInAWorld) {
  const RecordedSession session = a_session();
  const LogHandle log = open_log(session.log);
  const orrery_log_info info = info_of(log.get());
  EXPECT_STREQ(info.scene, "playground");
  EXPECT_EQ(info.first_tick, 1u);
  EXPECT_EQ(info.last_tick, 300u);
  EXPECT_EQ(info.closed, 1u);
  EXPECT_EQ(info.damaged, 0u);
  EXPECT_EQ(info.initial_hash, session.hashes[0]);
  EXPECT_STREQ(info.fault, "");
  EXPECT_EQ(info.session[2], 3);

  std::vector<std::uint8_t> scene(info.scene_bytes);
  EXPECT_EQ(orrery_log_scene(log.get(), scene.data(), scene.size() - 1), ORRERY_SHORT_BUFFER);
  ASSERT_EQ(orrery_log_scene(log.get(), scene.data(), scene.size()), ORRERY_OK);
  orrery_world* made = nullptr;
  ASSERT_EQ(orrery_world_from_bytes(scene.data(), scene.size(), &made, nullptr, 0), ORRERY_OK);
  const WorldHandle world(made);

  // The commands of the log, given to a world of our own, lead to the recorded states.
  std::vector<orrery_command> commands(64, sized<orrery_command>());
  auto record = sized<orrery_record>();
  std::uint64_t given = 0;
  for (std::uint64_t tick = 1; tick <= 300; ++tick) {
    ASSERT_EQ(orrery_log_next(log.get(), &record, commands.data(), 64), ORRERY_OK);
    EXPECT_EQ(record.tick, tick);
    EXPECT_EQ(record.hash, session.hashes[tick]);
    ASSERT_EQ(orrery_world_step(world.get(), commands.data(), record.commands), ORRERY_OK);
    ASSERT_EQ(test::info_of(world.get()).hash, record.hash) << tick;
    given += record.commands;
  }
  EXPECT_GT(given, 100u);
  EXPECT_EQ(orrery_log_next(log.get(), &record, commands.data(), 64), ORRERY_END);
  EXPECT_EQ(orrery_log_rewind(log.get()), ORRERY_OK);
  EXPECT_EQ(orrery_log_next(log.get(), &record, nullptr, 0), ORRERY_OK);
  EXPECT_EQ(record.tick, 1u);
}

TEST(ApiLog, KeepsARecordThatDoesNotFit) {
  const LogHandle log = open_log(a_session().log);
  auto record = sized<orrery_record>();
  std::vector<orrery_command> commands(64, sized<orrery_command>());
  std::int32_t code = ORRERY_OK;
  while (code == ORRERY_OK) code = orrery_log_next(log.get(), &record, commands.data(), 0);
  ASSERT_EQ(code, ORRERY_SHORT_BUFFER);
  ASSERT_GT(record.commands, 0u);
  const std::uint64_t tick = record.tick;
  ASSERT_EQ(orrery_log_next(log.get(), &record, commands.data(), 64), ORRERY_OK);
  EXPECT_EQ(record.tick, tick);
}

TEST(ApiLog, SeeksBothWays) {
  const RecordedSession session = a_session();
  const LogHandle log = open_log(session.log);
  orrery_world* world = nullptr;
  for (const std::uint64_t tick : {200, 10, 11, 300, 0}) {
    ASSERT_EQ(orrery_log_seek(log.get(), tick, 0, &world), ORRERY_OK) << error_of(log.get());
    EXPECT_EQ(test::info_of(world).tick, tick);
    EXPECT_EQ(test::info_of(world).hash, session.hashes[tick]);
  }
  EXPECT_EQ(orrery_log_seek(log.get(), 301, 0, &world), ORRERY_NOT_FOUND);
  EXPECT_NE(error_of(log.get()).find("300"), std::string::npos) << error_of(log.get());
  // The world belongs to the log.
  EXPECT_EQ(orrery_world_step(world, nullptr, 0), ORRERY_READ_ONLY);
  orrery_world_destroy(world);  // does nothing
  EXPECT_EQ(test::info_of(world).tick, 300u);
  std::uint64_t size = 0;
  orrery_world_save(world, nullptr, 0, &size);
  std::vector<std::uint8_t> image(size);
  ASSERT_EQ(orrery_world_save(world, image.data(), size, &size), ORRERY_OK);
  EXPECT_EQ(orrery_world_restore(world, image.data(), size), ORRERY_READ_ONLY);
  const WorldHandle own = world_of("playground");
  ASSERT_EQ(orrery_world_restore(own.get(), image.data(), size), ORRERY_OK);
  EXPECT_EQ(test::info_of(own.get()).hash, session.hashes[300]);
}

TEST(ApiLog, VerifiesALittleAtATime) {
  const LogHandle log = open_log(a_session().log);
  auto found = sized<orrery_verification>();
  for (std::uint64_t ticks = 70; ticks < 300; ticks += 70) {
    ASSERT_EQ(orrery_log_verify(log.get(), 70, ticks == 70, &found, nullptr), ORRERY_OK);
    EXPECT_EQ(found.verified, ticks);
  }
  EXPECT_EQ(orrery_log_verify(log.get(), 70, 0, &found, nullptr), ORRERY_END);
  EXPECT_EQ(found.verified, 300u);
  EXPECT_EQ(found.diverged, 0u);
  EXPECT_EQ(orrery_log_verify(log.get(), 70, 0, &found, nullptr), ORRERY_END);
  EXPECT_EQ(orrery_log_verify(log.get(), 1, 1, &found, nullptr), ORRERY_OK);
  EXPECT_EQ(found.verified, 1u);
}

// One replay serves all: the world of a verification has the state of each tick.
TEST(ApiLog, ShowsTheWorldThatVerifies) {
  const RecordedSession session = a_session();
  const LogHandle log = open_log(session.log);
  auto found = sized<orrery_verification>();
  orrery_world* world = nullptr;
  ASSERT_EQ(orrery_log_verify(log.get(), 0, 1, &found, &world), ORRERY_OK);
  EXPECT_EQ(found.ticks, 0u);
  orrery_world* const first = world;
  for (std::uint64_t tick = 0; tick <= 300; ++tick) {
    EXPECT_EQ(test::info_of(world).tick, tick);
    ASSERT_EQ(test::info_of(world).hash, session.hashes[tick]) << tick;
    EXPECT_EQ(orrery_log_verify(log.get(), 1, 0, &found, &world),
              tick < 300 ? ORRERY_OK : ORRERY_END);
  }
  EXPECT_EQ(orrery_world_step(world, nullptr, 0), ORRERY_READ_ONLY);
  ASSERT_EQ(orrery_log_verify(log.get(), 7, 1, &found, &world), ORRERY_OK);
  EXPECT_EQ(world, first);
  EXPECT_EQ(test::info_of(world).hash, session.hashes[7]);
}

// Seeks a tick in slices. Returns the number of calls.
int seek_in_slices(const LogHandle& log, std::uint64_t tick, std::uint32_t ticks_max,
                   std::uint64_t hash) {
  orrery_world* world = nullptr;
  int calls = 1;
  while (orrery_log_seek(log.get(), tick, ticks_max, &world) == ORRERY_MORE) ++calls;
  EXPECT_EQ(test::info_of(world).tick, tick);
  EXPECT_EQ(test::info_of(world).hash, hash);
  return calls;
}

TEST(ApiLog, SeeksInSlices) {
  const RecordedSession session = a_session();
  const LogHandle log = open_log(session.log);
  EXPECT_EQ(seek_in_slices(log, 250, 10, session.hashes[250]), 25);
  EXPECT_EQ(seek_in_slices(log, 255, 10, session.hashes[255]), 1);
  EXPECT_EQ(seek_in_slices(log, 21, 10, session.hashes[21]), 3);
  orrery_world* world = nullptr;
  EXPECT_EQ(orrery_log_seek(log.get(), 301, 500, &world), ORRERY_NOT_FOUND);
}

TEST(ApiLog, KeepsStatesAndSeeksFromThem) {
  constexpr std::uint32_t kTicks = 20;
  const RecordedSession session = a_session();
  const LogHandle log = open_log(session.log);
  auto found = sized<orrery_verification>();
  ASSERT_EQ(orrery_log_verify(log.get(), 300, 1, &found, nullptr), ORRERY_OK);
  EXPECT_EQ(info_of(log.get()).kept_bytes, 0u);  // none are allowed yet
  EXPECT_EQ(orrery_log_prepare(log.get(), kTicks), ORRERY_END);
  ASSERT_EQ(orrery_log_keep(log.get(), 1 << 20), ORRERY_OK);
  ASSERT_EQ(orrery_log_verify(log.get(), 300, 1, &found, nullptr), ORRERY_OK);
  const std::uint64_t kept = info_of(log.get()).kept_bytes;
  EXPECT_GT(kept, 0u);
  for (const std::uint64_t tick : {200, 10, 290, 1, 0, 123}) {
    EXPECT_EQ(seek_in_slices(log, tick, kTicks, session.hashes[tick]), 1) << tick;
  }
  ASSERT_EQ(orrery_log_keep(log.get(), 1 << 20), ORRERY_OK);
  EXPECT_EQ(info_of(log.get()).kept_bytes, 0u);
  EXPECT_GT(seek_in_slices(log, 99, kTicks, session.hashes[99]), 1);
  while (orrery_log_prepare(log.get(), kTicks) == ORRERY_MORE) {
  }
  EXPECT_GT(info_of(log.get()).kept_bytes, 0u);
  EXPECT_EQ(seek_in_slices(log, 150, kTicks, session.hashes[150]), 1);
  EXPECT_EQ(seek_in_slices(log, 60, kTicks, session.hashes[60]), 1);
  EXPECT_EQ(orrery_log_prepare(log.get(), 0), ORRERY_BAD_ARGUMENT);
}

// Records a session with a fault: the state of tick `tick` was changed before it was recorded.
std::vector<std::uint8_t> diverging_log(std::uint64_t tick) {
  MemorySink sink;
  World world(built_in_scene("free:3").value());
  SerialExecutor executor;
  session::SessionLog log(sink, session::make_log_header(world, "test", codec::SessionId{}));
  for (std::uint64_t i = 1; i <= 100; ++i) {
    step(world, {}, executor);
    if (i == tick) {
      FaultInjector fault(world);
      fault.exchange(0, 1);
      fault.update_hash(executor);
    }
    log.append_tick(world);
  }
  log.close();
  return sink.bytes;
}

TEST(ApiLog, NamesTheFirstDivergentTick) {
  const LogHandle log = open_log(diverging_log(42));
  auto found = sized<orrery_verification>();
  std::int32_t code = ORRERY_OK;
  while (code == ORRERY_OK) code = orrery_log_verify(log.get(), 10, 0, &found, nullptr);
  EXPECT_EQ(code, ORRERY_END);
  EXPECT_EQ(found.diverged, 1u);
  EXPECT_EQ(found.first_divergent_tick, 42u);
  EXPECT_EQ(found.verified, 41u);
  orrery_world* world = nullptr;
  EXPECT_EQ(orrery_log_seek(log.get(), 50, 0, &world), ORRERY_DIVERGED);
  EXPECT_NE(error_of(log.get()).find("tick 42"), std::string::npos) << error_of(log.get());
}

TEST(ApiLog, ReadsATornLogToItsLastRecord) {
  const RecordedSession session = a_session();
  std::vector<std::uint8_t> torn = session.log;
  torn.resize(session.record_ends[150] + 3);
  const LogHandle log = open_log(torn);
  const orrery_log_info info = info_of(log.get());
  EXPECT_EQ(info.closed, 0u);
  EXPECT_GT(info.last_tick, 50u);
  EXPECT_LT(info.last_tick, 300u);
  EXPECT_STRNE(info.fault, "");
  orrery_world* world = nullptr;
  ASSERT_EQ(orrery_log_seek(log.get(), info.last_tick, 0, &world), ORRERY_OK);
  EXPECT_EQ(test::info_of(world).hash, session.hashes[info.last_tick]);
}

TEST(ApiLog, OpensFilesOfSeveralSegmentsAndOtherRules) {
  const auto from_file = [](const std::string& name) {
    orrery_log* log = nullptr;
    char why[512];
    const std::string path = source_path("tests/golden/logs/" + name);
    EXPECT_EQ(orrery_log_from_file(path.c_str(), &log, why, sizeof why), ORRERY_OK) << why;
    return LogHandle(log);
  };
  const LogHandle packed = from_file("rules-20-format-8-packed.orrery");
  EXPECT_EQ(info_of(packed.get()).segments, 2u);
  auto found = sized<orrery_verification>();
  EXPECT_EQ(orrery_log_verify(packed.get(), 1'000'000, 1, &found, nullptr), ORRERY_END);
  EXPECT_EQ(found.verified, info_of(packed.get()).last_tick);
  EXPECT_GT(found.verified, 0u);
  const LogHandle old = from_file("rules-5-format-4.orrery");
  EXPECT_EQ(info_of(old.get()).rules, 5u);
  EXPECT_EQ(orrery_log_verify(old.get(), 10, 1, &found, nullptr), ORRERY_OTHER_RULES);
  EXPECT_NE(error_of(old.get()).find("rules 5"), std::string::npos) << error_of(old.get());
  auto record = sized<orrery_record>();
  EXPECT_EQ(orrery_log_next(old.get(), &record, nullptr, 0), ORRERY_OK);
}

TEST(ApiLog, OpensSegmentsInMemory) {
  std::vector<std::string> segments;
  for (const char* end : {"", ".0001"}) {
    std::ifstream file(source_path("tests/golden/logs/rules-20-format-8-packed.orrery") + end);
    segments.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  const void* const bytes[] = {segments[0].data(), segments[1].data()};
  const std::uint64_t sizes[] = {segments[0].size(), segments[1].size()};
  const auto opened = [&](std::uint32_t count) {
    orrery_log* log = nullptr;
    char why[512];
    EXPECT_EQ(orrery_log_from_segments(bytes, sizes, count, &log, why, sizeof why), ORRERY_OK)
        << why;
    return LogHandle(log);
  };
  const LogHandle both = opened(2);
  const LogHandle first = opened(1);
  EXPECT_EQ(info_of(both.get()).segments, 2u);
  EXPECT_EQ(info_of(both.get()).closed, 1u);
  EXPECT_LT(info_of(first.get()).last_tick, info_of(both.get()).last_tick);
  auto found = sized<orrery_verification>();
  EXPECT_EQ(orrery_log_verify(both.get(), 1'000'000, 1, &found, nullptr), ORRERY_END);
  EXPECT_EQ(found.diverged, 0u);
  EXPECT_EQ(found.verified, info_of(both.get()).last_tick);
}

TEST(ApiLog, SaysWhyItCannotBeOpened) {
  orrery_log* log = nullptr;
  char why[512];
  EXPECT_EQ(orrery_log_from_file("/nowhere/a.orrery", &log, why, sizeof why), ORRERY_BAD_LOG);
  EXPECT_NE(std::string(why), "");
  EXPECT_EQ(orrery_log_from_file("/", &log, why, sizeof why), ORRERY_BAD_LOG);
  EXPECT_EQ(orrery_log_from_bytes("not a log", 9, &log, why, sizeof why), ORRERY_BAD_LOG);
  EXPECT_EQ(orrery_log_from_bytes("", 0, &log, why, sizeof why), ORRERY_BAD_LOG);
  EXPECT_EQ(orrery_log_from_bytes(nullptr, 0, &log, why, sizeof why), ORRERY_BAD_ARGUMENT);
  const void* const nothing[] = {"", nullptr};
  const std::uint64_t sizes[] = {0, 1};
  EXPECT_EQ(orrery_log_from_segments(nothing, sizes, 0, &log, why, sizeof why),
            ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(orrery_log_from_segments(nothing, sizes, 2, &log, why, sizeof why),
            ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(orrery_log_from_segments(nothing, nullptr, 2, &log, why, sizeof why),
            ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(log, nullptr);
}

}  // namespace
}  // namespace orrery::test
