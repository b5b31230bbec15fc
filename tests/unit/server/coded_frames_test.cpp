// Tests mode delta from the world to the client, over networks that lose and reorder datagrams.
#include "server/senders/coded_frames.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "client/lib/connection.h"
#include "common/codec/delta/world_frame.h"
#include "tests/support/served_session.h"

namespace orrery {
namespace {

using test::address_of;
using test::Port;

// A client of mode delta or plain.
struct Viewer {
  Viewer(test::ServedSession& session, std::uint32_t host, bool delta)
      : port(session.network, address_of(host)),
        connection(port, session.token(host), session.now(), false, nullptr, delta) {}

  Port port;
  client::Connection connection;
};

struct Session : test::ServedSession {
  using ServedSession::ServedSession;

  Viewer& add(std::uint32_t host, bool delta = true) {
    return *viewers.emplace_back(std::make_unique<Viewer>(*this, host, delta));
  }

  // Runs ticks. Four times a tick, the clients receive and send.
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      network.now += net::kSecond / world.scene().tick_rate;
      server.tick(now());
      remember();
      for (const auto& viewer : viewers) test::update(viewer->connection, viewer->port, now());
      for (const auto& viewer : viewers) check(*viewer);
    }
  }

  // Keeps the rounded bodies of every tick.
  void remember() { codec::quantise(world, grid, truth[world.tick().value]); }

  // Checks that each body in the newest snapshot of a client equals the rounded body of the server,
  // in the tick from which it was taken. A whole snapshot must have all bodies of its tick.
  void check(const Viewer& viewer) {
    const client::Snapshot* const shown = viewer.connection.snapshots().newest();
    if (!shown || !shown->rounded) return;
    ++checked;
    for (const codec::BodyState& state : shown->bodies) {
      ASSERT_LE(state.tick, shown->tick);
      const codec::QuantisedBody& body = truth[state.tick.value].bodies[slot_of(state.id)];
      ASSERT_TRUE(body.present);
      ASSERT_EQ(state.id, body.id);
      ASSERT_EQ(state.prototype, body.prototype);
      ASSERT_EQ(state.position, position_of(grid, body));
      ASSERT_EQ(state.orientation, orientation_of(grid, body));
      ASSERT_TRUE(!shown->whole || state.tick == shown->tick);
    }
    if (!shown->whole) return;
    const auto& all = truth[shown->tick.value].bodies;
    ASSERT_EQ(static_cast<std::size_t>(std::count_if(
                  all.begin(), all.end(), [](const auto& body) { return body.present; })),
              shown->bodies.size());
  }

  std::uint64_t bytes_to(std::uint32_t host) {
    return network.sent_bytes[test::SimulatedNetwork::key(port.address())]
                             [test::SimulatedNetwork::key(address_of(host))];
  }

  const codec::Grid grid = codec::delta_scene_of(world.scene()).grid;
  std::map<std::uint64_t, codec::QuantisedFrame> truth;
  std::vector<std::unique_ptr<Viewer>> viewers;
  int checked = 0;
};

TEST(CodedFrames, ClientsSeeTheRoundedTruthWhateverIsLost) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    Session session(
        "playground", seed,
        {.loss_percent = 20, .duplicate_percent = 10, .delay_max = 90 * net::kMillisecond});
    session.server.snapshots().set_delta_level(static_cast<codec::DeltaLevel>(seed % 2));
    for (std::uint32_t host = 10; host < 13; ++host) session.add(host);
    session.run(400);
    EXPECT_GT(session.checked, 600);
    for (const auto& viewer : session.viewers) {
      ASSERT_NE(viewer->connection.snapshots().newest(), nullptr);
      EXPECT_TRUE(viewer->connection.snapshots().newest()->rounded);
      EXPECT_GT(viewer->connection.snapshots().newest()->tick.value, 370u);
      EXPECT_EQ(viewer->connection.counters().malformed, 0u);
    }
  }
}

// The first frame of `cubes` has more parts than the budget of a tick on such a path.
TEST(CodedFrames, AnUnsteadyPathGetsFramesToo) {
  for (const std::uint32_t loss : {0u, 3u}) {
    SCOPED_TRACE(loss);
    Session session("cubes", 1,
                    {.loss_percent = loss,
                     .delay_min = 33 * net::kMillisecond,
                     .delay_max = 66 * net::kMillisecond});
    session.add(10);
    session.run(400);
    const std::uint64_t before = session.bytes_to(10);
    session.run(300);
    EXPECT_TRUE(session.viewers[0]->connection.snapshots().newest()->rounded);
    EXPECT_LT(session.bytes_to(10) - before, 5 * 60000u);  // 60 kB/s
  }
}

