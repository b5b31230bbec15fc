// Owns the tests of a log that another program damages while it is written: that is noticed, and
// the log is whole again when the file is put back.
#include "common/host/segment_watch.h"

#include <gtest/gtest.h>

#include "common/host/log_segments.h"
#include "common/host/segment_writer.h"
#include "tests/support/segment_stream.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

using test::Found;
using test::kSegmentBytes;
using test::kTicks;
using test::kTicksPerCommit;
using test::read;
using test::session;
using test::SimulatedDisk;

// What another program may do to a file of a log that is being written.
enum class Harm { removed, replaced, cut, emptied };

void harm(SimulatedDisk& disk, const std::string& path, Harm how) {
  const std::size_t size = disk.content().at(path).size();
  if (how == Harm::cut) return disk.truncate(path, size - 1);
  if (how == Harm::emptied) return disk.truncate(path, 0);
  disk.remove(path);
  if (how == Harm::replaced) disk.write(disk.create(path, true), SimulatedDisk::Content(size, 7));
}

// At the next commit it is known, and the records go to the next segment: the log is whole again if
// somebody puts back what the file held.
TEST(SegmentWatch, NoticesThatTheFileItWritesIsDamaged) {
  const auto& commits = session().commits;
  for (const Harm how : {Harm::removed, Harm::replaced, Harm::cut, Harm::emptied}) {
    for (std::size_t at = 1; at < commits.size(); ++at) {
      SCOPED_TRACE("commit " + std::to_string(at) + ", harm " +
                   std::to_string(static_cast<int>(how)));
      SimulatedDisk disk(at);
      SegmentWriter writer(disk, "LOG", kSegmentBytes);
      for (std::size_t i = 0; i < at; ++i) writer.commit(commits[i]);
      const std::uint32_t segment = writer.state().segment;
      const std::string path = segment_path("LOG", segment);
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

// The records that come belong where they are.
TEST(SegmentWatch, NoticesThatAnEarlierSegmentIsDamaged) {
  const auto& commits = session().commits;
  for (const Harm how : {Harm::removed, Harm::cut, Harm::emptied}) {
    SimulatedDisk disk(1);
    SegmentWriter writer(disk, "LOG", kSegmentBytes);
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

// As segments are when they are packed; and a damage that comes later is noticed again.
TEST(SegmentWatch, AnEarlierSegmentMayBeReplaced) {
  const auto& commits = session().commits;
  SimulatedDisk disk(1);
  SegmentWriter writer(disk, "LOG", kSegmentBytes);
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

}  // namespace
}  // namespace orrery
