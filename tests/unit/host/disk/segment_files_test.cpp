// Tests logs on a disk that fails. Any call that changes or syncs a file may fail, and a crash may
// forget any unsynced data: readers find all that was durable, and nothing that was not written.
#include <gtest/gtest.h>

#include <memory>

#include "common/host/disk/log_seal.h"
#include "common/host/disk/log_segments.h"
#include "common/session/log_reader.h"
#include "common/session/writer/log_writer.h"
#include "common/session/writer/segmented_log.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"
#include "tests/support/memory_log.h"
#include "tests/support/segment_stream.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

using test::DiskFault;
using test::DiskLog;
using test::Found;
using test::kSegmentBytes;
using test::kTicks;
using test::kTicksPerCommit;
using test::MemorySource;
using test::read;
using test::segments_in;
using test::session;
using test::SimulatedDisk;
using Kind = DiskFault::Kind;

// Checks that all durable ticks are there after a crash, and none that was never written. The disk
// may have any part of the unsynced data, so the last record may be torn. Readers must not call
// this damage.
void check_crash(SimulatedDisk& disk, Tick durable, std::size_t commits) {
  const SimulatedDisk::Folder folder = disk.content_after_crash();
  const Found found = read(folder);
  EXPECT_GE(found.ticks, durable.value);
  EXPECT_LE(found.ticks, std::min<std::uint64_t>(kTicks, commits * kTicksPerCommit));
  EXPECT_EQ(found.tail.reason, "") << "no crash takes segments apart";
  EXPECT_FALSE(found.tail.damaged);
}

std::string describe(const DiskFault& fault) {
  return "kind " + std::to_string(static_cast<int>(fault.kind)) + " at call " +
         std::to_string(fault.call) + (fault.for_ever ? " for ever" : "");
}

// Records the session on a disk with faults. If `passes` is true, the faults end, or only shorten
// writes. The disk must then have the whole session in the end.
void play(std::uint64_t seed, const std::vector<DiskFault>& faults, bool passes) {
  SimulatedDisk disk(seed, faults);
  DiskLog writer(disk, "LOG", kSegmentBytes);
  std::size_t commits = 0;
  for (const session::RecordBatch& commit : session().commits) {
    writer.commit(commit);
    ++commits;
    check_crash(disk, writer.state().durable, commits);
  }
  EXPECT_GE(read(disk.content()).ticks, writer.state().durable.value);
  if (!passes) return;
  for (int i = 0; i < 10; ++i) writer.commit({});  // more often than there are faults
  EXPECT_FALSE(writer.state().failing) << writer.state().failure;
  EXPECT_EQ(writer.state().durable.value, kTicks);
  EXPECT_EQ(writer.state().lost_ticks, 0u);
  for (const auto& folder : {disk.content(), disk.content_after_crash()}) {
    const Found found = read(folder);
    EXPECT_EQ(found.ticks, kTicks);
    EXPECT_TRUE(found.tail.closed);
    EXPECT_FALSE(found.tail.damaged) << found.tail.reason;
  }
}

TEST(SegmentFiles, OneSegmentHasTheBytesOfTheSession) {
  SimulatedDisk disk(1);
  DiskLog writer(disk, "LOG", std::size_t{1} << 20);
  for (const session::RecordBatch& commit : session().commits) writer.commit(commit);
  EXPECT_EQ(disk.content(), (SimulatedDisk::Folder{{"LOG", session().whole}}));
  EXPECT_EQ(writer.state().durable.value, kTicks);
}

TEST(SegmentFiles, LargeSegmentsEndAtCheckpoints) {
  SimulatedDisk disk(1);
  DiskLog writer(disk, "LOG", kSegmentBytes);
  for (const session::RecordBatch& commit : session().commits) writer.commit(commit);
  EXPECT_GE(disk.content().size(), 3u);
  const Found found = read(disk.content());
  EXPECT_EQ(found.ticks, kTicks);
  EXPECT_TRUE(found.tail.closed && !found.tail.damaged);
  EXPECT_EQ(found.tail.lost_bytes, 0u);
}

// Lets each disk call fail in each way: either this call only, or this call and all later ones.
TEST(SegmentFiles, OutlivesAFaultInEveryCall) {
  SimulatedDisk healthy(1);
  {
    DiskLog writer(healthy, "LOG", kSegmentBytes);
    for (const session::RecordBatch& commit : session().commits) writer.commit(commit);
  }
  ASSERT_GT(healthy.calls(), 30u);
  for (std::uint64_t call = 1; call <= healthy.calls(); ++call) {
    for (const Kind kind : {Kind::io_error, Kind::no_space, Kind::interrupted, Kind::short_write}) {
      for (const bool for_ever : {false, true}) {
        const DiskFault fault{call, kind, for_ever};
        SCOPED_TRACE(describe(fault));
        play(call, {fault}, !for_ever || kind == Kind::short_write);
        if (HasFailure()) return;
      }
    }
  }
}

