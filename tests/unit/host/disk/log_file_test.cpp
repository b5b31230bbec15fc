// Tests the log on disk: all records arrive in order, and failures are reported.
#include "common/host/disk/log_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "common/host/disk/file.h"
#include "common/host/disk/log_segments.h"
#include "common/host/disk/packing/packed_segment.h"
#include "common/session/writer/log_writer.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"
#include "tests/support/memory_log.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

class LogFileTest : public testing::Test {
 protected:
  LogFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "orrery-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~LogFileTest() override { std::filesystem::remove_all(folder_); }

  std::vector<std::uint8_t> content() const {
    std::vector<std::uint8_t> bytes;
    EXPECT_TRUE(host::FileSource::open(path()).value()->read_up_to(std::size_t{100} << 20, bytes));
    return bytes;
  }

  std::string path() const { return (folder_ / "a.orrery").string(); }

  std::filesystem::path folder_;
};

// A session that is recorded to a sink.
class Recorder {
 public:
  explicit Recorder(session::RecordSink& sink)
      : log_(sink, session::make_log_header(world_, "test", codec::SessionId{})) {}

  bool record(int ticks) {
    bool taken = true;
    for (int i = 0; taken && i < ticks; ++i) {
      step(world_, commands_.next(world_), executor_);
      taken = log_.append_tick(world_);
    }
    return taken;
  }

  void close() { log_.close(); }

 private:
  World world_{built_in_scene("free:6").value()};
  SerialExecutor executor_;
  CommandStream commands_{31};
  session::SessionLog log_;
};

constexpr int kTicks = 10'000;

std::vector<std::uint8_t> in_memory(int ticks) {
  test::MemorySink sink;
  Recorder recorder(sink);
  recorder.record(ticks);
  recorder.close();
  return sink.bytes;
}

TEST_F(LogFileTest, KeepsEverythingInOrder) {
  for (const host::OnFailure on_failure : {host::OnFailure::stop, host::OnFailure::go_on}) {
    auto file = std::move(host::LogFile::open(path(), on_failure).value());
    Recorder recorder(*file);
    recorder.record(kTicks);
    recorder.close();
    EXPECT_TRUE(file->close());
    EXPECT_EQ(file->state().durable.value, kTicks);
    EXPECT_TRUE(content() == in_memory(kTicks));
    std::filesystem::remove(path());
  }
}

TEST_F(LogFileTest, SyncBringsAllToTheDisk) {
  auto file = std::move(host::LogFile::open(path(), host::OnFailure::go_on).value());
  Recorder recorder(*file);
  EXPECT_TRUE(file->sync());
  EXPECT_EQ(file->state().durable.value, 0u);
  recorder.record(7);
  EXPECT_TRUE(file->sync());
  EXPECT_EQ(file->state().durable.value, 7u);
}

TEST_F(LogFileTest, NeverTouchesAFileThatExists) {
  std::ofstream(path()) << "precious";
  auto refused = host::LogFile::open(path(), host::OnFailure::stop);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), path() + ": exists already; name a new file for the log");
  EXPECT_EQ(content().size(), 8u);
}

// An older build left an empty file when it was killed at its start, or when the disk was full.
TEST_F(LogFileTest, AnEmptyFileIsNoLog) {
  std::ofstream(path()) << "";
  {
    const host::LogLock writer(host::file_system(), path());
    const auto refused = host::LogFile::open(path(), host::OnFailure::stop);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text(),
              path() + ": is being written by a running program; name a new file for the log");
    EXPECT_TRUE(std::filesystem::exists(path()));
  }
  SerialExecutor executor;
  EXPECT_EQ(host::recover_log(path(), executor).error().text(),
            path() + ": is empty: no session has begun in it; begin one with --log or --session");
  auto file = std::move(host::LogFile::open(path(), host::OnFailure::stop).value());
  EXPECT_FALSE(std::filesystem::exists(path())) << "it appears with its header";
  Recorder(*file).close();
  EXPECT_TRUE(file->close());
  EXPECT_TRUE(content() == in_memory(0));
}

// The file of segment 0 may be gone although later ones exist. Readers look for segments up to
// number 65.
TEST_F(LogFileTest, TakesNoNameWhoseSegmentsAreThere) {
  for (const char* number : {".0001", ".0002", ".0065"}) {
    const std::string segment = path() + number;
    std::ofstream(segment) << "precious";
    const auto refused = host::LogFile::open(path(), host::OnFailure::stop);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text(), segment +
                                          ": exists already, and has the name of a segment of " +
                                          path() + "; name a new file for the log");
    EXPECT_FALSE(std::filesystem::exists(path()));
    std::filesystem::remove(segment);
  }
  std::ofstream(path() + ".0066") << "precious";
  auto file = std::move(host::LogFile::open(path(), host::OnFailure::stop).value());
  Recorder(*file).close();
  EXPECT_TRUE(file->close());
  const std::vector<std::uint8_t> bytes = content();
  test::MemorySource source(bytes);
  session::LogReader log(source, host::segments_of(path()));
  ASSERT_TRUE(log.read_header());
  for (session::TickRecord record; log.next(record);) {
  }
  EXPECT_FALSE(log.tail().damaged) << log.tail().reason;
}

