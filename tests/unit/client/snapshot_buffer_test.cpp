// Tests how parts become snapshots.
#include "client/lib/snapshot_buffer.h"

#include <algorithm>

#include "common/core/rng.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

codec::BodyState body_at(std::uint32_t slot, Tick tick) {
  codec::BodyState body;
  body.id = BodyId{slot};
  body.tick = tick;
  return body;
}

codec::SnapshotPart part_of(std::uint64_t tick, std::uint16_t part, std::uint16_t parts) {
  codec::SnapshotPart p;
  p.tick = Tick{tick};
  p.report.input = Sequence{static_cast<std::uint32_t>(tick)};
  p.part = part;
  p.parts = parts;
  for (std::uint32_t i = 0; i < 2; ++i) p.bodies.push_back(body_at(2u * part + i, p.tick));
  return p;
}

// Returns a part of a selection (a snapshot of some bodies), with the bodies in `slots`. Bit i of
// `present` says whether the client has a body in slot i after this snapshot.
codec::SnapshotPart selection_of(std::uint64_t tick, const std::vector<std::uint32_t>& slots,
                                 std::uint64_t present, std::uint16_t part = 0,
                                 std::uint16_t parts = 1) {
  codec::SnapshotPart p = part_of(tick, part, parts);
  p.bodies.clear();
  for (const std::uint32_t slot : slots) p.bodies.push_back(body_at(slot, p.tick));
  p.presence = codec::Presence{0, 1, {present}};
  return p;
}

// Returns slot and tick of each body.
std::vector<std::pair<std::uint32_t, std::uint64_t>> known(const client::SnapshotBuffer& buffer) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> known;
  if (!buffer.newest()) return known;
  for (const codec::BodyState& body : buffer.newest()->bodies) {
    known.emplace_back(slot_of(body.id), body.tick.value);
  }
  return known;
}

using Known = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

TEST(SnapshotBuffer, PutsPartsTogetherInAnyOrder) {
  SplitMix64 random(1);
  for (int round = 0; round < 100; ++round) {
    client::SnapshotBuffer buffer;
    std::vector<codec::SnapshotPart> parts;
    for (std::uint16_t i = 0; i < 6; ++i) parts.push_back(part_of(9, i, 6));
    for (std::size_t i = parts.size(); i > 1; --i) {
      std::swap(parts[i - 1], parts[random.below(static_cast<std::uint32_t>(i))]);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(buffer.insert(parts[i]) != nullptr, i + 1 == parts.size());
      EXPECT_EQ(buffer.newest() != nullptr, i + 1 == parts.size());
    }
    ASSERT_EQ(buffer.newest()->bodies.size(), 12u);
    for (std::uint32_t i = 0; i < 12; ++i) EXPECT_EQ(buffer.newest()->bodies[i].id, BodyId{i});
  }
}

TEST(SnapshotBuffer, DropsWhatCameBeforeOrIsOld) {
  client::SnapshotBuffer buffer;
  EXPECT_TRUE(buffer.insert(part_of(100, 0, 1)));
  EXPECT_FALSE(buffer.insert(part_of(100, 0, 1)));
  EXPECT_FALSE(buffer.insert(part_of(100 - limits::kSnapshotsBuffered, 0, 1)));
  EXPECT_EQ(buffer.counters().repeated, 2u);
  EXPECT_TRUE(buffer.insert(part_of(99, 0, 1)));
  EXPECT_EQ(buffer.newest()->tick, Tick{100});
}

TEST(SnapshotBuffer, GivesUpWhatANewerOneReplaces) {
  client::SnapshotBuffer buffer;
  buffer.insert(part_of(1, 0, 2));
  EXPECT_TRUE(buffer.insert(part_of(1 + limits::kSnapshotsBuffered, 0, 1)));
  EXPECT_EQ(buffer.counters().abandoned, 1u);
  EXPECT_FALSE(buffer.insert(part_of(1, 1, 2)));
  EXPECT_EQ(buffer.counters().complete, 1u);
}

TEST(SnapshotBuffer, CountsPartsThatContradictOneAnother) {
  client::SnapshotBuffer buffer;
  buffer.insert(part_of(1, 0, 2));
  EXPECT_FALSE(buffer.insert(part_of(1, 1, 3)));
  codec::SnapshotPart overlap = part_of(1, 0, 2);
  overlap.part = 1;
  EXPECT_FALSE(buffer.insert(overlap));
  EXPECT_EQ(buffer.counters().unsound, 2u);
  EXPECT_EQ(buffer.newest(), nullptr);
}