// More faults come while the first is handled.
TEST(SegmentFiles, OutlivesFaultsInARow) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SplitMix64 draw(seed);
    std::vector<DiskFault> faults;
    std::uint64_t call = 1 + draw.below(70);
    for (std::uint32_t i = 0; i < 2 + draw.below(6); ++i) {
      faults.push_back({call, static_cast<Kind>(draw.below(4)), false});
      call += 1 + draw.below(6);
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    play(seed, faults, true);
    if (HasFailure()) return;
  }
}

// A failed sync may have lost data, although the next sync reports success. The records of the
// commit whose sync failed must therefore also be in the next segment.
TEST(SegmentFiles, NeverTrustsAFileWhoseSyncFailed) {
  int failed = 0;
  for (std::size_t commit = 1; commit < session().commits.size(); ++commit) {
    SimulatedDisk disk(commit);
    DiskLog writer(disk, "LOG", std::size_t{1} << 20);
    for (std::size_t i = 0; i < commit; ++i) writer.commit(session().commits[i]);
    const Tick before = writer.state().durable;
    disk.set_faults({{disk.calls() + 2, Kind::io_error, false}});  // the sync after a write
    writer.commit(session().commits[commit]);
    EXPECT_TRUE(writer.state().failing);
    EXPECT_EQ(writer.state().durable, before);
    EXPECT_GE(read(disk.content_after_crash()).ticks, before.value);
    writer.commit({});
    EXPECT_EQ(writer.state().segment, 1u);
    EXPECT_GE(read(disk.content_after_crash()).ticks, writer.state().durable.value);
    failed += writer.state().durable > before ? 1 : 0;
  }
  EXPECT_EQ(failed, kTicks / kTicksPerCommit - 1);
}

const net::Key kSealKey;

// Returns the commits from `begin` to before `end` in one batch.
session::RecordBatch joined(std::size_t begin, std::size_t end) {
  session::RecordBatch batch;
  const auto& commits = session().commits;
  for (std::size_t i = begin; i < std::min(end, commits.size()); ++i) {
    test::pass_on(commits[i], batch);
  }
  return batch;
}

// Records the session on a machine that stops before disk call `call`. `round` batches of the
// session are written as one commit.
void check_power_cut(std::uint64_t call, std::size_t round, std::size_t segment_bytes,
                     std::uint64_t seed) {
  SimulatedDisk disk(seed, {{call, Kind::stopped, true}});
  Tick durable;
  {
    DiskLog writer(disk, "LOG", segment_bytes);
    writer.seal_with(host::LogSealer(kSealKey));
    const auto& commits = session().commits;
    for (std::size_t i = 0; i < commits.size() && writer.state().failures == 0; i += round) {
      writer.commit(joined(i, i + round));
    }
    durable = writer.state().durable;
  }
  disk.cut_power();
  if (disk.exists("LOG") == 0) {
    ASSERT_EQ(durable.value, 0u);
    return;
  }
  if (read(disk.content()).tail.closed) return;
  SerialExecutor executor;
  const Result<host::ResumableLog> log = recover_log("LOG", executor, disk);
  ASSERT_TRUE(log) << log.error().text();
  const World& world = log.value().recovered.world;
  ASSERT_GE(world.tick(), durable);
  ASSERT_EQ(world.hash(), session().hashes[world.tick().value]);
  const Result<host::ResumedSealer> sealer = resume_sealer("LOG", kSealKey, disk);
  ASSERT_TRUE(sealer) << sealer.error().text();
}

// The power is cut before each disk call. 1, 2, 7 or 16 batches are written as one commit, as by a
// writer that waited for a slow disk. A commit may contain several checkpoints. The session can be
// resumed without a repair.
TEST(SegmentFiles, APowerCutTearsOffTheEndAlone) {
  constexpr std::uint64_t kCallsMax = 100;
  constexpr std::uint64_t kSeeds = 12;
  for (const std::size_t segment_bytes : {kSegmentBytes, std::size_t{1} << 20}) {
    for (const std::size_t round : {1u, 2u, 7u, 16u}) {
      for (std::uint64_t call = 1; call <= kCallsMax; ++call) {
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
          check_power_cut(call, round, segment_bytes, seed);
          ASSERT_FALSE(HasFailure()) << "call " << call << " of rounds of " << round << ", seed "
                                     << seed << ", segments of " << segment_bytes;
        }
      }
    }
  }
}