TEST_F(LogFileTest, RenamesOverNoFileUnlessItMay) {
  std::ofstream(path()) << "precious";
  std::ofstream(path() + ".tmp") << "new";
  EXPECT_EQ(host::file_system().rename(path() + ".tmp", path(), false), -EEXIST);
  EXPECT_EQ(content().size(), 8u);
  EXPECT_EQ(host::file_system().rename(path() + ".tmp", path(), true), 0);
  EXPECT_EQ(content().size(), 3u);
}

TEST_F(LogFileTest, SaysWhereItCannotBe) {
  const auto refused =
      host::LogFile::open((folder_ / "no" / "log").string(), host::OnFailure::stop);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("No such file or directory"), std::string::npos);
}

// After the disk has become full, the log reports the first failure, and nobody waits for records
// that will never be written.
TEST_F(LogFileTest, AFullDiskEndsALogThatMustBeComplete) {
  constexpr rlim_t kRoom = 20'000;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{kRoom, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  auto file = std::move(host::LogFile::open(path(), host::OnFailure::stop).value());
  Recorder recorder(*file);
  EXPECT_TRUE(file->sync());
  recorder.record(10'000);
  const Status status = file->sync();
  EXPECT_FALSE(recorder.record(1));
  EXPECT_FALSE(file->close());
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(), path() + ": cannot be written: File too large");
  EXPECT_EQ(content().size(), kRoom);
}

// A killed server leaves temporary files: LOG.tmp while it packs LOG, LOG.0001.tmp while it makes
// LOG.0001. A resume removes them.
TEST(LogFile, WhoGoesOnRemovesWhatACrashLeftHalfWay) {
  test::SimulatedDisk disk(1);
  {
    auto file = std::move(host::LogFile::open("LOG", host::OnFailure::stop, disk).value());
    Recorder(*file).record(5);
  }
  for (const char* name : {"LOG.tmp", "LOG.0001.tmp"}) disk.close(disk.create(name, true));
  SerialExecutor executor;
  ASSERT_TRUE(host::recover_log("LOG", executor, disk));
  EXPECT_EQ(disk.content().size(), 1u);
}

// While the disk is full, the session continues, but the durable tick does not advance. When there
// is room again, all records are written.
TEST(LogFile, ADiskThatIsFullForAWhileLosesNothing) {
  std::vector<test::DiskFault> faults;
  for (std::uint64_t call = 12; call < 40; ++call) {
    faults.push_back({call, test::DiskFault::Kind::no_space, false});
  }
  test::SimulatedDisk disk(1, faults);
  auto file = std::move(host::LogFile::open("LOG", host::OnFailure::go_on, disk).value());
  Recorder recorder(*file);
  ASSERT_TRUE(file->sync());
  bool failed = false;
  for (int i = 0; i < 40 && !failed; ++i) {
    EXPECT_TRUE(recorder.record(5));
    failed = !file->sync().ok();
  }
  ASSERT_TRUE(failed);
  EXPECT_NE(file->state().failure.find("No space left on device"), std::string::npos);
  const Tick durable = file->state().durable;
  EXPECT_TRUE(recorder.record(20));
  EXPECT_FALSE(file->sync());
  EXPECT_EQ(file->state().durable, durable);
  for (int i = 0; i < 40 && failed; ++i) failed = !file->sync().ok();
  EXPECT_FALSE(file->state().failing);
  EXPECT_GE(file->state().durable.value, durable.value + 20);
  recorder.close();
  EXPECT_TRUE(file->close());
  EXPECT_EQ(file->state().lost_ticks, 0u);
  EXPECT_EQ(disk.content().size(), 2u);
}

// Returns a log in pieces: the start, then ticks and checkpoints alternately, and the end.
std::vector<session::RecordBatch> pieces_of(const char* scene, int ticks) {
  std::vector<session::RecordBatch> pieces;
  session::RecordBatch batch;
  const auto cut = [&] { pieces.push_back(std::exchange(batch, {})); };
  World world(built_in_scene(scene).value());
  SerialExecutor executor;
  session::SessionLog log(batch, session::make_log_header(world, "test", codec::SessionId{}));
  cut();
  for (int tick = 1; tick <= ticks; ++tick) {
    step(world, {}, executor);
    log.append_tick(world);
    cut();
    test::append_checkpoint(world, batch);
    cut();
  }
  log.close();
  cut();
  return pieces;
}

