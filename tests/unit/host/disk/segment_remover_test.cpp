// Tests which segments are removed, and that the rest of the log stays readable, also if the disk
// fails or the machine crashes meanwhile.
#include "common/host/disk/segment_remover.h"

#include <gtest/gtest.h>

#include <string>

#include "common/host/disk/log_segments.h"
#include "common/session/checkpoint_map.h"
#include "tests/support/segment_stream.h"

namespace orrery {
namespace {

using test::DiskFault;
using test::MemorySource;
using test::session;
using test::SimulatedDisk;

constexpr std::uint32_t kSegments = 7;  // the first, and one for each of the six checkpoints

// Writes the session as segments of ten ticks.
void write_session(SimulatedDisk& disk) {
  test::DiskLog writer(disk, "LOG", 1);
  for (const session::RecordBatch& commit : session().commits) writer.commit(commit);
}

// Reads a log whose remaining ticks must be those of the session. Returns its end.
session::LogTail check_rest(const SimulatedDisk::Folder& folder) {
  MemorySource source(folder.at("LOG"));
  session::LogReader log(source, test::segments_in(folder));
  EXPECT_TRUE(log.read_header());
  session::TickRecord record;
  session::Checkpoint checkpoint;
  std::uint64_t read = 0;
  Tick before;
  while (const auto type = log.next(record, checkpoint)) {
    if (!session::is_tick(*type)) {
      EXPECT_EQ(checkpoint.hash, session().hashes[checkpoint.tick.value]);
      EXPECT_EQ(checkpoint.after_gap, checkpoint.tick > before);
      before = checkpoint.tick;
      continue;
    }
    EXPECT_EQ(record.tick.value, before.value + 1);
    EXPECT_EQ(record.hash, session().hashes[record.tick.value]);
    before = record.tick;
    ++read;
  }
  EXPECT_FALSE(log.tail().damaged) << log.tail().reason;
  EXPECT_TRUE(log.tail().closed);
  EXPECT_EQ(log.tail().lost_ticks, 0u);
  EXPECT_EQ(read + log.tail().removed_ticks, std::uint64_t{test::kTicks});
  return log.tail();
}

TEST(SegmentRemover, KeepsTheFirstTheLastClosedAndTheOpenSegment) {
  SimulatedDisk disk(1);
  write_session(disk);
  ASSERT_EQ(disk.content().size(), kSegments);
  host::SegmentRemover remover(disk, "LOG", {.bytes = 1});
  const auto removed = remover.enforce(kSegments - 2, 0);
  EXPECT_EQ(removed.first.value, 11u);
  EXPECT_EQ(removed.last.value, 50u);
  EXPECT_EQ(check_rest(disk.content()).removed_ticks, 40u);
  EXPECT_EQ(disk.content().size(), kSegments);
}

TEST(SegmentRemover, RemovesNoMoreThanTheLimitAsks) {
  for (const std::uint32_t kept : {1u, 2u, 3u, 4u}) {
    SimulatedDisk disk(1);
    write_session(disk);
    const SimulatedDisk::Folder before = disk.content();
    std::uint64_t bytes = before.at("LOG").size();
    for (std::uint32_t i = 0; i < kept; ++i) {
      bytes += before.at(host::segment_path("LOG", kSegments - 2 - i)).size();
    }
    host::SegmentRemover remover(disk, "LOG", {.bytes = bytes});
    remover.enforce(kSegments - 2, 0);
    EXPECT_EQ(check_rest(disk.content()).removed_ticks, 10 * (5 - kept)) << kept;
  }
}

TEST(SegmentRemover, RemovesWhatIsTooOld) {
  SimulatedDisk disk(1);  // the time of all its files is 0
  write_session(disk);
  host::SegmentRemover remover(disk, "LOG", {.seconds = 100});
  EXPECT_EQ(remover.enforce(kSegments - 2, 100).last.value, 0u);
  EXPECT_EQ(remover.enforce(kSegments - 2, 101).last.value, 50u);
}

TEST(SegmentRemover, FindsInALaterRunWhatWasRemoved) {
  SimulatedDisk disk(1);
  write_session(disk);
  host::SegmentRemover(disk, "LOG", {.bytes = 1}).enforce(2, 0);
  host::SegmentRemover later(disk, "LOG", {.bytes = ~std::uint64_t{0}});
  const auto removed = later.enforce(kSegments - 2, 0);
  EXPECT_EQ(removed.first.value, 11u);
  EXPECT_EQ(removed.last.value, 20u);
}

TEST(SegmentRemover, LeavesCheckpointsThatReadersFind) {
  SimulatedDisk disk(1);
  write_session(disk);
  host::SegmentRemover(disk, "LOG", {.bytes = 1}).enforce(kSegments - 2, 0);
  for (const auto indexes : {session::Indexes::believed, session::Indexes::ignored}) {
    std::vector<std::uint64_t> ticks;
    for (const auto& at : session::find_checkpoints(test::segments_in(disk.content()), indexes)) {
      ticks.push_back(at.place.tick.value);
    }
    EXPECT_EQ(ticks, (std::vector<std::uint64_t>{50, 60}));
  }
}

TEST(SegmentRemover, LeavesTheLogReadableIfACallFailsOrTheMachineCrashes) {
  SimulatedDisk counted(1);
  write_session(counted);
  const std::uint64_t first = counted.calls() + 1;
  host::SegmentRemover(counted, "LOG", {.bytes = 1}).enforce(kSegments - 2, 0);
  using Fault = DiskFault::Kind;
  for (std::uint64_t call = first; call <= counted.calls(); ++call) {
    for (const Fault kind : {Fault::io_error, Fault::no_space, Fault::stopped}) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + " at call " +
                   std::to_string(call));
      SimulatedDisk disk(call, {{call, kind, kind == Fault::stopped}});
      write_session(disk);
      host::SegmentRemover remover(disk, "LOG", {.bytes = 1});
      remover.enforce(kSegments - 2, 0);
      check_rest(disk.content_after_crash());
      if (kind == Fault::stopped) continue;
      EXPECT_EQ(remover.enforce(kSegments - 2, 0).last.value, 50u);
      EXPECT_EQ(check_rest(disk.content()).removed_ticks, 40u);
      EXPECT_EQ(disk.content().size(), kSegments);
    }
  }
}

}  // namespace
}  // namespace orrery