// A frame is coded against one of a round trip ago, which both sides have kept.
TEST(CodedFrames, ALongPathGetsEachTick) {
  Session session("free:16", 1, {.delay_min = 350 * net::kMillisecond});
  Viewer& viewer = session.add(10);
  session.run(400);
  const int before = session.checked;
  std::set<std::uint64_t> ticks;
  for (int i = 0; i < 120; ++i) {
    session.run(1);
    ticks.insert(viewer.connection.snapshots().newest()->tick.value);
  }
  EXPECT_EQ(session.checked - before, 120);  // all rounded
  EXPECT_GT(ticks.size(), 110u);
}

// A frame has at most 255 parts. Without a baseline, this world needs more.
TEST(CodedFrames, AFrameOfTooManyPartsIsSentPlain) {
  Scene scene = built_in_scene("free:16384").value();
  scene.gravity = {};
  scene.snapshot_orientation_bits = 15;
  SplitMix64 random(1);
  for (BodyDef& body : scene.bodies) {
    body.position = {5000 * random.symmetric(), 5000 * random.symmetric(),
                     5000 * random.symmetric()};
  }
  Session session(scene);
  Viewer& viewer = session.add(10);
  for (int i = 0; i < 600 && !viewer.connection.snapshots().newest(); ++i) session.run(1);
  session.run(60);
  ASSERT_NE(viewer.connection.snapshots().newest(), nullptr);
  EXPECT_FALSE(viewer.connection.snapshots().newest()->rounded);
}

TEST(CodedFrames, NeedFarFewerBytesThanPlainSnapshots) {
  Session session("crates:20");
  session.add(10);
  session.add(11, false);
  session.run(60);
  const std::uint64_t delta = session.bytes_to(10), plain = session.bytes_to(11);
  session.run(240);
  EXPECT_LT(10 * (session.bytes_to(10) - delta), session.bytes_to(11) - plain);
}

// While the client was silent, the server forgot all frames that the client may still acknowledge.
// It then codes against the last frame that was acknowledged.
TEST(CodedFrames, AStallCostsNoPlainSnapshots) {
  Session session("playground");
  Viewer& viewer = session.add(10);
  session.run(60);
  ASSERT_TRUE(viewer.connection.snapshots().newest()->rounded);
  for (int i = 0; i < 120; ++i) {  // the client hears nothing
    session.network.now += net::kSecond / 60;
    session.server.tick(session.now());
    session.remember();
  }
  session.run(30);
  EXPECT_TRUE(viewer.connection.snapshots().newest()->rounded);
  EXPECT_EQ(viewer.connection.snapshots().newest()->tick, session.world.tick());
}

TEST(CodedFrames, AWorldAtRestCostsLittle) {
  Scene scene;
  scene.name = "rest";
  scene.bodies.resize(300);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    scene.bodies[i].position.x = 3 * static_cast<double>(i);
  }
  Session session(scene);
  session.add(10);
  session.run(60);
  const std::uint64_t before = session.bytes_to(10);
  session.run(600);
  EXPECT_LT(session.bytes_to(10) - before, 10 * 1000u);  // 1 kB/s
  EXPECT_GT(session.checked, 500);
}

// Bodies in a row, one unit apart, which fly upwards at different speeds. The client gets those
// within a distance of ten of its own.
TEST(CodedFrames, HaveTheBodiesWithinTheInterestRadius) {
  Scene scene;
  scene.name = "row";
  scene.interest_radius = 10.5;
  scene.bodies.resize(200);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    scene.bodies[i].position.x = static_cast<double>(i);
    scene.bodies[i].velocity.y = 0.01 * static_cast<double>(i % 7);
  }
  Session session(scene, 1, {.loss_percent = 5, .delay_max = 40 * net::kMillisecond});
  Viewer& viewer = session.add(10);
  session.run(60);
  const auto shown = [&] { return viewer.connection.snapshots().newest(); };
  ASSERT_EQ(shown()->bodies.size(), 200u);  // a client without bodies gets all
  viewer.connection.command(command::Grab{body_id(session.world, 100), {}, {100, 0, 0}});
  session.run(60);
  EXPECT_TRUE(shown()->rounded);
  ASSERT_EQ(shown()->bodies.size(), 21u);
  for (const codec::BodyState& body : shown()->bodies) EXPECT_EQ(body.tick, shown()->tick);
  viewer.connection.command(command::Release{});
  session.run(60);
  EXPECT_EQ(shown()->bodies.size(), 200u);
  EXPECT_TRUE(shown()->rounded);
}

}  // namespace
}  // namespace orrery
