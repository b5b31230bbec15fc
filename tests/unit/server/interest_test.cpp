// Tests the choice of bodies for clients if not all of them fit.
#include "server/senders/interest.h"

#include <algorithm>
#include <set>

#include "common/core/rng.h"
#include "common/world/fault_injector.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

// Returns a world with a row of bodies that are one unit apart. Client 1 owns the bodies in `own`.
World row(std::uint32_t count, const std::set<std::uint32_t>& own, double radius) {
  Scene scene;
  scene.name = "row";
  scene.interest_radius = radius;
  for (std::uint32_t i = 0; i < count; ++i) {
    BodyDef body;
    body.position.x = i;
    if (own.count(i) != 0) {
      body.control = Control::owner;
      body.owner = 1;
    }
    scene.bodies.push_back(body);
  }
  return World(scene);
}

std::vector<std::uint32_t> selected(server::Interest& interest, std::size_t most,
                                    ClientId client = {1}) {
  const codec::SnapshotSelection selection = interest.select(client, most);
  EXPECT_TRUE(std::is_sorted(selection.slots.begin(), selection.slots.end()));
  EXPECT_LE(selection.slots.size(), most);
  return {selection.slots.begin(), selection.slots.end()};
}

TEST(Interest, NothingStarves) {
  SplitMix64 random(3);
  for (int round = 0; round < 20; ++round) {
    const std::uint32_t count = 50 + random.below(200);
    const std::size_t most = 1 + random.below(20);
    World world = row(count, {0, 7, 9}, 0);
    std::size_t gained = 3 * 64 + count;  // priority of all bodies per snapshot
    for (std::uint32_t slot = 0; slot < count; ++slot) {
      if (random.below(2) == 0) continue;
      FaultInjector(world).state().bodies.set_velocity(slot, {1, 0, 0});
      gained += 8;
    }
    server::Interest interest(world);
    for (std::uint32_t i = 0; i < 20 * count; ++i) selected(interest, most);  // all are known
    // A body at rest gains a priority of 1 per snapshot. While it waits for W snapshots, each of
    // the `most` bodies that are sent instead has at least the same priority. These priorities add
    // up to at least most * W^2 / 2. All bodies together gain only W * gained in that time.
    // Therefore W <= 2 * gained / most.
    const std::size_t bound = 2 * gained / most + 16;
    std::vector<std::size_t> last(count, 0);
    std::size_t longest = 0;
    for (std::size_t now = 1; now <= 2 * bound; ++now) {
      for (const std::uint32_t slot : selected(interest, most)) {
        longest = std::max(longest, now - last[slot]);
        last[slot] = now;
      }
    }
    for (const std::size_t then : last) longest = std::max(longest, 2 * bound - then);
    EXPECT_LE(longest, bound) << count << " bodies, " << most << " at a time";
  }
}

TEST(Interest, WhatIsOwnComesMostOftenThenWhatMoves) {
  World world = row(100, {50}, 0);
  for (std::uint32_t slot = 0; slot < 50; ++slot)
    FaultInjector(world).state().bodies.set_velocity(slot, {1, 0, 0});
  server::Interest interest(world);
  std::vector<int> times(100, 0);
  for (int i = 0; i < 1000; ++i) {
    for (const std::uint32_t slot : selected(interest, 10)) ++times[slot];
  }
  const int at_rest = *std::max_element(times.begin() + 51, times.end());
  const auto [least, most] = std::minmax_element(times.begin(), times.begin() + 50);
  EXPECT_GT(*least, 4 * at_rest);
  EXPECT_GT(times[50], 4 * *most);
  // The counts differ a little, because among equal priorities the lower slots come first.
  EXPECT_LE(*most - *least, *least / 10);
}