// Records before a checkpoint or the end reach the disk first, by a write and a sync of their own.
TEST(SegmentFiles, SyncsBeforeACheckpointAndTheEnd) {
  SimulatedDisk disk(1);
  DiskLog writer(disk, "LOG", std::size_t{1} << 20);
  const auto& commits = session().commits;
  writer.commit(commits[0]);
  for (std::size_t i = 1; i < commits.size(); ++i) {
    const bool end = i + 1 == commits.size();
    const bool checkpoint = !end && (i + 1) * kTicksPerCommit / 10 > i * kTicksPerCommit / 10;
    const std::uint64_t before = disk.calls();
    writer.commit(commits[i]);
    EXPECT_EQ(disk.calls() - before, end || checkpoint ? 4u : 2u) << i;
  }
}

// Resumes the session on this disk for ten ticks, as a server does. Returns the header of the
// segment that these ticks begin.
codec::LogHeader resume(SimulatedDisk& disk) {
  SerialExecutor executor;
  Result<host::ResumableLog> log = recover_log("LOG", executor, disk);
  if (!log) ADD_FAILURE() << log.error().text();
  World& world = log.value().recovered.world;
  DiskLog writer(disk, "LOG", kSegmentBytes);
  session::RecordBatch batch;
  session::SessionLog records(batch, log.value().recovered.header, world);
  for (int i = 0; i < 10; ++i) {
    step(world, {}, executor);
    records.append_tick(world);
  }
  writer.commit(batch);
  EXPECT_EQ(writer.state().durable, world.tick()) << writer.state().failure;
  return log.value().recovered.header;
}

// A session is resumed from the data on the disk, not from the cached data of a file after a
// failed sync. A later power cut then tears nothing out of the middle.
TEST(SegmentFiles, AResumedLogStandsOnWhatTheDiskHas) {
  for (std::uint64_t call = 1; call <= 40; ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    SimulatedDisk disk(call, {{call, Kind::io_error, false}});
    Tick durable;
    {
      DiskLog killed(disk, "LOG", kSegmentBytes);
      for (std::size_t i = 0; i < 14 && killed.state().failures == 0; ++i) {
        killed.commit(session().commits[i]);
      }
      durable = killed.state().durable;
    }
    if (disk.exists("LOG") == 0) continue;
    const Tick from = resume(disk).after_tick;
    EXPECT_GE(from, durable);
    const Found found = read(disk.content_after_crash(), from);
    EXPECT_EQ(found.ticks, from.value + 10);
    EXPECT_FALSE(found.tail.damaged) << found.tail.reason;
  }
}

// recover_log() syncs each file of the log once, and reads it from the disk once.
TEST(SegmentFiles, AResumedLogIsSettledOnce) {
  SimulatedDisk disk(1);
  {
    DiskLog killed(disk, "LOG", kSegmentBytes);
    for (std::size_t i = 0; i + 1 < session().commits.size(); ++i) {
      killed.commit(session().commits[i]);
    }
  }
  SerialExecutor executor;
  ASSERT_TRUE(recover_log("LOG", executor, disk));
  ASSERT_GE(disk.content().size(), 3u);
  EXPECT_EQ(disk.settled().size(), disk.content().size());
  for (const auto& [name, times] : disk.settled()) EXPECT_EQ(times, 1) << name;
}

TEST(SegmentFiles, AResumedLogLeavesASegmentThatWasBegunInVain) {
  SimulatedDisk disk(1);
  {
    DiskLog killed(disk, "LOG", kSegmentBytes);
    killed.commit(session().commits[0]);
  }
  const SimulatedDisk::Content begun = {'O', 'R', 'R'};
  disk.write(disk.create("LOG.0001", true), begun);
  EXPECT_EQ(resume(disk).segment, 2u);
  EXPECT_EQ(disk.content().at("LOG.0001"), begun);
  const Found found = read(disk.content(), Tick{kTicksPerCommit});
  EXPECT_EQ(found.ticks, kTicksPerCommit + 10);
  EXPECT_FALSE(found.tail.damaged) << found.tail.reason;
}

