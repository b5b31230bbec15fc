// Tests that a log whose start is killed or fails leaves nothing in the way of the next one.
#include <gtest/gtest.h>

#include "common/host/disk/log_file.h"
#include "common/host/disk/log_segments.h"
#include "common/session/writer/log_writer.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/memory_log.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

// A session without a tick.
struct ShortSession {
  explicit ShortSession(session::RecordSink& sink)
      : log(sink, session::make_log_header(world, "test", codec::SessionId{})) {}

  World world{built_in_scene("free:6").value()};
  session::SessionLog log;
};

// Returns the content of a disk that holds only the log of a ShortSession.
test::SimulatedDisk::Folder expected() {
  test::MemorySink sink;
  ShortSession(sink).log.close();
  return {{"LOG", sink.bytes}};
}

// The power is cut, or the program is killed, before disk call `call` of a start. Then a log that
// exists can be resumed. If there is none, a new session can begin.
void check_killed_start(std::uint64_t call, std::uint64_t seed, bool power_cut) {
  test::SimulatedDisk disk(seed, {{call, test::DiskFault::Kind::stopped, true}});
  bool begun = false;
  {
    auto file = std::move(host::LogFile::open("LOG", host::OnFailure::go_on, disk).value());
    ShortSession session(*file);
    begun = file->sync().ok();
  }
  if (power_cut) disk.cut_power();
  disk.set_faults({});
  SerialExecutor executor;
  const bool there = disk.exists("LOG") > 0;
  EXPECT_TRUE(there || !begun);
  if (there) {
    const auto log = host::recover_log("LOG", executor, disk);
    ASSERT_TRUE(log) << log.error().text();
    EXPECT_EQ(log.value().recovered.world.tick().value, 0u);
    return;
  }
  auto file = host::LogFile::open("LOG", host::OnFailure::go_on, disk);
  ASSERT_TRUE(file) << file.error().text();
  ShortSession(*file.value()).log.close();
  EXPECT_TRUE(file.value()->close());
  EXPECT_EQ(disk.content(), expected());
}

TEST(LogStart, AStartThatIsKilledLeavesNothingInTheWay) {
  constexpr std::uint64_t kCalls = 8;  // more than a start makes
  for (std::uint64_t call = 1; call <= kCalls; ++call) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      for (const bool power_cut : {false, true}) {
        check_killed_start(call, seed, power_cut);
        ASSERT_FALSE(HasFailure())
            << "call " << call << ", seed " << seed << ", power cut " << power_cut;
      }
    }
  }
}

// An older build that was killed at its start left an empty log, a lock file, and a temporary file
// with any content.
TEST(LogStart, AKilledStartOfAnOlderBuildIsNotInTheWay) {
  test::SimulatedDisk disk(1);
  const test::SimulatedDisk::Content rubbish(100, 7);
  for (const char* name : {"LOG", "LOG.lock"}) disk.close(disk.create(name, true));
  disk.write(disk.create("LOG.tmp", true), rubbish);
  auto file = host::LogFile::open("LOG", host::OnFailure::go_on, disk);
  ASSERT_TRUE(file) << file.error().text();
  ShortSession(*file.value()).log.close();
  EXPECT_TRUE(file.value()->close());
  EXPECT_EQ(disk.content(), expected());
}

// The disk is full during one, two or four calls in a row, from each of the first eight calls on.
TEST(LogStart, AStartOnAFullDiskLeavesNothingInTheWay) {
  using Kind = test::DiskFault::Kind;
  for (std::uint64_t call = 1; call <= 8; ++call) {
    for (std::uint64_t calls : {1u, 2u, 4u}) {
      std::vector<test::DiskFault> faults;
      for (std::uint64_t i = 0; i < calls; ++i) faults.push_back({call + i, Kind::no_space});
      test::SimulatedDisk disk(call, faults);
      auto file = std::move(host::LogFile::open("LOG", host::OnFailure::go_on, disk).value());
      ShortSession session(*file);
      if (file->sync()) continue;
      while (disk.calls() < call + calls) static_cast<void>(file->sync());
      file->discard();
      EXPECT_TRUE(disk.content().empty()) << "calls " << call << " to " << call + calls - 1;
      file.reset();
      EXPECT_EQ(disk.exists("LOG.lock"), 0);
    }
  }
}

}  // namespace
}  // namespace orrery
