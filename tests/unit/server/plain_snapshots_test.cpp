// Tests plain snapshots from the world to the client. The server leaves out bodies that the client
// has. A complete snapshot nevertheless gives the client the present state of every body.
#include "server/senders/plain_snapshots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "client/lib/snapshot_buffer.h"
#include "common/core/rng.h"
#include "common/world/fault_injector.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

constexpr ClientId kClient{1};

codec::SnapshotPart decoded(Bytes bytes) {
  alignas(8) std::array<std::uint8_t, limits::kMessageBytesMax> aligned;
  std::copy(bytes.begin(), bytes.end(), aligned.begin());
  codec::SnapshotPart part;
  EXPECT_TRUE(codec::decode_snapshot_part({aligned.data(), bytes.size()}, part));
  return part;
}

std::vector<codec::SnapshotPart> parts_of(codec::SnapshotEncoder& snapshot) {
  std::vector<codec::SnapshotPart> parts;
  for (std::size_t i = 0; i < snapshot.parts(); ++i) {
    parts.push_back(decoded(snapshot.part(i, {})));
  }
  return parts;
}

// Bodies in a row, which never move.
Scene resting(std::size_t count) {
  Scene scene;
  scene.name = "rest";
  scene.bodies.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    scene.bodies[i].position.x = 3 * static_cast<double>(i);
  }
  return scene;
}

// A world with one client. Parts and acknowledgements can be lost or late.
struct Stream {
  explicit Stream(const Scene& scene, std::uint64_t seed = 1)
      : random(seed), world(scene), snapshots(world) {
    world_step({Command{kServer, {}, command::Join{kClient, Role::admin}}});
  }

  void world_step(const std::vector<Command>& commands) { step(world, commands, executor); }

  // Steps the world, perhaps spawns or removes a body, and sends a snapshot if one is due.
  void tick(bool disturb) {
    std::vector<Command> commands;
    const std::uint32_t slot = random.below(world.bodies().slots());
    ++sequence.value;
    if (disturb && random.below(2) == 0) {
      commands.push_back({kClient, sequence, command::Spawn{1, {0, 9, 0}, {1, 0, 1}}});
    } else if (disturb && world.bodies().alive(slot)) {
      commands.push_back({kClient, sequence, command::Remove{body_id(world, slot)}});
    }
    world_step(commands);
    if (!snapshots.is_due(kClient, {})) return;
    ++sent;
    for (codec::SnapshotPart& part : parts_of(snapshots.encode(kClient))) {
      bodies_sent += part.bodies.size();
      under_way.push_back(std::move(part));
    }
    snapshots.note_sent(kClient, {});
  }

  // Delivers parts in a random order, until at most `late` are left. Some are lost.
  void deliver(std::uint32_t loss_percent, std::size_t late) {
    while (under_way.size() > late) {
      std::swap(under_way[random.below(static_cast<std::uint32_t>(under_way.size()))],
                under_way.back());
      if (random.below(100) >= loss_percent) buffer.insert(under_way.back());
      under_way.pop_back();
    }
    if (random.below(100) < loss_percent || buffer.complete() == Tick{}) return;
    snapshots.acknowledge(kClient, buffer.complete());
  }

  // If the newest snapshot is complete and of this tick, the client has all bodies.
  void check() {
    const client::Snapshot* const shown = buffer.newest();
    if (!shown || buffer.complete() != world.tick() || shown->tick != world.tick()) return;
    ++checked;
    codec::SnapshotEncoder all;
    all.encode(world);
    auto body = shown->bodies.begin();
    for (const codec::SnapshotPart& part : parts_of(all)) {
      for (const codec::BodyState& expected : part.bodies) {
        ASSERT_NE(body, shown->bodies.end());
        ASSERT_EQ(body->id, expected.id);
        ASSERT_EQ(body->prototype, expected.prototype);
        ASSERT_EQ(body->position, expected.position);
        ASSERT_EQ(body->velocity, expected.velocity);
        ASSERT_EQ(body->orientation, expected.orientation);
        ASSERT_EQ(body->angular_velocity, expected.angular_velocity);
        ++body;
      }
    }
    ASSERT_EQ(body, shown->bodies.end());
  }