TEST(SnapshotBuffer, WhatIsSelectedIsMergedWithWhatWasKnown) {
  client::SnapshotBuffer buffer;
  buffer.insert(part_of(1, 0, 2));
  buffer.insert(part_of(1, 1, 2));
  const client::Snapshot* const snapshot = buffer.insert(selection_of(2, {1, 5}, 0b101011));
  ASSERT_NE(snapshot, nullptr);
  EXPECT_EQ(snapshot->tick, Tick{2});
  EXPECT_EQ(snapshot, buffer.newest());
  EXPECT_EQ(known(buffer), (Known{{0, 1}, {1, 2}, {3, 1}, {5, 2}}));  // slot 2 is empty
  EXPECT_EQ(buffer.counters().selected, 1u);
  ASSERT_NE(buffer.insert(part_of(3, 0, 1)), nullptr);  // all bodies
  EXPECT_EQ(known(buffer), (Known{{0, 3}, {1, 3}}));
}

TEST(SnapshotBuffer, WhatIsSelectedIsOfUseByItself) {
  client::SnapshotBuffer buffer;
  EXPECT_NE(buffer.insert(selection_of(1, {3}, 0b1000)), nullptr);
  EXPECT_EQ(known(buffer), (Known{{3, 1}}));
  EXPECT_EQ(buffer.insert(selection_of(2, {1}, ~0ull, 0, 3)), nullptr);  // the other parts are lost
  EXPECT_EQ(known(buffer), (Known{{3, 1}}));
  EXPECT_NE(buffer.insert(selection_of(3, {4}, ~0ull)), nullptr);
  EXPECT_EQ(known(buffer), (Known{{1, 2}, {3, 1}, {4, 3}}));
  EXPECT_EQ(buffer.insert(selection_of(2, {3}, ~0ull, 1, 3)), nullptr);  // tick 3 came first
  EXPECT_EQ(known(buffer), (Known{{1, 2}, {3, 1}, {4, 3}}));
  // Another part of tick 3, which arrives after the last part of its snapshot.
  EXPECT_EQ(buffer.insert(selection_of(3, {0}, ~0ull, 0, 2)), nullptr);
  EXPECT_NE(buffer.insert(selection_of(4, {}, ~0ull)), nullptr);
  EXPECT_EQ(known(buffer), (Known{{0, 3}, {1, 2}, {3, 1}, {4, 3}}));
}

TEST(SnapshotBuffer, SelectionsNeverTakeBackAWholeSnapshot) {
  client::SnapshotBuffer buffer;
  EXPECT_EQ(buffer.insert(selection_of(5, {1}, 0b10, 0, 2)), nullptr);
  EXPECT_NE(buffer.insert(part_of(6, 0, 1)), nullptr);
  EXPECT_EQ(buffer.insert(selection_of(5, {1}, 0b10, 1, 2)), nullptr);
  EXPECT_NE(buffer.insert(selection_of(7, {}, 0b11)), nullptr);
  EXPECT_EQ(known(buffer), (Known{{0, 6}, {1, 6}}));
}

TEST(SnapshotBuffer, RepeatedSelectionsAreCounted) {
  client::SnapshotBuffer buffer;
  const codec::SnapshotPart part = selection_of(1, {1}, 0b10, 0, 2);
  EXPECT_EQ(buffer.insert(part), nullptr);
  EXPECT_EQ(buffer.insert(part), nullptr);  // only a faulty server can send it twice
  EXPECT_EQ(buffer.insert(part), nullptr);
  EXPECT_EQ(buffer.counters().unsound, 1u);
  EXPECT_NE(buffer.insert(selection_of(2, {}, ~0ull)), nullptr);
  EXPECT_EQ(known(buffer), (Known{{1, 1}}));
}

TEST(SnapshotBuffer, SelectionsEndWhateverTheirPartsSay) {
  client::SnapshotBuffer buffer;
  for (int i = 0; i < 3; ++i) buffer.insert(selection_of(1, {1}, ~0ull, 0, 9));
  for (int i = 0; i < 100; ++i) buffer.insert(selection_of(1, {1}, ~0ull, 0, 2));
  EXPECT_EQ(buffer.counters().unsound, 100u);
}

// In each of four ticks, a selection has 5,000 bodies that no other selection has.
TEST(SnapshotBuffer, KnowsMoreBodiesThanAnySnapshotHas) {
  constexpr std::uint32_t kBodies = 20'000;
  constexpr std::uint16_t kParts = 500;
  static_assert(kBodies > limits::kSnapshotBodiesMax);
  client::SnapshotBuffer buffer;
  std::uint32_t slot = 0;
  for (std::uint64_t tick = 1; slot < kBodies; ++tick) {
    for (std::uint16_t part = 0; part < kParts; ++part) {
      std::vector<std::uint32_t> slots(10);
      for (std::uint32_t& s : slots) s = slot++;
      buffer.insert(selection_of(tick, slots, ~0ull, part, kParts));
    }
  }
  Known expected;
  for (std::uint32_t i = 0; i < kBodies; ++i) expected.emplace_back(i, 1 + i / 5000);
  EXPECT_TRUE(known(buffer) == expected);
  codec::SnapshotPart gone = selection_of(5, {}, 0);
  gone.presence->first = kBodies - kBodies % 64;
  buffer.insert(gone);
  expected.resize(gone.presence->first);
  EXPECT_TRUE(known(buffer) == expected);
}

