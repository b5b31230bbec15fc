// Tests that damage by another program is noticed while a log is written. The log is whole again
// when the file is put back.
#include "common/host/disk/segment_watch.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "common/host/disk/log_segments.h"
#include "common/session/segment_start.h"
#include "common/session/writer/log_writer.h"
#include "tests/support/memory_log.h"
#include "tests/support/segment_stream.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

using test::DiskLog;
using test::Found;
using test::kSegmentBytes;
using test::kTicks;
using test::kTicksPerCommit;
using test::MemorySource;
using test::read;
using test::session;
using test::SimulatedDisk;

// The ways in which another program may damage a file of a log that is being written.
enum class Harm { removed, replaced, cut, emptied };

void harm(SimulatedDisk& disk, const std::string& path, Harm how) {
  const std::size_t size = disk.content().at(path).size();
  if (how == Harm::cut) return disk.truncate(path, size - 1);
  if (how == Harm::emptied) return disk.truncate(path, 0);
  disk.remove(path);
  if (how == Harm::replaced) disk.write(disk.create(path, true), SimulatedDisk::Content(size, 7));
}

// The next commit notices the damage, and the records go to the next segment. The log is whole
// again if somebody puts back the content of the file.
TEST(SegmentWatch, NoticesThatTheFileItWritesIsDamaged) {
  const auto& commits = session().commits;
  for (const Harm how : {Harm::removed, Harm::replaced, Harm::cut, Harm::emptied}) {
    for (std::size_t at = 1; at < commits.size(); ++at) {
      SCOPED_TRACE("commit " + std::to_string(at) + ", harm " +
                   std::to_string(static_cast<int>(how)));
      SimulatedDisk disk(at);
      DiskLog writer(disk, "LOG", kSegmentBytes);
      for (std::size_t i = 0; i < at; ++i) writer.commit(commits[i]);
      const std::uint32_t segment = writer.state().segment;
      const std::string path = host::segment_path("LOG", segment);
      const auto before = disk.content().at(path);
      harm(disk, path, how);
      EXPECT_EQ(writer.state().damage, "");
      writer.commit({});
      EXPECT_EQ(writer.state().damage.find(path + ": was "), 0u) << writer.state().damage;
      const Tick whole = writer.state().durable;
      for (std::size_t i = at; i < commits.size(); ++i) writer.commit(commits[i]);
      EXPECT_GT(writer.state().segment, segment);
      EXPECT_EQ(writer.state().durable, whole) << "the log ends there";
      EXPECT_GE(read(disk.content()).ticks, whole.value);
      SimulatedDisk::Folder repaired = disk.content();
      repaired[path] = before;
      const Found found = read(repaired);
      EXPECT_EQ(found.ticks, kTicks);
      EXPECT_TRUE(found.tail.closed && !found.tail.damaged) << found.tail.reason;
      if (HasFailure()) return;
    }
  }
}

// After damage to an earlier segment, the writer continues in its current segment.
TEST(SegmentWatch, NoticesThatAnEarlierSegmentIsDamaged) {
  const auto& commits = session().commits;
  for (const Harm how : {Harm::removed, Harm::cut, Harm::emptied}) {
    SimulatedDisk disk(1);
    DiskLog writer(disk, "LOG", kSegmentBytes);
    std::size_t at = 0;
    while (writer.state().segment < 2) writer.commit(commits[at++]);
    const auto before = disk.content().at("LOG.0001");
    harm(disk, "LOG.0001", how);
    writer.commit({});
    EXPECT_EQ(writer.state().damage.find("LOG.0001: was "), 0u) << writer.state().damage;
    EXPECT_EQ(writer.state().segment, 2u);
    const Tick whole = writer.state().durable;
    EXPECT_LT(whole.value, at * kTicksPerCommit);
    for (; at < commits.size(); ++at) writer.commit(commits[at]);
    EXPECT_EQ(writer.state().durable, whole);
    SimulatedDisk::Folder repaired = disk.content();
    EXPECT_GE(read(repaired).ticks, whole.value);
    repaired["LOG.0001"] = before;
    EXPECT_EQ(read(repaired).ticks, kTicks);
    EXPECT_TRUE(read(repaired).tail.closed);
  }
}

// Packing replaces the files of segments, which is no damage. Later damage to the new files is
// noticed.
TEST(SegmentWatch, AnEarlierSegmentMayBeReplaced) {
  const auto& commits = session().commits;
  SimulatedDisk disk(1);
  DiskLog writer(disk, "LOG", kSegmentBytes);
  std::size_t at = 0;
  while (writer.state().segment < 2) writer.commit(commits[at++]);
  for (const char* name : {"LOG", "LOG.0001"}) {
    disk.write(disk.create("packed", true), SimulatedDisk::Content(100, 7));
    disk.rename("packed", name, true);
  }
  for (int i = 0; i < 5; ++i) writer.commit({});
  EXPECT_EQ(writer.state().damage, "");
  EXPECT_EQ(writer.state().durable.value, at * kTicksPerCommit);
  disk.truncate("LOG", 99);
  writer.commit({});
  EXPECT_EQ(writer.state().damage,
            "LOG: was cut from 100 to 99 bytes by another program; put it back, or the log ends "
            "here");
  EXPECT_EQ(writer.state().durable.value, 0u);
}

// Number of rounds in which all segments of a log are checked, for up to 3,072 segments. Seven
// rounds take half a second.
constexpr int kRoundsForAll = 7;