// A file of another program that has the name of a segment is left as it is, and reported.
TEST(SegmentFiles, ReplacesNoFileThatWasThere) {
  SimulatedDisk disk(1);
  const SimulatedDisk::Content precious(100, 7);
  const int descriptor = disk.create("LOG.0001", true);
  disk.write(descriptor, precious);
  DiskLog writer(disk, "LOG", kSegmentBytes);
  for (const session::RecordBatch& commit : session().commits) writer.commit(commit);
  writer.commit({});
  EXPECT_TRUE(writer.state().failing);
  EXPECT_NE(writer.state().failure.find("LOG.0001: cannot be written: File exists"),
            std::string::npos);
  EXPECT_EQ(disk.content().at("LOG.0001"), precious);
  disk.remove("LOG.0001");
  writer.commit({});
  EXPECT_EQ(read(disk.content()).ticks, kTicks);
  EXPECT_TRUE(read(disk.content()).tail.closed);
}

// A file of another program that has the name of a temporary file is left as it is, and reported.
TEST(SegmentFiles, ReplacesNoFileByADraft) {
  SimulatedDisk disk(1);
  const SimulatedDisk::Content precious(100, 7);
  disk.write(disk.create("LOG.0001.tmp", true), precious);
  DiskLog writer(disk, "LOG", kSegmentBytes);
  for (const session::RecordBatch& commit : session().commits) writer.commit(commit);
  writer.commit({});
  EXPECT_TRUE(writer.state().failing);
  EXPECT_EQ(writer.state().failure, "LOG.0001.tmp: cannot be written: File exists");
  EXPECT_EQ(disk.content().at("LOG.0001.tmp"), precious);
  EXPECT_EQ(disk.content().size(), 2u);
  disk.remove("LOG.0001.tmp");
  writer.commit({});
  EXPECT_EQ(read(disk.content()).ticks, kTicks);
  EXPECT_TRUE(read(disk.content()).tail.closed);
}

// A temporary file of the log itself is replaced if it could not be removed.
TEST(SegmentFiles, GoesOnWithADraftOfItsOwn) {
  SimulatedDisk disk(1, {{2, Kind::no_space, true}});
  DiskLog writer(disk, "LOG", kSegmentBytes);
  writer.commit(session().commits[0]);
  EXPECT_TRUE(writer.state().failing);
  EXPECT_TRUE(disk.content().contains("LOG.tmp"));
  disk.set_faults({});
  writer.commit({});
  EXPECT_EQ(writer.state().durable.value, kTicksPerCommit);
  EXPECT_EQ(disk.content().size(), 1u);
}

// If records are missing, the writer counts the lost ticks and continues from a checkpoint.
TEST(SegmentFiles, SaysWhatItLost) {
  SimulatedDisk disk(1);
  DiskLog writer(disk, "LOG", std::size_t{1} << 20);
  const auto& commits = session().commits;
  for (std::size_t i = 0; i < commits.size(); ++i) {
    if (i != 3) writer.commit(commits[i]);  // commit 3 has ticks 13 to 16
    if (i == 3) writer.skip_to_checkpoint();
  }
  EXPECT_FALSE(writer.state().skipping);
  EXPECT_EQ(writer.state().lost_ticks, 20u - 12);
  EXPECT_EQ(writer.state().durable.value, kTicks);
  EXPECT_EQ(disk.content().size(), 2u);
}

// If the disk fails and works again within one commit, the log continues at the next checkpoint of
// this commit. It does not wait for another commit, because this one may be the last.
TEST(SegmentFiles, WritesAllOnceTheDiskWorksAgain) {
  const auto& commits = session().commits;
  SimulatedDisk disk(1);
  DiskLog writer(disk, "LOG", std::size_t{1} << 20);
  writer.commit(commits[0]);
  disk.set_faults({{disk.calls() + 1, Kind::no_space, false}});
  writer.commit(commits[1]);
  EXPECT_TRUE(writer.state().failing);
  writer.skip_to_checkpoint();
  disk.set_faults({{disk.calls() + 1, Kind::no_space, false}});
  // The first checkpoint is not written, but the second is.
  writer.commit(joined(2, commits.size()));
  EXPECT_EQ(writer.state().failures, 2u);
  EXPECT_EQ(writer.state().lost_ticks, 20u - 8);
  EXPECT_FALSE(writer.state().failing);
  EXPECT_EQ(writer.state().durable.value, kTicks);
  const SimulatedDisk::Folder folder = disk.content();
  MemorySource first(folder.at("LOG"));
  session::LogReader log(first, segments_in(folder));
  ASSERT_TRUE(log.read_header());
  for (session::TickRecord record; log.next(record);) {
  }
  EXPECT_TRUE(log.tail().closed);
}

}  // namespace
}  // namespace orrery