// An incomplete snapshot of all bodies takes the place of the newest snapshot in the ring. The
// client must not forget the bodies of the newest snapshot.
TEST(SnapshotBuffer, WhatIsKnownOutlivesItsPlace) {
  client::SnapshotBuffer buffer;
  buffer.insert(part_of(10, 0, 1));
  buffer.insert(part_of(10 + limits::kSnapshotsBuffered, 0, 2));
  EXPECT_EQ(known(buffer), (Known{{0, 10}, {1, 10}}));
  EXPECT_NE(buffer.insert(selection_of(43, {1}, 0b11)), nullptr);
  EXPECT_EQ(known(buffer), (Known{{0, 10}, {1, 43}}));
}

// A frame of mode delta can also have only some bodies. If it is newer than a selection, a late
// part of the selection changes nothing.
TEST(SnapshotBuffer, SelectionsThatAreLateForAPartialFrameAreDropped) {
  client::SnapshotBuffer buffer;
  EXPECT_EQ(buffer.insert(selection_of(8, {0}, 0b11, 0, 2)), nullptr);
  client::Snapshot frame;
  frame.tick = Tick{9};
  frame.whole = false;
  frame.rounded = true;
  frame.bodies = {body_at(1, Tick{9})};
  EXPECT_NE(buffer.insert(frame), nullptr);
  EXPECT_EQ(buffer.insert(selection_of(8, {1}, 0b11, 1, 2)), nullptr);
  EXPECT_EQ(buffer.insert(selection_of(9, {1}, 0b11)), nullptr);
  EXPECT_EQ(known(buffer), (Known{{1, 9}}));
  EXPECT_TRUE(buffer.newest()->rounded);
  EXPECT_NE(buffer.insert(selection_of(10, {0}, 0b11)), nullptr);
  EXPECT_EQ(known(buffer), (Known{{0, 10}, {1, 9}}));
  EXPECT_FALSE(buffer.newest()->rounded);
}

// With any losses: each body has its newest received state, and no removed body remains.
TEST(SnapshotBuffer, ComesToTheTruthThroughLoss) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SplitMix64 random(seed);
    client::SnapshotBuffer buffer;
    std::uint64_t alive = random.next();
    std::vector<std::uint64_t> newest(64, 0);
    for (std::uint64_t tick = 1; tick <= 400; ++tick) {
      alive ^= 1ull << random.below(64);
      std::vector<std::uint32_t> slots;
      for (std::uint32_t slot = 0; slot < 64; ++slot) {
        if ((alive >> slot & 1) != 0 && random.below(6) == 0) slots.push_back(slot);
      }
      if (random.below(3) == 0) continue;  // lost
      for (const std::uint32_t slot : slots) newest[slot] = tick;
      buffer.insert(selection_of(tick, slots, alive));
      for (const auto& [slot, at] : known(buffer)) {
        ASSERT_NE(alive >> slot & 1, 0u) << "seed " << seed << " tick " << tick;
        ASSERT_EQ(at, newest[slot]) << "seed " << seed << " tick " << tick;
      }
      for (std::uint32_t slot = 0; slot < 64; ++slot) {
        if ((alive >> slot & 1) == 0) newest[slot] = 0;
      }
    }
  }
}

// A snapshot is complete if all of its parts came before parts of later ticks.
TEST(SnapshotBuffer, KnowsTheNewestCompleteSnapshot) {
  client::SnapshotBuffer buffer;
  EXPECT_EQ(buffer.complete(), Tick{});
  buffer.insert(part_of(1, 0, 2));
  EXPECT_EQ(buffer.complete(), Tick{});
  buffer.insert(part_of(1, 1, 2));
  EXPECT_EQ(buffer.complete(), Tick{1});
  buffer.insert(selection_of(2, {0}, 0xF, 1, 2));  // the part with the highest index came first
  EXPECT_EQ(buffer.complete(), Tick{1});
  buffer.insert(selection_of(2, {0}, 0xF, 1, 2));
  EXPECT_EQ(buffer.complete(), Tick{1});
  buffer.insert(selection_of(2, {1}, 0xF, 0, 2));
  EXPECT_EQ(buffer.complete(), Tick{2});
  buffer.insert(selection_of(3, {0}, 0xF, 0, 2));
  buffer.insert(selection_of(4, {0}, 0xF, 0, 2));
  buffer.insert(selection_of(3, {1}, 0xF, 1, 2));  // too late: a part of a later tick came before
  EXPECT_EQ(buffer.complete(), Tick{2});
  buffer.insert(selection_of(4, {1}, 0xF, 1, 2));
  EXPECT_EQ(buffer.complete(), Tick{4});
  buffer.insert(selection_of(5, {0}, 0xF, 0, 2));
  buffer.insert(selection_of(5, {1}, 0xF, 1, 3));  // claims another number of parts
  EXPECT_EQ(buffer.complete(), Tick{4});
}

}  // namespace
}  // namespace orrery
