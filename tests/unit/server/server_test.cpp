// Tests a whole session in one process: server, bots, a bad network, and the log.
#include "server/server.h"

#include <algorithm>
#include <memory>

#include "common/session/log_reader.h"
#include "common/session/replay/replay.h"
#include "common/world/fault_injector.h"
#include "gtest/gtest.h"
#include "tests/support/bots/seated_bot.h"
#include "tests/support/served_session.h"

namespace orrery {
namespace {

using test::address_of;
using test::MemorySource;
using test::Port;

// A session with bots.
struct Session : test::ServedSession {
  using ServedSession::ServedSession;

  void add_bot(std::uint64_t seed, bool plain = false) {
    const auto host = static_cast<std::uint32_t>(10 + bots.size());
    client::BotOptions options;
    options.seed = seed;
    options.plain = plain;
    bots.push_back(std::make_unique<test::SeatedBot>(*this, host, options));
  }

  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      tick();
      for (const auto& bot : bots) bot->update(now());
    }
  }

  std::vector<std::unique_ptr<test::SeatedBot>> bots;
};

void expect_verified(const std::vector<std::uint8_t>& bytes, std::uint64_t ticks) {
  MemorySource source(bytes);
  session::LogReader reader(source);
  const auto header = reader.read_header();
  ASSERT_TRUE(header.ok());
  auto world = session::initial_world(header.value());
  ASSERT_TRUE(world.ok());
  SerialExecutor serial;
  const session::Verification found =
      session::verify(reader, header.value(), world.value(), serial, [] {});
  EXPECT_TRUE(found.sound());
  EXPECT_EQ(found.verified, ticks);
}

TEST(Server, ASessionOnABadNetworkIsSoundAndItsLogVerifies) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session(
        "playground", seed,
        {.loss_percent = 10, .duplicate_percent = 10, .delay_max = 60 * net::kMillisecond});
    for (std::uint64_t i = 0; i < 4; ++i) session.add_bot(100 * seed + i);
    session.run(600);
    for (const auto& bot : session.bots) bot->bot->finish();
    session.run(120);
    for (const auto& bot : session.bots) {
      bot->stop(session.now());
      const client::BotReport report = bot->bot->report();
      EXPECT_TRUE(report.connected);
      EXPECT_EQ(report.problems, 0u) << report.first_problem;
      EXPECT_GT(report.snapshots, 200u);
      EXPECT_GT(report.commands, 100u);
      EXPECT_EQ(report.acknowledged, report.commands);
    }
    session.run(400);  // bots whose goodbye was lost time out
    EXPECT_EQ(session.server.endpoint().peers().count(), 0u);
    EXPECT_TRUE(session.world.controls().clients.empty());
    EXPECT_TRUE(session.world.controls().thrusts.empty());
    session.log.close();
    expect_verified(session.sink.bytes, 1120);
  }
}

// A snapshot has 134 parts, and one is sent in every third tick. At most 48 of its datagrams leave
// in one call.
TEST(Server, LargeWorldsArriveWhole) {
  Session session("free:2000");
  session.add_bot(1, true);
  session.run(120);
  const client::BotReport report = session.bots[0]->bot->report();
  EXPECT_GE(report.snapshots, 35u);
  EXPECT_EQ(report.incomplete, 0u);
  EXPECT_EQ(report.problems, 0u) << report.first_problem;
  EXPECT_GE(session.bots[0]->newest().bodies.size(), 2000u);
}

// Bodies in a row, one unit apart. A client with a body gets the bodies within a distance of ten.
TEST(Server, BeyondTheRegionNothingIsTold) {
  Scene scene;
  scene.name = "row";
  scene.interest_radius = 10;
  scene.bodies.resize(200);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    scene.bodies[i].position.x = static_cast<double>(i);
  }
  test::ServedSession session(scene);
  Port port(session.network, address_of(10));
  client::Connection connection(port, session.token(10), session.now(), false);
  const auto run = [&](int ticks) {
    for (int i = 0; i < ticks; ++i) {
      session.tick();
      test::update(connection, port, session.now());
    }
  };
  const auto seen = [&]() -> const std::vector<codec::BodyState>& {
    return connection.snapshots().newest()->bodies;
  };
  run(60);
  ASSERT_EQ(seen().size(), 200u);  // a client without bodies gets all
  ASSERT_TRUE(connection.command(command::Grab{body_id(session.world, 100), {}, {100, 0, 0}}));
  run(60);
  FaultInjector(session.world).state().bodies.set_velocity(91, {0, 1, 0});
  run(30);
  ASSERT_EQ(seen().size(), 21u);
  EXPECT_EQ(slot_of(seen().front().id), 90u);
  EXPECT_EQ(slot_of(seen().back().id), 110u);
  EXPECT_GT(seen()[1].position.y, 0.4);
}

