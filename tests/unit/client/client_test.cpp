// Tests the whole client against a server in one process: time, frames, commands, reconnects.
#include "client/lib/client.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "common/world/step.h"
#include "tests/unit/client/played.h"

namespace orrery {
namespace {

using client::ClientPhase;
using client::FrameMode;
using client::Quality;
using test::Played;

constexpr test::LinkFaults kBad = {.loss_percent = 5, .delay_max = 60 * net::kMillisecond};

TEST(Client, ConnectsKnowsTheSceneAndShowsBodiesNearThePresent) {
  for (const FrameMode mode :
       {FrameMode::interpolate, FrameMode::verlet, FrameMode::published_verlet}) {
    Played session("free:50", {}, kBad);
    session.mode = mode;
    session.run(3);
    ASSERT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
    ASSERT_NE(session.client.scene(), nullptr);
    EXPECT_EQ(session.client.scene()->bodies.size(), 50u);
    ASSERT_EQ(session.frame.poses->size(), 50u);
    const double age = static_cast<double>(session.world.tick().value) - session.frame.tick;
    EXPECT_GT(age, 0);
    EXPECT_LT(age, 12);
    for (const client::BodyPose& p : *session.frame.poses) {
      const std::uint32_t slot = slot_of(p.id);
      EXPECT_EQ(p.quality, Quality::interpolated);
      EXPECT_EQ(p.prototype, slot);
      const Vec3 back = age * session.world.tick_time() * session.world.bodies().velocity(slot);
      const Vec3 error = p.position - (session.world.bodies().position(slot) - back);
      EXPECT_LT(length(error), 0.5 * age * age * session.world.tick_time() * 2) << slot;
    }
  }
}

// The state that a follower shows is the server's at that tick, bit for bit.
TEST(Client, AFollowerShowsExactStates) {
  client::ClientOptions options;
  options.follow = true;
  Played session("boxes:60", options, {.delay_max = 60 * net::kMillisecond});
  session.mode = FrameMode::follow;
  session.run(4);
  ASSERT_NE(session.client.world(), nullptr) << session.client.problem();
  EXPECT_FALSE(session.client.stats().mismatch);
  EXPECT_GT(session.client.stats().ticks_checked, 100u);
  World replayed(session.world.scene());
  SerialExecutor serial;
  while (static_cast<double>(replayed.tick().value) < session.frame.tick) {
    // The only command is the join of the client, which moves nothing.
    step(replayed, {}, serial);
  }
  ASSERT_EQ(session.frame.poses->size(), replayed.bodies().count());
  for (const client::BodyPose& p : *session.frame.poses) {
    EXPECT_EQ(p.quality, Quality::exact);
    EXPECT_EQ(p.position, replayed.bodies().position(slot_of(p.id)));
  }
  session.mode = FrameMode::verlet;  // followers get smooth frames too
  session.run(1);
  EXPECT_EQ((*session.frame.poses)[0].quality, Quality::interpolated);
}

// Each datagram is delayed by up to 3.6 ticks. Commands on the fastest path wait at most for the
// 99th percentile of this jitter plus one tick.
TEST(Client, NinetyNinePercentOfCommandsArriveInTheTickTheyName) {
  constexpr int kCommands = 1000;
  const double jitter = 60.0 * static_cast<double>(kBad.delay_max) / net::kSecond;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Played session("free:8", {}, kBad, seed);
    const auto command = [&](int times) {
      double slack = 0;
      for (int i = 0; i < times; ++i) {
        session.client.command(command::Thrust{BodyId{0}, {1, 0, 0}}, session.now());
        slack += session.client.stats().command_slack / times;
        session.run(1.0 / 60);
      }
      return slack;
    };
    session.run(1);
    command(200);
    const std::uint64_t late_before = session.server.inbox().counters().late;
    EXPECT_LE(command(kCommands), 0.99 * jitter + 1);
    session.run(1);
    EXPECT_TRUE(session.client.stats().margin);
    EXPECT_EQ(session.server.inbox().counters().commands, 1200u);
    EXPECT_LE(session.server.inbox().counters().late - late_before, kCommands / 100u);
  }
}

// While the server pauses, bodies move on for 250 ms, then stop and are stale. When the server
// continues, the shown tick waits until the server has reached it: it does not go back.
TEST(Client, AStallIsHiddenThenShownThenOver) {
  Played session("free:8");
  session.run(2);
  session.run(0.15, false);
  EXPECT_EQ(session.pose(0)->quality, Quality::interpolated);
  session.run(0.85, false);
  ASSERT_NE(session.pose(0), nullptr);
  EXPECT_EQ(session.pose(0)->quality, Quality::stale);
  const Vec3 stopped = session.pose(0)->position;
  session.run(0.1, false);
  EXPECT_EQ(session.pose(0)->position, stopped);
  const double tick = session.frame.tick;
  session.run(0.1);
  EXPECT_EQ(session.frame.tick, tick);
  EXPECT_EQ(session.pose(0)->quality, Quality::interpolated);
  session.run(0.4);
  EXPECT_GT(session.frame.tick, tick);
  EXPECT_NEAR(session.frame.tick, static_cast<double>(session.world.tick().value), 8);
  EXPECT_EQ(session.client.stats().jumps, 0u);
}

// A server that is slow, and that pauses, takes each command of its client once, refuses or moves
// none, and lets none wait for long. Its client also gives commands during the pause. The server
// has a lasting key: one with a fresh key might have started again.
TEST(Client, CommandsToASlowServerWaitAtMostTwoTicks) {
  for (const double speed : {0.2, 0.35, 0.5, 0.8, 1.0}) {
    for (const double pause : {0.1, 0.5, 2.0, 4.0, 10.0}) {
      SCOPED_TRACE(testing::Message() << "speed " << speed << ", pause of " << pause << " s");
      Played session("free:8");
      session.access.key_is_fresh = false;
      test::ServedWorld lasting(session.world.scene(), session);
      const auto tick = [&] { lasting.server.tick(session.now()); };
      session.client.disconnect(session.now());
      session.run_client(2, tick);  // a token is accepted if it is newer than the server
      session.client.connect([&] { return session.next_token(); }, session.now());
      std::uint64_t given = 0;
      const auto give = [&] {
        const command::Thrust thrust{BodyId{0}, {1, 0, 0}};
        given += session.client.command(thrust, session.now()) ? 1 : 0;
      };
      const auto play = [&](double seconds) {
        double due = 0;
        session.run_client(seconds, [&] {
          due += speed;
          if (due < 1) return;
          due -= 1;
          tick();
          give();
        });
      };
      session.run_client(2, tick);
      play(2);
      EXPECT_LE(session.client.stats().margin.value_or(9), 2);
      session.run_client(pause, [&, ticks = 0]() mutable {
        if (ticks++ % 12 == 0) give();
      });
      play(pause < 10 ? 1 : 3);
      EXPECT_LE(session.client.stats().margin.value_or(9), 2);
      session.run_client(1, tick);
      EXPECT_EQ(lasting.server.inbox().counters().commands, given);
      EXPECT_EQ(session.client.connection()->commands().acknowledged().value, given);
      EXPECT_EQ(lasting.server.inbox().counters().too_early, 0u);
      EXPECT_EQ(session.client.stats().refused, 0u);
      EXPECT_EQ(session.client.stats().connections, 1u);
    }
  }
}

// A client that the server has dropped connects again with another token. Until then its bodies
// stay in their places, as stale.
TEST(Client, ALostConnectionIsMadeAgain) {
  Played session("playground");
  session.run(2);
  const std::uint64_t epoch = session.client.welcome().epoch;
  session.client_port.keep = true;  // holds its datagrams back: the server drops it after 5 s
  session.run(6);
  EXPECT_EQ(session.client.phase(), ClientPhase::reconnecting);
  EXPECT_FALSE(session.client.problem().empty());
  EXPECT_NE(session.client.failure(), client::ConnectFailure::none);
  ASSERT_FALSE(session.frame.poses->empty());
  EXPECT_EQ((*session.frame.poses)[0].quality, Quality::stale);
  EXPECT_FALSE(session.client.command(command::Release{}, session.now()));
  session.client_port.keep = false;
  session.run(12);
  EXPECT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
  EXPECT_TRUE(session.client.problem().empty());
  EXPECT_EQ(session.client.stats().connections, 2u);
  EXPECT_EQ(session.tokens, 1) << "it returns by a ticket";
  EXPECT_EQ(session.client.welcome().epoch, epoch);
  EXPECT_EQ((*session.frame.poses)[0].quality, Quality::interpolated);
}

TEST(Client, BodiesAreKeptForTenSecondsAndTheClientGivesUpLater) {
  client::ClientOptions options;
  options.reconnect = 15 * net::kSecond;
  Played session("free:8", options);
  session.run(2);
  session.run(12, false);  // five seconds of silence end the connection
  EXPECT_EQ(session.frame.poses->size(), 8u);
  session.run(5, false);
  EXPECT_TRUE(session.frame.poses->empty());
  session.run(20, false);
  EXPECT_EQ(session.client.phase(), ClientPhase::ended);
  EXPECT_FALSE(session.client.problem().empty());
}

// A server that crashed says nothing. Its clients show this long before they give the session up.
TEST(Client, NoticesACrashedServerWithinTwoSeconds) {
  for (const bool follow : {false, true}) {
    SCOPED_TRACE(follow);
    client::ClientOptions options;
    options.follow = follow;
    Played session("playground", options);
    session.run(2);
    session.run(1.9, false);
    EXPECT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
    session.run(0.15, false);
    EXPECT_EQ(session.client.phase(), ClientPhase::reconnecting);
    EXPECT_EQ(session.client.failure(), client::ConnectFailure::silent);
  }
}

// A source may have no token for a while, for example because a server must make it first.
TEST(Client, WaitsForATokenUntilTheTimeIsOver) {
  client::ClientOptions options;
  options.reconnect = 20 * net::kSecond;
  Played session("free:8", options);
  session.run(2);
  session.has_tokens = false;
  session.run(8, false);
  EXPECT_EQ(session.client.phase(), ClientPhase::reconnecting);
  session.has_tokens = true;
  session.run(1);
  EXPECT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
  session.has_tokens = false;
  session.run(24, false);
  EXPECT_EQ(session.client.phase(), ClientPhase::reconnecting);
  session.run(10, false);
  EXPECT_EQ(session.client.phase(), ClientPhase::ended);
  EXPECT_TRUE(session.client.problem().starts_with("the server at 0.0.0.1:4770 fell silent"))
      << session.client.problem();
}

TEST(Client, WithoutATokenItEndsWithTheReason) {
  Played session("free:8");
  session.run(2);
  session.gives_tokens = false;
  session.run(150, false);  // until its last ticket has expired
  EXPECT_EQ(session.client.phase(), ClientPhase::ended);
  EXPECT_TRUE(session.client.problem().starts_with("the server at 0.0.0.1:4770 fell silent"));
  EXPECT_EQ(session.client.failure(), client::ConnectFailure::silent);
  client::Client other(session.environment());
  other.connect([&] { return session.next_token(); }, session.now());
  EXPECT_EQ(other.phase(), ClientPhase::ended);
  EXPECT_EQ(other.problem(), "no token is left");
  EXPECT_EQ(other.failure(), client::ConnectFailure::no_token);
  other.connect(client::single_token(session.token(3)), session.now());
  EXPECT_EQ(other.failure(), client::ConnectFailure::none);
  other.update(session.now() + 10 * net::kSecond);
  EXPECT_EQ(other.phase(), ClientPhase::ended);  // it was never accepted
  EXPECT_TRUE(other.problem().starts_with("the server at 0.0.0.1:4770 did not answer: "))
      << other.problem();
}

// A program may draw the bodies for another ten seconds, and needs their shapes.
TEST(Client, ADisconnectKeepsTheSceneAndTheBodies) {
  for (const bool follow : {false, true}) {
    client::ClientOptions options;
    options.follow = follow;
    Played session("free:8", options);
    session.run(2);
    session.client.disconnect(session.now());
    EXPECT_EQ(session.client.phase(), ClientPhase::ended);
    EXPECT_EQ(session.client.connection(), nullptr);
    ASSERT_NE(session.client.scene(), nullptr);
    EXPECT_EQ(session.client.scene()->bodies.size(), 8u);
    EXPECT_EQ(session.client.frame(session.now()).poses->size(), 8u);
  }
}

// The caller may update the client rarely, never, or with times that jump. Poses stay finite.
TEST(Client, AnyTimesAndSilenceGiveFinitePoses) {
  Played session("playground", {}, kBad);
  session.run(1);
  SplitMix64 draw(5);
  for (int i = 0; i < 500; ++i) {
    const net::Nanoseconds jump = draw.below(4) == 0 ? draw.below(3'000'000'000u) : 5'000'000;
    session.network.now += jump;
    session.server.tick(session.now());
    if (draw.below(3) != 0) session.pump();
    const client::Frame frame =
        session.client.frame(draw.below(5) == 0 ? draw.below(1u << 31) : session.now());
    ASSERT_TRUE(std::isfinite(frame.tick));
    for (const client::BodyPose& p : *frame.poses) {
      ASSERT_TRUE(std::isfinite(length(p.position)));
      ASSERT_NEAR(p.orientation.w * p.orientation.w + p.orientation.x * p.orientation.x +
                      p.orientation.y * p.orientation.y + p.orientation.z * p.orientation.z,
                  1, 1e-6);
    }
  }
}

// A time before the last one ends no connection. If the clock was set back, the client continues.
TEST(Client, TimesThatGoBackDoNoHarm) {
  Played session("free:8");
  session.run(2);
  session.client.update(session.now() + 200 * net::kMillisecond);
  session.client.command(command::Release{}, session.now());
  session.client.update(session.now() - net::kMillisecond);
  session.run(1);
  EXPECT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
  session.client.update(3 * net::kSecond);  // far in the past
  session.client.update(4 * net::kSecond);
  EXPECT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
  EXPECT_EQ(session.client.stats().connections, 1u);
}

// If kWaitingMax datagrams wait for the caller, further ones are dropped, so memory is bounded.
TEST(SendQueue, HoldsAFewDatagramsInOrder) {
  host::SodiumCipher cipher;
  client::SendQueue queue({&cipher, [] { return 1; }, [] { return 2; }});
  std::uint8_t sent = 0;
  std::uint8_t taken = 0;
  const auto send = [&] { queue.send(test::address_of(1), std::array{sent++}); };
  for (int i = 0; i < 10'000; ++i) {
    send();
    if (i % 3 == 0) send();
    const auto datagram = queue.take();
    ASSERT_TRUE(datagram);
    ASSERT_EQ(datagram->bytes.size(), 1u);
    if (i < 700) {
      ASSERT_EQ(datagram->bytes[0], taken++);
    }
  }
  int left = 0;
  while (queue.take()) ++left;
  EXPECT_EQ(left, static_cast<int>(client::SendQueue::kWaitingMax) - 1);
}

}  // namespace
}  // namespace orrery