  SplitMix64 random;
  SerialExecutor executor;
  World world;
  server::PlainSnapshots snapshots;
  client::SnapshotBuffer buffer;
  std::vector<codec::SnapshotPart> under_way;
  Sequence sequence;
  std::size_t sent = 0, bodies_sent = 0, checked = 0;
};

TEST(PlainSnapshots, ClientsSeeTheTruthWhateverIsLost) {
  std::size_t sent = 0, possible = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Stream stream(built_in_scene("cubes").value(), seed);
    for (int i = 0; i < 400; ++i) {
      stream.tick(i % 20 == 0);
      // The server can leave out bodies only after a first snapshot has arrived completely.
      const std::uint32_t loss = i < 5 ? 0 : static_cast<std::uint32_t>(seed);
      stream.deliver(loss, i % 3 == 0 ? 0 : 4);
      stream.check();
    }
    EXPECT_GT(stream.checked, 20u);
    sent += stream.bodies_sent;
    possible += stream.sent * stream.world.bodies().count();
  }
  EXPECT_LT(sent, possible / 2);  // many were left out
}

TEST(PlainSnapshots, BodiesAtRestAreLeftOut) {
  Stream stream(resting(901));
  for (int i = 0; i < 120; ++i) {
    stream.tick(false);
    stream.deliver(0, 0);
    stream.check();
  }
  const std::size_t bodies = stream.bodies_sent, sent = stream.sent;
  for (int i = 0; i < 60; ++i) stream.tick(false);
  EXPECT_EQ(stream.bodies_sent - bodies, 0u);
  EXPECT_EQ(stream.sent - sent, 10u);  // ten a second
}

// Negative control: acknowledgements of a tick without a snapshot, or with one that was sent long
// ago.
TEST(PlainSnapshots, OtherAcknowledgementsAreIgnored) {
  Stream stream(resting(901));
  for (int i = 0; i < 120; ++i) stream.tick(false);
  const auto acknowledge = [&](std::uint64_t tick) {
    stream.snapshots.acknowledge(kClient, Tick{tick});
  };
  const auto bodies = [&] {
    const std::size_t before = stream.bodies_sent;
    stream.tick(false);
    return stream.bodies_sent - before;
  };
  acknowledge(stream.world.tick().value + 1);
  EXPECT_EQ(bodies(), stream.world.bodies().count());
  acknowledge(stream.world.tick().value - 64);
  EXPECT_EQ(bodies(), stream.world.bodies().count());
  acknowledge(stream.world.tick().value);
  // Before the first acknowledgement of any client, the server keeps no earlier states. It
  // therefore sends all bodies once more.
  EXPECT_EQ(bodies(), stream.world.bodies().count());
  acknowledge(stream.world.tick().value);
  EXPECT_EQ(bodies(), 0u);
}

// A body that is changed and changed back between two acknowledgements of the client is sent again.
TEST(PlainSnapshots, ThereAndBackIsAChange) {
  Stream stream(resting(100));
  const auto tick = [&](ClientId client, double height) {
    FaultInjector(stream.world).state().bodies.set_position(7, {21, height, 0});
    stream.world_step({});
    std::size_t bodies = 0;
    if (!stream.snapshots.is_due(client, {})) return bodies;
    for (const auto& part : parts_of(stream.snapshots.encode(client))) bodies += part.bodies.size();
    stream.snapshots.note_sent(client, {});
    return bodies;
  };
  const ClientId other{2};
  EXPECT_EQ(tick(other, 0), 100u);
  stream.snapshots.acknowledge(other, stream.world.tick());
  EXPECT_EQ(tick(other, 0), 100u);
  stream.snapshots.leave(other);
  EXPECT_EQ(tick(kClient, 1), 100u);
  const Tick sent = stream.world.tick();
  EXPECT_EQ(tick(kClient, 0), 100u);
  stream.snapshots.acknowledge(kClient, sent);
  EXPECT_EQ(tick(kClient, 0), 1u);
}

}  // namespace
}  // namespace orrery