// The selections for twelve clients examine 96,000 bodies. This is more than the server examines in
// one tick (kBodiesExaminedPerTick), but fewer than in the nine ticks between two snapshots.
TEST(Server, InLargeWorldsManyHaveTheirTurn) {
  Session session("free:8000", 1, {});
  for (std::uint32_t seed = 1; seed <= 12; ++seed) session.add_bot(seed, true);
  session.run(60);
  for (const auto& bot : session.bots) {
    const client::BotReport report = bot->bot->report();
    EXPECT_GE(report.snapshots, 4u);
    EXPECT_EQ(report.problems, 0u) << report.first_problem;
  }
}

// The 80 new clients wait in turn for their selections (snapshots of some bodies). The first client
// has the budget for all bodies, and still gets them in every tick.
TEST(Server, WhoIsSentAllWaitsForNobody) {
  Session session("free:900", 1, {});
  session.add_bot(1, true);
  session.run(240);
  const client::BotReport before = session.bots[0]->bot->report();
  for (std::uint32_t seed = 2; seed <= 81; ++seed) session.add_bot(seed, true);
  session.run(30);
  EXPECT_GE(session.bots[0]->bot->report().snapshots, before.snapshots + 29);
}

// The initial rate of the congestion control is too low for 900 bodies at 60 snapshots per second.
TEST(Server, OnAWidePathAllAreSentBeforeLong) {
  Session session("free:900", 1, {});
  session.add_bot(1, true);
  session.run(180);
  const client::BotReport before = session.bots[0]->bot->report();
  EXPECT_GT(before.selected, 10u);
  session.run(60);
  const client::BotReport after = session.bots[0]->bot->report();
  EXPECT_EQ(after.selected, before.selected);
  EXPECT_GE(after.snapshots, before.snapshots + 58);
}

// A path with 20 % loss gets the lowest rate: 25 datagrams per second, with 14 bodies each. The 500
// bodies are sent in turn, each once in 86 ticks. A body is older than seven turns only if six of
// its states in a row were lost. That happens for one of 500 bodies with a probability of 3 %. The
// client keeps no body that was removed.
TEST(Server, WhereThereIsNoRoomForAllNothingStarves) {
  Session session("free:500", 1, {.loss_percent = 20});
  session.add_bot(1, true);
  session.run(20 * 60);
  session.bots[0]->bot->finish();
  session.run(6 * 60);
  const client::BotReport report = session.bots[0]->bot->report();
  EXPECT_GT(report.selected, 100u);
  EXPECT_EQ(report.problems, 0u) << report.first_problem;
  EXPECT_LE(session.server.endpoint().peers()[ClientId{1}].budget.rate(),
            1.1 * net::CongestionControl::kRateMin);
  const client::Snapshot& newest = session.bots[0]->newest();
  ASSERT_EQ(newest.bodies.size(), session.world.bodies().count());
  for (const codec::BodyState& body : newest.bodies) {
    EXPECT_TRUE(contains(session.world, body.id));
    EXPECT_LE(session.world.tick().value - body.tick.value, 7 * 86u);
  }
}

TEST(Server, SnapshotsAreNoMoreThanAskedFor) {
  Session session("tumble");
  session.server.snapshots().limit(25);
  session.add_bot(1);
  session.run(120);
  const client::BotReport report = session.bots[0]->bot->report();
  EXPECT_GE(report.snapshots, 35u);  // in every third tick
  EXPECT_LE(report.snapshots, 40u);
  EXPECT_EQ(report.problems, 0u) << report.first_problem;
}

TEST(Server, StopTellsTheClients) {
  Session session("tumble");
  session.add_bot(1);
  session.run(30);
  ASSERT_EQ(session.bots[0]->client().phase(), client::ClientPhase::connected);
  session.server.stop(session.now());
  session.network.now += net::kSecond / 60;
  session.bots[0]->update(session.now());
  EXPECT_EQ(session.bots[0]->client().attempt().reason, EndReason::server_stopped);
}

// Clients may only see states that a replay of the log gives too.
TEST(Server, WhatTheLogDoesNotTakeNoClientHears) {
  Session session("tumble");
  session.add_bot(1);
  session.run(60);
  const Tick before = session.bots[0]->newest().tick;
  EXPECT_EQ(before, session.world.tick());
  session.sink.full = true;
  session.run(30);
  EXPECT_EQ(session.bots[0]->newest().tick, before);
}