TEST(Interest, BeyondTheRegionNothingIsTold) {
  const World world = row(200, {20, 100}, 10);
  server::Interest interest(world);
  const codec::SnapshotSelection selection = interest.select(ClientId{1}, 1000);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t slot = 0; slot < 200; ++slot) {
    if ((slot >= 10 && slot <= 30) || (slot >= 90 && slot <= 110)) expected.push_back(slot);
  }
  EXPECT_TRUE(std::ranges::equal(selection.slots, expected));
  ASSERT_EQ(selection.presence.size(), 4u);
  for (std::uint32_t slot = 0; slot < 200; ++slot) {
    const bool told = (selection.presence[slot / 64] >> slot % 64 & 1) != 0;
    EXPECT_EQ(told, std::binary_search(expected.begin(), expected.end(), slot)) << slot;
  }
  // a client without bodies gets all
  EXPECT_EQ(selected(interest, 1000, ClientId{2}).size(), 200u);
}

TEST(Interest, WhatIsGrabbedIsOwn) {
  World world = row(200, {}, 10);
  SerialExecutor serial;
  const std::vector<Command> commands = {
      {ClientId{}, Sequence{1}, command::Join{ClientId{1}, Role::play}},
      {ClientId{1}, Sequence{1}, command::Grab{BodyId{150}, {}, {150, 0, 0}}}};
  step(world, commands, serial);
  server::Interest interest(world);
  EXPECT_EQ(selected(interest, 1000).size(), 21u);
}

// The world has more bodies than a snapshot may have. The client's own body comes first, although
// its slot is one of the last. Every other body is sent once before any is sent again.
TEST(Interest, OfAnyNumberAllHaveTheirTurn) {
  constexpr std::uint32_t kCount = limits::kSnapshotBodiesMax + 3000;
  constexpr std::uint32_t kOwn = kCount - 50;
  constexpr std::size_t kMost = 1000;
  const World world = row(kCount, {kOwn}, 0);
  server::Interest interest(world);
  std::vector<int> times(kCount, 0);
  for (std::size_t sent = 0; sent < kCount; sent += kMost - 1) {  // one may be the client's own
    for (const std::uint32_t slot : selected(interest, kMost)) ++times[slot];
    ASSERT_GE(times[kOwn], 1);
  }
  EXPECT_EQ(std::count(times.begin(), times.end(), 0), 0);
}

TEST(Interest, WhatIsNewComesFirst) {
  World world = row(100, {}, 0);
  server::Interest interest(world);
  for (int i = 0; i < 50; ++i) selected(interest, 10);
  FaultInjector injector(world);
  remove_body(injector.state(), 40);
  for (const std::uint32_t slot : selected(interest, 10)) EXPECT_NE(slot, 40u);
  create_body(injector.state(), 40, 40);
  const auto slots = selected(interest, 1);
  EXPECT_EQ(slots, std::vector<std::uint32_t>{40});
}

// A body that took the slot of another between two selections is new. Until it is sent, the
// presence mask of a selection tells the client that the slot is empty.
TEST(Interest, WhatComesInThePlaceOfAnotherIsNew) {
  World world = row(100, {}, 0);
  server::Interest interest(world);
  for (int i = 0; i < 50; ++i) selected(interest, 10);
  for (const std::uint32_t slot : {40u, 41u}) {
    FaultInjector injector(world);
    remove_body(injector.state(), slot);
    ++injector.state().controls.generations[slot];
    create_body(injector.state(), slot, slot);
  }
  const auto told = [](const codec::SnapshotSelection& s, std::uint32_t slot) {
    return (s.presence[slot / 64] >> slot % 64 & 1) != 0;
  };
  const codec::SnapshotSelection first = interest.select(ClientId{1}, 1);
  EXPECT_TRUE(std::ranges::equal(first.slots, std::vector<std::uint32_t>{40}));
  EXPECT_TRUE(told(first, 40));
  EXPECT_FALSE(told(first, 41));
  EXPECT_TRUE(told(first, 42));
  const codec::SnapshotSelection second = interest.select(ClientId{1}, 1);
  EXPECT_TRUE(std::ranges::equal(second.slots, std::vector<std::uint32_t>{41}));
  EXPECT_TRUE(told(second, 41));
}