// A log that one writer began and another has resumed on this disk.
struct Resumed {
  explicit Resumed(SimulatedDisk& disk) : writer(disk, "LOG", kSegmentBytes) {
    {
      DiskLog killed(disk, "LOG", kSegmentBytes);
      for (std::size_t i = 0; killed.state().segment < 2; ++i) killed.commit(session().commits[i]);
    }
    SerialExecutor executor;
    Result<host::ResumableLog> log = host::recover_log("LOG", executor, disk);
    if (!log) throw std::runtime_error(log.error().text());
    header = log.value().recovered.header;
    session::RecordBatch batch;
    const session::SessionLog records(batch, header, log.value().recovered.world);
    writer.commit(batch);
  }

  codec::LogHeader header;
  DiskLog writer;
};

// Returns the last tick before a segment.
Tick tick_before(const SimulatedDisk::Folder& folder, const std::string& name) {
  MemorySource source(folder.at(name));
  session::RecordStream stream(source);
  return session::read_start(stream).value().after_tick;
}

TEST(SegmentWatch, NoticesThatASegmentOfAnEarlierRunIsDamaged) {
  for (const std::string name : {"LOG", "LOG.0001", "LOG.0002"}) {
    for (const Harm how : {Harm::removed, Harm::cut, Harm::emptied}) {
      SCOPED_TRACE(name + ", harm " + std::to_string(static_cast<int>(how)));
      SimulatedDisk disk(1);
      Resumed log(disk);
      EXPECT_EQ(log.header.segment, 3u);
      EXPECT_EQ(log.writer.state().damage, "");
      const Tick before = tick_before(disk.content(), name);
      harm(disk, name, how);
      for (int i = 0; i < kRoundsForAll; ++i) log.writer.commit({});
      EXPECT_EQ(log.writer.state().damage.find(name + ": was "), 0u) << log.writer.state().damage;
      EXPECT_EQ(log.writer.state().durable, before);
      EXPECT_EQ(log.writer.state().segment, 3u);
    }
  }
}

TEST(SegmentWatch, ASegmentOfAnEarlierRunMayBeReplaced) {
  SimulatedDisk disk(1);
  Resumed log(disk);
  for (const char* name : {"LOG", "LOG.0001", "LOG.0002"}) {
    disk.write(disk.create("packed", true), SimulatedDisk::Content(100, 7));
    disk.rename("packed", name, true);
  }
  for (int i = 0; i < kRoundsForAll; ++i) log.writer.commit({});
  EXPECT_EQ(log.writer.state().damage, "");
  EXPECT_EQ(log.writer.state().durable, log.header.after_tick);
}

// The file LOG.0003 was begun and never used. Without it, the log is still whole.
TEST(SegmentWatch, AFileThatWasBegunInVainMayGo) {
  SimulatedDisk disk(1);
  disk.write(disk.create("LOG.0003", true), SimulatedDisk::Content{'O', 'R', 'R'});
  Resumed log(disk);
  EXPECT_EQ(log.header.segment, 4u);
  disk.remove("LOG.0003");
  for (int i = 0; i < kRoundsForAll; ++i) log.writer.commit({});
  EXPECT_EQ(log.writer.state().damage, "");
}

// A log with this many segments, all of them watched.
struct Watched {
  explicit Watched(std::uint32_t segments) {
    for (std::uint32_t i = 0; i < segments; ++i) {
      disk.close(disk.create(host::segment_path("LOG", i), true));
      watch.begin(i, Tick{i});
    }
  }

  // Removes a segment. Returns the number of rounds until that is noticed.
  int rounds_until_seen(std::uint32_t segment) {
    constexpr int kRoundsMax = 10'000;
    disk.remove(host::segment_path("LOG", segment));
    int rounds = 1;
    while (!watch.check() && rounds < kRoundsMax) ++rounds;
    return rounds;
  }

  SimulatedDisk disk{1};
  host::SegmentWatch watch{disk, "LOG"};
};

// A disk that can fail to show files.
struct DimDisk : SimulatedDisk {
  DimDisk() : SimulatedDisk(1) {}
  int look(const std::string& path, host::FileLook& found) override {
    return dim ? -EIO : SimulatedDisk::look(path, found);
  }
  bool dim = true;
};

TEST(SegmentWatch, AFileThatTheDiskDidNotShowAtFirstIsSound) {
  DimDisk disk;
  host::SegmentWatch watch(disk, "LOG");
  const int file = disk.create("LOG", true);
  watch.begin(0, Tick{0});
  EXPECT_FALSE(watch.check());
  disk.dim = false;
  disk.write(file, SimulatedDisk::Content(100, 7));
  watch.grow(100);
  EXPECT_FALSE(watch.check());
  disk.truncate("LOG", 99);
  EXPECT_TRUE(watch.check());
}

// The thread of a log makes 14 rounds a second, and checks some of the segments in each.
TEST(SegmentWatch, LooksAtAllSegmentsInHalfASecond) {
  Watched log(3000);
  for (const std::uint32_t segment : {2998u, 1500u, 0u, 2997u, 2999u}) {
    EXPECT_LE(log.rounds_until_seen(segment), kRoundsForAll) << segment;
  }
}

// A longer log takes more rounds.
TEST(SegmentWatch, LooksAtABoundedNumberOfSegmentsInARound) {
  Watched log(10'000);
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t before = log.disk.looks();
    EXPECT_FALSE(log.watch.check());
    EXPECT_LE(log.disk.looks() - before, 513u);
  }
  for (const std::uint32_t segment : {9998u, 5000u, 0u}) {
    EXPECT_LE(log.rounds_until_seen(segment), 20) << segment;
  }
}

}  // namespace
}  // namespace orrery