// The pause is shorter than five seconds, the timeout of a client.
TEST(Server, APauseOfTheServerEndsNoConnection) {
  Session session("tumble");
  session.add_bot(1);
  session.run(60);
  // The client keeps running; its datagrams wait.
  for (int i = 0; i < 4 * 60; ++i) {
    session.network.now += net::kSecond / 60;
    session.bots[0]->bot->update(session.now());
  }
  session.run(2);
  EXPECT_EQ(session.server.endpoint().peers().count(), 1u);
  ASSERT_EQ(session.bots[0]->client().phase(), client::ClientPhase::connected);
  EXPECT_EQ(session.bots[0]->newest().tick, session.world.tick());
}

// A client that applies as many impulses of kImpulse to body 0 as possible without being
// disconnected. It sends nine packets per tick. The server reads four of them and drops the rest as
// `flood`. Each packet has 64 commands, as many as the inbox holds for a client.
class Flooder {
 public:
  Flooder(Session& session, std::uint32_t host)
      : port_(session.network, address_of(host)),
        client_(port_, session.token(host), session.now()) {}

  void update(net::Nanoseconds now) {
    net::drain(port_, [&](const net::Address& from, Bytes datagram) {
      const auto said = client_.receive(from, datagram, now);
      const bool told = said && said->type == net::MessageType::snapshot &&
                        codec::decode_snapshot_part(said->message, part_);
      if (told) acknowledged_ = std::max(acknowledged_, part_.report.input.value);
    });
    client_.update(now);
    for (std::uint32_t i = 0; i < kPackets && connected(); ++i) say(i, now);
  }

  bool connected() const { return client_.state() == net::ClientState::connected; }

  // In 600 ticks, 664 impulses give the body, of mass 1, the speed 83. The command limits allow a
  // speed of 200.
  static constexpr float kImpulse = 0.125;

 private:
  static constexpr std::uint32_t kPackets = net::kFloodPacketsPerTick - 1;

  void say(std::uint32_t packet, net::Nanoseconds now) {
    std::uint32_t sequence = acknowledged_ + packet * limits::kCommandsQueuedMax;
    for (codec::message::TimedCommand& timed : commands_) {
      const command::Impulse impulse{BodyId{0}, {kImpulse, 0, 0}};
      timed = {Tick{}, {client_.welcome().client, Sequence{++sequence}, impulse}};
    }
    message_.clear();
    EXPECT_EQ(codec::encode_input(commands_, message_), commands_.size());
    client_.send(net::MessageType::input, message_, now);
  }

  Port port_;
  net::ClientEndpoint client_;
  codec::SnapshotPart part_;
  std::uint32_t acknowledged_ = 0;
  std::vector<codec::message::TimedCommand> commands_ =
      std::vector<codec::message::TimedCommand>(limits::kCommandsQueuedMax);
  std::vector<std::uint8_t> message_;
};

// In W ticks the flooder gets W + 64 impulses, at most nine in each, however many it sends. The
// watcher gets every snapshot in time.
TEST(Server, AFloodOfCommandsMovesNothingFasterThanTime) {
  Session session("tumble");
  Port seat(session.network, address_of(51));
  client::Connection watcher(seat, session.token(51, {.role = Role::watch}), session.now());
  Flooder flooder(session, 50);
  std::uint64_t ticks = 0;  // in which the flooder may send
  for (int i = 0; i < 600; ++i) {
    session.tick();
    if (flooder.connected()) ++ticks;
    flooder.update(session.now());
    test::update(watcher, seat, session.now());
    const client::Snapshot* const seen = watcher.snapshots().newest();
    ASSERT_TRUE(i < 10 || (seen && seen->tick == session.world.tick())) << "at tick " << i;
    const physics::Bodies& bodies = session.world.bodies();
    const double impulses = bodies.velocity(0).x / bodies.inverse_mass(0) / Flooder::kImpulse;
    const double most = static_cast<double>(
        std::min(ticks * (1 + limits::kCommandsBurst), ticks + limits::kCommandsQueuedMax));
    ASSERT_NEAR(impulses, most, 1e-6) << "after " << ticks << " ticks";
  }
  EXPECT_TRUE(flooder.connected());
  EXPECT_GT(ticks, 590u);
  const auto& drops = session.server.endpoint().counters().drops;
  EXPECT_GT(drops[static_cast<std::size_t>(net::Drop::flood)], 5 * ticks / 2);
}

}  // namespace
}  // namespace orrery
