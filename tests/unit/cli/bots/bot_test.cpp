// Tests bots of every kind against a server in one process, on a good or a bad network.
#include "client/cli/bots/bot.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/bots/seated_bot.h"
#include "tests/support/served_session.h"

namespace orrery {
namespace {

using client::BotKind;
using client::BotReport;

constexpr test::LinkFaults kBad = {
    .loss_percent = 5, .duplicate_percent = 5, .delay_max = 40 * net::kMillisecond};

// A server, and bots that are updated four times in a tick, as a program does.
struct Crowd : test::ServedSession {
  using ServedSession::ServedSession;

  test::SeatedBot& add(BotKind kind) {
    const auto host = static_cast<std::uint32_t>(10 + bots.size());
    client::BotOptions options;
    options.kind = kind;
    options.seed = host;
    return *bots.emplace_back(std::make_unique<test::SeatedBot>(*this, host, options));
  }

  void run(double seconds) {
    const auto ticks = static_cast<int>(seconds * world.scene().tick_rate);
    for (int i = 0; i < 4 * ticks; ++i) {
      network.now += net::kSecond / world.scene().tick_rate / 4;
      if (i % 4 == 0) server.tick(now());
      for (const auto& bot : bots) bot->update(now());
    }
  }

  void finish() {
    for (const auto& bot : bots) bot->bot->finish();
    run(1);
    for (const auto& bot : bots) bot->stop(now());
  }

  std::vector<std::unique_ptr<test::SeatedBot>> bots;
};

TEST(Bot, EveryKindPlaysOnABadNetworkWithoutAProblem) {
  for (const char* name : {"mixed", "idle", "wander", "throw", "push", "visit"}) {
    SCOPED_TRACE(name);
    Crowd crowd("playground", 1, kBad);
    ASSERT_TRUE(client::bot_kind(name));
    test::SeatedBot& seat = crowd.add(*client::bot_kind(name));
    crowd.run(12);
    crowd.finish();
    const BotReport report = seat.bot->report();
    EXPECT_TRUE(report.connected);
    EXPECT_EQ(report.problems, 0u) << report.first_problem;
    EXPECT_GT(report.snapshots, 300u);
    EXPECT_GT(report.frames, 300u);
    EXPECT_EQ(report.reconnects, 0u);
    const bool commands = std::string(name) != "idle";
    EXPECT_EQ(report.commands > 20, commands) << report.commands;
    const bool visits = std::string(name) == "visit";
    EXPECT_EQ(report.connections > 1, visits) << report.connections;
    if (!visits) {
      EXPECT_EQ(report.acknowledged, report.commands);
    }
  }
  EXPECT_FALSE(client::bot_kind("nobody"));
}

// A wanderer pushes its body.
TEST(Bot, AWandererMovesItsBody) {
  Crowd crowd("free:1");
  crowd.add(BotKind::wander);
  crowd.run(1);
  const Vec3 start = crowd.world.bodies().position(0);
  crowd.run(10);
  const double way = length(crowd.world.bodies().position(0) - start);
  EXPECT_GT(way, 0.1);
}

// Hostile bots are dropped for their floods, and come back. The others notice nothing.
TEST(Bot, HostileOnesHarmOnlyThemselves) {
  Crowd crowd("playground", 3, kBad);
  std::vector<test::SeatedBot*> hostile;
  for (int i = 0; i < 3; ++i) hostile.push_back(&crowd.add(BotKind::hostile));
  test::SeatedBot& honest = crowd.add(BotKind::mixed);
  crowd.run(60);
  crowd.finish();
  const BotReport report = honest.bot->report();
  EXPECT_EQ(report.problems, 0u) << report.first_problem;
  EXPECT_EQ(report.connections, 1u);
  EXPECT_GT(report.snapshots, 1500u);
  std::uint64_t reconnects = 0;
  for (const test::SeatedBot* seat : hostile) {
    EXPECT_TRUE(seat->bot->report().connected);
    EXPECT_EQ(seat->bot->report().problems, 0u);
    reconnects += seat->bot->report().reconnects;
  }
  EXPECT_GT(reconnects, 5u);
  const auto& drops = crowd.server.endpoint().counters().drops;
  for (const net::Drop cause :
       {net::Drop::malformed, net::Drop::flood, net::Drop::impostor, net::Drop::repeated}) {
    EXPECT_GT(drops[static_cast<std::size_t>(cause)], 0u) << static_cast<int>(cause);
  }
}

// A lost connection is restored and counted. It is a problem only if the bot does not come back.
TEST(Bot, ALostConnectionIsCountedAndOnlyTheLastIsAProblem) {
  Crowd crowd("tumble");
  test::SeatedBot& seat = crowd.add(BotKind::push);
  crowd.run(2);
  seat.port.keep = true;  // the bot's datagrams are held back, so the server drops it
  crowd.run(8);
  EXPECT_EQ(seat.bot->report().connections, 1u);
  seat.port.keep = false;
  crowd.run(8);
  EXPECT_EQ(seat.bot->report().connections, 2u);
  EXPECT_EQ(seat.bot->report().reconnects, 1u);
  EXPECT_EQ(seat.bot->report().problems, 0u) << seat.bot->report().first_problem;
  seat.port.keep = true;
  crowd.run(8);
  seat.stop(crowd.now());
  EXPECT_EQ(seat.bot->report().problems, 1u);
  EXPECT_NE(seat.bot->report().first_problem.find("lost the connection"), std::string::npos);
}

TEST(Bot, AnotherWorldIsAProblem) {
  Crowd crowd("tumble");
  client::BotOptions options;
  options.follow = true;
  options.fault = session::parse_fault("ulp@90:0.velocity.x").value();
  test::SeatedBot seat(crowd, 50, options);
  for (int i = 0; i < 240; ++i) {
    crowd.run(1.0 / 60);
    seat.update(crowd.now());
  }
  const BotReport report = seat.bot->report();
  EXPECT_EQ(report.hash_failures, 1u);
  EXPECT_NE(report.first_problem.find("tick 90: "), std::string::npos) << report.first_problem;
}

}  // namespace
}  // namespace orrery
