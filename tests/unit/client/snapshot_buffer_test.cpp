// Owns the tests of how parts become snapshots.
#include "client/lib/snapshot_buffer.h"

#include <algorithm>

#include "common/core/rng.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

SnapshotPart part_of(std::uint64_t tick, std::uint16_t part, std::uint16_t parts) {
  SnapshotPart p;
  p.tick = Tick{tick};
  p.input = Sequence{static_cast<std::uint32_t>(tick)};
  p.part = part;
  p.parts = parts;
  p.bodies = {{BodyId{2u * part}, {}, {}, {}, {}}, {BodyId{2u * part + 1}, {}, {}, {}, {}}};
  return p;
}

TEST(SnapshotBuffer, PutsPartsTogetherInAnyOrder) {
  SplitMix64 random(1);
  for (int round = 0; round < 100; ++round) {
    SnapshotBuffer buffer;
    std::vector<SnapshotPart> parts;
    for (std::uint16_t i = 0; i < 6; ++i) parts.push_back(part_of(9, i, 6));
    for (std::size_t i = parts.size(); i > 1; --i) {
      std::swap(parts[i - 1], parts[random.below(static_cast<std::uint32_t>(i))]);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(buffer.insert(parts[i]), i + 1 == parts.size());
      EXPECT_EQ(buffer.newest() != nullptr, i + 1 == parts.size());
    }
    ASSERT_EQ(buffer.newest()->bodies.size(), 12u);
    for (std::uint32_t i = 0; i < 12; ++i) EXPECT_EQ(buffer.newest()->bodies[i].id, BodyId{i});
  }
}

TEST(SnapshotBuffer, DropsWhatCameBeforeOrIsOld) {
  SnapshotBuffer buffer;
  EXPECT_TRUE(buffer.insert(part_of(100, 0, 1)));
  EXPECT_FALSE(buffer.insert(part_of(100, 0, 1)));
  EXPECT_FALSE(buffer.insert(part_of(100 - limits::kSnapshotsBuffered, 0, 1)));
  EXPECT_EQ(buffer.counters().repeated, 2u);
  EXPECT_TRUE(buffer.insert(part_of(99, 0, 1)));
  EXPECT_EQ(buffer.newest()->tick, Tick{100});
  EXPECT_NE(buffer.find(Tick{99}), nullptr);
  EXPECT_EQ(buffer.find(Tick{98}), nullptr);
}

TEST(SnapshotBuffer, GivesUpWhatANewerOneReplaces) {
  SnapshotBuffer buffer;
  buffer.insert(part_of(1, 0, 2));
  EXPECT_TRUE(buffer.insert(part_of(1 + limits::kSnapshotsBuffered, 0, 1)));
  EXPECT_EQ(buffer.counters().abandoned, 1u);
  EXPECT_FALSE(buffer.insert(part_of(1, 1, 2)));
  EXPECT_EQ(buffer.counters().complete, 1u);
}

TEST(SnapshotBuffer, CountsPartsThatContradictOneAnother) {
  SnapshotBuffer buffer;
  buffer.insert(part_of(1, 0, 2));
  EXPECT_FALSE(buffer.insert(part_of(1, 1, 3)));
  SnapshotPart overlap = part_of(1, 0, 2);
  overlap.part = 1;
  EXPECT_FALSE(buffer.insert(overlap));
  EXPECT_EQ(buffer.counters().unsound, 2u);
  EXPECT_EQ(buffer.newest(), nullptr);
}

}  // namespace
}  // namespace orrery
