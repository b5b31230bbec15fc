// Tests plain snapshots through a server and a client, on paths that lose and delay datagrams.
#include "server/senders/snapshot_sender.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "client/lib/connection.h"
#include "common/core/rng.h"
#include "common/world/fault_injector.h"
#include "tests/support/served_session.h"

namespace orrery {
namespace {

using test::address_of;
using test::Port;

constexpr std::uint32_t kOwn = 5;  // slot of the client's own body

// Bodies in a row, which never move by themselves.
Scene resting(std::size_t count, double radius = 0) {
  Scene scene;
  scene.name = "rest";
  scene.interest_radius = radius;
  scene.bodies.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    scene.bodies[i].position.x = 3 * static_cast<double>(i);
  }
  if (radius > 0) {
    scene.bodies[kOwn].control = Control::owner;
    scene.bodies[kOwn].owner = 1;
  }
  return scene;
}

// A server and a client of mode plain.
class Play {
 public:
  Play(const Scene& scene, test::LinkFaults faults, std::uint64_t seed = 1)
      : session_(scene, seed, faults) {
    join();
  }

  World& world() { return session_.world; }

  // Acknowledges a tick as if the client had.
  void acknowledge(std::uint64_t tick) {
    std::vector<std::uint8_t> message;
    codec::encode_frame_ack(Tick{tick}, message);
    EXPECT_TRUE(session_.server.snapshots().acknowledge(ClientId{1}, message));
  }

  // Connects a client, in the place of the one before.
  void join() {
    if (connection_) connection_->disconnect(session_.now());
    for (int i = 0; i < 60; ++i) session_.tick();
    port_.emplace(session_.network, address_of(++host_));
    connection_.emplace(*port_, session_.token(host_), session_.now());
  }

  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      session_.tick();
      test::update(*connection_, *port_, session_.now());
    }
  }

  // Runs on a path that has room for all changes. If a snapshot arrives completely in its tick, the
  // client has all bodies.
  void run_checked(int ticks) {
    for (; ticks > 0; --ticks) {
      run(1);
      const client::SnapshotBuffer& shown = connection_->snapshots();
      if (shown.newest()->tick != world().tick() || shown.complete() != world().tick()) continue;
      ++complete_;
      check_truth();
    }
  }
  // Returns how many did.
  int complete() const { return complete_; }

  // Runs while nothing reaches the client, and nothing comes from it.
  void run_cut_off(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      session_.tick();
      net::drain(*port_, [](const net::Address&, Bytes) {});
    }
  }

  // Returns the bytes that the server has sent to the client.
  std::uint64_t bytes() {
    using Network = test::SimulatedNetwork;
    return session_.network
        .sent_bytes[Network::key(session_.port.address())][Network::key(address_of(host_))];
  }

  // Returns true if the client has a body in this slot.
  bool shows(std::uint32_t slot) const {
    const std::vector<codec::BodyState>& bodies = connection_->snapshots().newest()->bodies;
    return std::any_of(bodies.begin(), bodies.end(),
                       [slot](const codec::BodyState& body) { return slot_of(body.id) == slot; });
  }

  // Checks that the client has each body of its region as it is, and no other.
  void check_truth() {
    const client::Snapshot* const shown = connection_->snapshots().newest();
    ASSERT_NE(shown, nullptr);
    auto body = shown->bodies.begin();
    for (std::uint32_t slot = 0; slot < world().bodies().slots(); ++slot) {
      if (!world().bodies().alive(slot) || !is_near(slot)) continue;
      ASSERT_NE(body, shown->bodies.end()) << slot;
      ASSERT_EQ(body->id, body_id(world(), slot));
      ASSERT_EQ(body->prototype, world().controls().prototypes[slot]);
      ASSERT_EQ(body->position, world().bodies().position(slot));
      ASSERT_LT(length(body->velocity - world().bodies().velocity(slot)), 1e-5);
      ASSERT_LT(length(body->angular_velocity - world().bodies().angular_velocity(slot)), 1e-5);
      ++body;
    }
    ASSERT_EQ(body, shown->bodies.end());
  }

 private:
  bool is_near(std::uint32_t slot) {
    const double radius = world().scene().interest_radius;
    const Vec3 way = world().bodies().position(slot) - world().bodies().position(kOwn);
    return radius == 0 || dot(way, way) <= radius * radius;
  }

  test::ServedSession session_;
  std::uint32_t host_ = 10;
  int complete_ = 0;
  std::optional<Port> port_;
  std::optional<client::Connection> connection_;
};

// Moves a body, removes it, or puts another in its place.
void disturb(World& world, SplitMix64& random) {
  const std::uint32_t slot = random.below(world.bodies().slots());
  FaultInjector injector(world);
  const std::uint32_t choice = random.below(4);
  if (choice == 0) {
    if (slot != kOwn && world.bodies().alive(slot)) remove_body(injector.state(), slot);
  } else if (choice == 1) {
    if (world.bodies().alive(slot)) return;
    ++injector.state().controls.generations[slot];
    create_body(injector.state(), slot, slot);
  } else {
    // often the own body: the region then moves
    const std::uint32_t moved = choice == 2 && random.below(4) == 0 ? kOwn : slot;
    const Vec3 to{3.0 * random.below(world.bodies().slots()), 9.0 * random.below(3), 0};
    if (world.bodies().alive(moved)) injector.state().bodies.set_position(moved, to);
  }
}

