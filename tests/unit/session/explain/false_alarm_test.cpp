// Tests that equal sessions never differ, in cases that cause false alarms in other software.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/host/disk/file.h"
#include "common/session/explain/first_difference.h"
#include "common/session/replay/replay.h"
#include "common/world/image/image.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/session.h"

namespace orrery {
namespace {

constexpr int kTicks = 40;

test::RecordedSession record(std::uint64_t seed) {
  const char* const scenes[] = {"playground", "tethers:30", "chain", "ragdolls:4", "crates:20"};
  const Scene scene = seed % 2 == 0 ? test::any_scene(seed)
                                    : built_in_scene(scenes[seed % std::size(scenes)]).value();
  return test::record_session(scene, seed, kTicks);
}

void expect_same(Bytes a, Bytes b, std::uint64_t seed) {
  const session::OpenedLog log_a = test::opened(a);
  const session::OpenedLog log_b = test::opened(b);
  ASSERT_EQ(log_a.header.initial_hash, log_b.header.initial_hash) << "seed " << seed;
  EXPECT_FALSE(
      session::first_difference(*log_a.reader, *log_b.reader, log_a.header.initial_hash, [] {}))
      << "seed " << seed;
}

void expect_verified(Bytes bytes, std::uint64_t seed) {
  const session::OpenedLog log = test::opened(bytes);
  World world = std::move(session::initial_world(log.header).value());
  SerialExecutor executor;
  const session::Verification found =
      session::verify(*log.reader, log.header, world, executor, [] {});
  EXPECT_TRUE(found.sound()) << "seed " << seed;
  EXPECT_EQ(found.verified, static_cast<std::uint64_t>(kTicks)) << "seed " << seed;
}

// Records with rollback: restores an image and steps again, also across spawns and removals.
std::vector<std::uint8_t> record_with_rollback(Bytes bytes) {
  const session::OpenedLog like = test::opened(bytes);
  test::MemorySink sink;
  World world = std::move(session::initial_world(like.header).value());
  World ahead(world.scene());
  SerialExecutor executor;
  session::SessionLog log(sink, session::make_log_header(world, "test", {}));
  std::vector<std::uint8_t> image;
  for (session::TickRecord record; like.reader->next(record);) {
    save_image(world, image);
    EXPECT_TRUE(restore_image(ahead, image));
    step(ahead, {}, executor);  // a prediction without the commands of the tick
    EXPECT_TRUE(restore_image(ahead, image));
    step(ahead, record.commands, executor);
    step(world, record.commands, executor);
    log.append_tick(ahead);
  }
  log.close();
  return std::move(sink.bytes);
}

void write_sessions(const std::filesystem::path& folder, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const std::vector<std::uint8_t> log = record(seed).log;
    std::ofstream(folder / std::to_string(seed), std::ios::binary)
        .write(reinterpret_cast<const char*>(log.data()), static_cast<std::streamsize>(log.size()));
  }
}

// Records the same sessions in another process. Returns a folder with a log file of each session. A
// new process has new random seeds, for example of hash tables.
std::filesystem::path record_in_another_process(std::uint64_t seeds) {
  constexpr const char* kFolder = "ORRERY_TEST_SESSIONS";  // inherited by the other process
  if (!std::getenv(kFolder)) {
    std::string name = (std::filesystem::temp_directory_path() / "orrery-XXXXXX").string();
    setenv(kFolder, mkdtemp(name.data()), 1);
  }
  const std::filesystem::path folder = std::getenv(kFolder);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto write_and_exit = [&] {
    write_sessions(folder, seeds);
    std::_Exit(0);
  };
  EXPECT_EXIT(write_and_exit(), testing::ExitedWithCode(0), "");
  unsetenv(kFolder);
  return folder;
}

void expect_no_alarm(std::uint64_t seeds) {
  const std::filesystem::path folder = record_in_another_process(seeds);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const std::vector<std::uint8_t> one = record(seed).log;
    expect_same(one, record_with_rollback(one), seed);
    const auto file = host::FileSource::open(folder / std::to_string(seed));
    ASSERT_TRUE(file) << file.error().text();
    std::vector<std::uint8_t> other;
    ASSERT_TRUE(file.value()->read_up_to(std::size_t{10} << 20, other));
    expect_same(one, other, seed);
    expect_verified(other, seed);
  }
  std::filesystem::remove_all(folder);
}

TEST(FalseAlarm, NoneWithoutACause) { expect_no_alarm(40); }
TEST(FalseAlarm, SlowNoneInAThousandSessions) { expect_no_alarm(1000); }

}  // namespace
}  // namespace orrery