TEST(Interest, WhoWasSentAllKnowsAll) {
  World world = row(100, {}, 0);
  server::Interest interest(world);
  interest.told_all(ClientId{1});
  const codec::SnapshotSelection selection = interest.select(ClientId{1}, 3);
  EXPECT_EQ(selection.slots.size(), 3u);
  EXPECT_EQ(selection.presence[0], ~std::uint64_t{0});
  EXPECT_EQ(selection.presence[1], (std::uint64_t{1} << 36) - 1);
}

// A client that acknowledges gets a body again only if the body changed, or if no acknowledgement
// came in time.
TEST(Interest, WhatIsAcknowledgedIsLeftOut) {
  World world = row(10, {}, 0);
  SerialExecutor serial;
  server::Interest interest(world);
  std::vector<Tick> changed(10, Tick{1});
  const auto slots = [&](std::size_t most) {
    step(world, {}, serial);
    const server::Acknowledged acknowledged{.changed = changed, .all = {}, .repeat_after = 5};
    const codec::SnapshotSelection selection = interest.select(ClientId{1}, most, acknowledged);
    EXPECT_EQ(selection.presence[0], (std::uint64_t{1} << 10) - 1);
    return std::vector<std::uint32_t>{selection.slots.begin(), selection.slots.end()};
  };
  EXPECT_EQ(slots(10).size(), 10u);
  const Tick first = world.tick();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(slots(10).empty());  // acknowledgements may be under way
  EXPECT_EQ(slots(4).size(), 4u);                              // none came
  interest.acknowledge(ClientId{1}, first);
  // The first selection had all bodies, but four were sent again later.
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(slots(10).empty());
  EXPECT_EQ(slots(10), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  interest.acknowledge(ClientId{1}, world.tick());
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(slots(10).empty());
  changed[7] = world.tick();
  EXPECT_EQ(slots(10), (std::vector<std::uint32_t>{7}));
  EXPECT_TRUE(slots(10).empty());
}

// After a body has left, all masks are sent twice, as many at once as there is room for.
TEST(Interest, MasksOfSlotsWithoutABodyComeSoon) {
  World world = row(1200, {}, 0);  // three parts of masks
  server::Interest interest(world);
  const auto parts = [&](std::size_t room) {
    const std::size_t least =
        interest.select(ClientId{1}, room * codec::kSelectionPartBodies).parts_min;
    interest.note_sent(ClientId{1}, least);
    return least;
  };
  for (int i = 0; i < 100; ++i) EXPECT_EQ(parts(20), 1u);
  EXPECT_FALSE(interest.owes_masks(ClientId{1}));
  remove_body(FaultInjector(world).state(), 40);
  EXPECT_EQ(parts(2), 2u);
  EXPECT_EQ(parts(20), 3u);
  EXPECT_TRUE(interest.owes_masks(ClientId{1}));
  EXPECT_EQ(parts(20), 1u);
  EXPECT_FALSE(interest.owes_masks(ClientId{1}));
}

TEST(Interest, MasksTakeTurns) {
  const World world = row(1200, {}, 0);  // 19 tiles: three turns
  server::Interest interest(world);
  std::vector<std::uint32_t> turns;
  for (int i = 0; i < 4; ++i) {
    turns.push_back(interest.select(ClientId{1}, 1).first_presence_part);
    interest.note_sent(ClientId{1}, 1);
  }
  EXPECT_EQ(turns, (std::vector<std::uint32_t>{0, 1, 2, 0}));
  interest.select(ClientId{1}, 1);  // not sent
  EXPECT_EQ(interest.select(ClientId{1}, 1).first_presence_part, 1u);
  interest.note_sent(ClientId{1}, 7);
  EXPECT_EQ(interest.select(ClientId{1}, 1).first_presence_part, (1 + 7) % 3u);
}

}  // namespace
}  // namespace orrery
