// Tests plain snapshots from the world to the client. The server leaves out bodies that the client
// has. A complete snapshot nevertheless gives the client the present state of every body.
#include "server/senders/plain_snapshots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "client/lib/connection.h"
#include "common/codec/delta/delta_message.h"
#include "common/core/rng.h"
#include "common/world/step.h"
#include "tests/support/served_session.h"

namespace orrery {
namespace {

using test::address_of;
using test::Port;

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

// A world with one client. Parts and acknowledgements can be lost or late. If `selected` is not
// 0, the client gets selections of at most so many bodies.
struct Stream {
  explicit Stream(const Scene& scene, std::uint64_t seed = 1, std::size_t selected = 0)
      : random(seed), world(scene), snapshots(world), interest(world), most(selected) {
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
    if (most > 0) return select();
    if (!snapshots.is_due(kClient, {})) return;
    send(snapshots.encode(kClient));
    snapshots.note_sent(kClient, {});
  }

  void select() {
    const codec::SnapshotSelection selection =
        interest.select(kClient, most, snapshots.acknowledged(kClient, 12));
    if (!snapshots.is_selection_due(kClient, {}, selection.slots.empty())) return;
    codec::SnapshotEncoder encoder;
    encoder.encode(world, selection);
    send(encoder);
    snapshots.note_selection(kClient, {});
  }

  void send(codec::SnapshotEncoder& snapshot) {
    ++sent;
    for (codec::SnapshotPart& part : parts_of(snapshot)) {
      bodies_sent += part.bodies.size();
      under_way.push_back(std::move(part));
    }
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
    interest.acknowledge(kClient, buffer.complete());
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
  server::Interest interest;
  std::size_t most;
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

// Selections leave out bodies that the client has. It nevertheless ends with the present state of
// all bodies, although each part may be lost.
TEST(PlainSnapshots, SelectionsEndWithTheTruth) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Stream stream(resting(300), seed, 45);
    for (int i = 0; i < 900; ++i) {
      stream.tick(i < 400 && i % 20 == 0);
      stream.deliver(10, i % 3 == 0 ? 0 : 4);
    }
    const client::Snapshot* const shown = stream.buffer.newest();
    ASSERT_NE(shown, nullptr);
    const World& world = stream.world;
    EXPECT_EQ(shown->bodies.size(), world.bodies().count());
    for (const codec::BodyState& body : shown->bodies) {
      const std::uint32_t slot = slot_of(body.id);
      ASSERT_EQ(body.id, body_id(world, slot));
      const bool moves = world.bodies().velocity(slot) != Vec3{};
      const bool is_recent = body.tick.value + 30 > world.tick().value;
      EXPECT_TRUE(moves ? is_recent : body.position == world.bodies().position(slot));
    }
    EXPECT_LT(stream.bodies_sent, stream.sent * 45 / 2);  // many were left out
  }
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

// Returns the bytes a second that a client of a resting world gets, after five seconds.
double resting_bytes(test::LinkFaults faults) {
  test::ServedSession session(resting(901), 1, faults);
  Port port(session.network, address_of(10));
  client::Connection connection(port, session.token(10), session.now());
  const auto run = [&](int ticks) {
    for (int i = 0; i < ticks; ++i) {
      session.tick();
      test::update(connection, port, session.now());
    }
    return session.network.sent_bytes[test::SimulatedNetwork::key(session.port.address())]
                                     [test::SimulatedNetwork::key(address_of(10))];
  };
  const std::uint64_t before = run(300);
  const std::uint64_t after = run(600);
  EXPECT_NE(connection.snapshots().newest(), nullptr);
  EXPECT_EQ(connection.snapshots().newest()->bodies.size(), 901u);
  return static_cast<double>(after - before) / 10;
}

// Through a server and a client.
TEST(PlainSnapshots, AWorldAtRestCostsLittle) { EXPECT_LT(resting_bytes({}), 5000); }

// All 50 parts of a snapshot of all bodies never arrive together on this path.
TEST(PlainSnapshots, AWorldAtRestCostsLittleOnALossyPath) {
  EXPECT_LT(resting_bytes({.loss_percent = 5, .delay_min = 60 * net::kMillisecond}), 5000);
}

}  // namespace
}  // namespace orrery