// Each checkpoint is larger than the limit of the queue, 16 MiB, and comes together with a tick.
// The start of the log has the scene and is synced before any tick. The first segment becomes
// full, so it is closed and packed.
TEST(LogFile, TakesCheckpointsOfAnySize) {
  const auto pieces = pieces_of("free:170000", 6);
  ASSERT_GT(pieces[2].bytes(), std::size_t{16} << 20);
  test::SimulatedDisk disk(1);
  {
    auto file = std::move(host::LogFile::open("LOG", host::OnFailure::go_on, disk).value());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      test::pass_on(pieces[i], *file);
      if (i == 0 || (i % 2 == 1 && i > 1)) {
        EXPECT_TRUE(file->sync()) << i;
      }
    }
    EXPECT_TRUE(file->close());
    EXPECT_EQ(file->state().durable.value, 6u);
  }
  const auto content = disk.content();
  ASSERT_EQ(content.size(), 2u);
  EXPECT_EQ(std::string(content.at("LOG").begin(), content.at("LOG").begin() + 8), "ORRERYLZ");
  auto first = host::SegmentSource::open("LOG", disk);
  session::LogReader log(*first.value(), host::segments_of("LOG", disk));
  ASSERT_TRUE(log.read_header());
  session::TickRecord record;
  while (log.next(record)) {
  }
  EXPECT_EQ(record.tick.value, 6u);
  EXPECT_TRUE(log.tail().closed && !log.tail().damaged) << log.tail().reason;
}

// While the disk hangs, records wait in a queue of limited size. Records for which the queue has no
// room are lost, but the session continues.
TEST(LogFile, ADiskThatHangsHoldsNoSessionUp) {
  constexpr std::uint64_t kLargeTicks = 24;
  const auto pieces = pieces_of("free:22000", kLargeTicks);
  ASSERT_GT(20 * pieces[2].bytes(), std::size_t{40} << 20);  // over twice the limit of 16 MiB
  test::SimulatedDisk disk(1);
  auto file = std::move(host::LogFile::open("LOG", host::OnFailure::go_on, disk).value());
  const auto append = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) test::pass_on(pieces[i], *file);
  };
  append(0, 3);
  ASSERT_TRUE(file->sync());
  disk.hang(true);
  append(3, 45);
  EXPECT_EQ(file->state().durable.value, 1u);
  disk.hang(false);
  EXPECT_NE(file->sync().error().text().find("the disk was too slow"), std::string::npos);
  append(45, pieces.size());
  EXPECT_FALSE(file->close());
  EXPECT_EQ(file->state().durable.value, kLargeTicks);
  EXPECT_GE(file->state().lost_ticks, 1u);
  EXPECT_FALSE(file->state().failing);
}

// Another program cuts the file. With OnFailure::go_on the log continues; with OnFailure::stop it
// takes no more records.
TEST(LogFile, ADamagedFileIsAFailure) {
  for (const host::OnFailure on_failure : {host::OnFailure::stop, host::OnFailure::go_on}) {
    test::SimulatedDisk disk(1);
    auto file = std::move(host::LogFile::open("LOG", on_failure, disk).value());
    Recorder recorder(*file);
    recorder.record(7);
    ASSERT_TRUE(file->sync());
    disk.truncate("LOG", 100);
    const Status status = file->sync();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().text().find("LOG: was cut from "), 0u) << status.error().text();
    EXPECT_EQ(recorder.record(7), on_failure == host::OnFailure::go_on);
    EXPECT_FALSE(file->close());
  }
}

// The log is locked even while the disk refuses all writes and there is no segment yet.
TEST(LogFile, NobodyElseMayWriteTheLogUntilItIsLeft) {
  test::SimulatedDisk disk(1, {{3, test::DiskFault::Kind::no_space, true}});
  auto file = std::move(host::LogFile::open("LOG", host::OnFailure::go_on, disk).value());
  Recorder recorder(*file);
  EXPECT_FALSE(file->sync());
  EXPECT_EQ(host::LogLock(disk, "LOG").error_number(), EWOULDBLOCK);
  SerialExecutor executor;
  EXPECT_EQ(host::recover_log("LOG", executor, disk).error().text(),
            "LOG: is being written by a running server; stop it first");
  file.reset();
  EXPECT_EQ(host::LogLock(disk, "LOG").error_number(), 0);
}

}  // namespace
}  // namespace orrery