// Snapshots of all bodies, of changed bodies and of bodies by priority alternate, on paths with
// loss and jitter. Clients leave and others join.
TEST(SnapshotSender, APlainClientEndsWithTheTruth) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    SplitMix64 random(seed);
    const test::LinkFaults faults{.loss_percent = 4 * random.below(4),
                                  .duplicate_percent = 3,
                                  .delay_min = random.below(80) * net::kMillisecond,
                                  .delay_max = 60 * net::kMillisecond};
    Play play(resting(80 + random.below(900), seed % 2 == 0 ? 90 : 0), faults, seed);
    for (int i = 0; i < 120; ++i) {
      for (std::uint32_t n = random.below(6); n > 0; --n) disturb(play.world(), random);
      play.run(static_cast<int>(1 + random.below(9)));
      if (random.below(30) == 0) play.run_cut_off(60);
      if (random.below(60) == 0) play.join();
    }
    play.run(600);
    play.check_truth();
  }
}

// A complete snapshot gives the client the present state of every body, though the server leaves
// out bodies.
TEST(SnapshotSender, CompleteSnapshotsHaveTheTruthWhateverIsLost) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    SplitMix64 random(seed);
    Play play(resting(150), {.loss_percent = static_cast<std::uint32_t>(seed)}, seed);
    play.run(120);
    const std::uint64_t before = play.bytes();
    for (int i = 0; i < 60; ++i) {
      for (int n = 0; n < 6; ++n) disturb(play.world(), random);
      play.run_checked(5);
    }
    EXPECT_GT(play.complete(), 50);
    EXPECT_LT(play.bytes() - before, 300u * 10 * 1100 / 2);  // half of all bodies
  }
}

// Each tick has a snapshot until the client acknowledges one of them.
TEST(SnapshotSender, OtherAcknowledgementsAreIgnored) {
  Play play(resting(150), {});
  play.run(120);
  const auto is_sent = [&] {
    const std::uint64_t before = play.bytes();
    play.run_cut_off(1);
    return play.bytes() != before;
  };
  FaultInjector(play.world()).state().bodies.set_position(7, {21, 9, 0});
  const std::uint64_t moved = play.world().tick().value + 1;
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(is_sent()) << i;
  play.acknowledge(moved + 8);  // a tick without a snapshot
  EXPECT_TRUE(is_sent());
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(is_sent()) << i;
  play.acknowledge(moved);  // too long ago
  EXPECT_TRUE(is_sent());
  play.acknowledge(play.world().tick().value);
  EXPECT_FALSE(is_sent());
}

// A body that is removed while the path is cut off leaves soon after, wherever its slot is.
TEST(SnapshotSender, ABodyThatLeavesDuringAnOutageIsForgotten) {
  for (const std::uint32_t slot : {10u, 800u}) {
    for (int phase = 0; phase < 6; ++phase) {
      SCOPED_TRACE(testing::Message() << slot << ", " << phase);
      Play play(resting(901, 1e5), {});
      play.run(300 + phase);
      ASSERT_TRUE(play.shows(slot));
      remove_body(FaultInjector(play.world()).state(), slot);
      play.run_cut_off(150);
      play.run(30);
      EXPECT_FALSE(play.shows(slot));
    }
  }
}

// A removed body leaves at once, although the world has 40 parts of masks.
TEST(SnapshotSender, ABodyLeavesALargeWorldAtOnce) {
  Play play(resting(20'000), {});
  play.run(900);
  for (const std::uint32_t slot : {100u, 10'000u, 19'000u}) {
    ASSERT_TRUE(play.shows(slot));
    remove_body(FaultInjector(play.world()).state(), slot);
    play.run(60);
    EXPECT_FALSE(play.shows(slot)) << slot;
  }
}

// Returns the bytes a second that a client of a resting world gets, after five seconds.
double resting_bytes(test::LinkFaults faults) {
  Play play(resting(901), faults);
  play.run(300);
  const std::uint64_t before = play.bytes();
  play.run(600);
  play.check_truth();
  return static_cast<double>(play.bytes() - before) / 10;
}

TEST(SnapshotSender, AWorldAtRestCostsLittle) { EXPECT_LT(resting_bytes({}), 5000); }

// All 50 parts of a snapshot of all bodies never arrive together on this path.
TEST(SnapshotSender, AWorldAtRestCostsLittleOnALossyPath) {
  EXPECT_LT(resting_bytes({.loss_percent = 5, .delay_min = 60 * net::kMillisecond}), 5000);
}

}  // namespace
}  // namespace orrery
