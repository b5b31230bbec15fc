// Tests a client of a slow or paused server that gives a command, or casts a ray, in every interval
// of the tick rate.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "tests/unit/client/played.h"

namespace orrery {
namespace {

using client::ClientPhase;

// A client, and a server with a lasting key: one with a fresh key might have started again.
struct LastingPlay {
  LastingPlay() : session("free:8") {
    session.access.key_is_fresh = false;
    lasting.emplace(session.world.scene(), session);
    session.client.disconnect(session.now());
    const auto tick = [this] { lasting->server.tick(session.now()); };
    session.run_client(2, tick);  // a token is accepted if it is newer than the server
    session.client.connect([this] { return session.next_token(); }, session.now());
    session.run_client(2, tick);
  }

  // Plays for a time. The server works as server/run/loop.cpp does: a tick is due in each interval,
  // it catches up at most four at once, and each tick takes 1/speed of an interval. `act()` is
  // called in each interval.
  template <class Act>
  void play(double seconds, double speed, Act act) {
    session.run_client(seconds, [&] {
      act();
      intervals += 1;
      if (due == 0) {
        due = static_cast<int>(std::min(4.0, intervals - ticked));
        ticked = intervals;
      }
      for (; due > 0 && intervals >= busy_until; --due) {
        lasting->server.tick(session.now());
        if (speed < 1) busy_until = std::max(busy_until, intervals) + 1 / speed;
      }
    });
  }

  // Lets the server pause for a time.
  template <class Act>
  void pause(double seconds, Act act) {
    session.run_client(seconds, [&] {
      act();
      intervals += 1;
    });
  }

  test::Played session;
  std::optional<test::ServedWorld> lasting;
  double intervals = 0;   // since the start
  double ticked = 0;      // of these, the last in which ticks were due
  double busy_until = 0;  // the interval in which the present tick is done
  int due = 0;            // ticks to catch up
};

// A player that gives a command in each interval.
struct SteadyPlay : LastingPlay {
  void give() {
    const command::Thrust thrust{BodyId{0}, {1, 0, 0}};
    const bool is_accepted = session.client.command(thrust, session.now());
    given += is_accepted;
    not_accepted += !is_accepted;
    waiting = std::max(waiting, given - lasting->server.inbox().counters().commands);
  }
  void play(double seconds, double speed) {
    waiting = not_accepted = 0;
    LastingPlay::play(seconds, speed, [this] { give(); });
  }

  std::uint64_t given = 0;
  std::uint64_t waiting = 0;       // the most commands that were in no tick yet
  std::uint64_t not_accepted = 0;  // by the client
};

// A second after a pause, no command waits any longer than before it.
TEST(PausedServer, LeavesNoBacklogOfCommands) {
  for (const double pause : {0.1, 0.25, 0.5, 1.0, 4.0, 10.0}) {
    SCOPED_TRACE(testing::Message() << "pause of " << pause << " s");
    SteadyPlay play;
    play.play(2, 1);
    const std::uint64_t usual = play.waiting;
    play.pause(pause, [&] { play.give(); });
    play.play(1, 1);
    play.play(5, 1);
    std::printf("pause of %g s: %llu wait\n", pause, static_cast<unsigned long long>(play.waiting));
    EXPECT_LE(play.waiting, usual + 1);
    EXPECT_EQ(play.not_accepted, 0u);
    EXPECT_EQ(play.session.client.stats().connections, 1u);
  }
}

TEST(PausedServer, ASlowOneTakesEachCommandInTheNextTicks) {
  for (const double speed : {0.2, 0.35, 0.5, 0.8, 1.0}) {
    SCOPED_TRACE(testing::Message() << "speed " << speed);
    SteadyPlay play;
    play.play(2, speed);
    play.play(10, speed);
    std::printf("speed %g: %llu wait\n", speed, static_cast<unsigned long long>(play.waiting));
    EXPECT_LE(static_cast<double>(play.waiting), 3 + 3 / speed);  // of three ticks
    EXPECT_EQ(play.not_accepted, 0u);
  }
}

// A second after a cut of the client's path, no command waits any longer than before it.
TEST(PausedServer, ACutLeavesNoBacklogOfCommands) {
  for (const double cut : {0.1, 0.25, 0.5, 1.0, 1.9, 4.0}) {
    SCOPED_TRACE(testing::Message() << "cut of " << cut << " s");
    SteadyPlay play;
    play.play(2, 1);
    const std::uint64_t usual = play.waiting;
    play.session.network.is_cut = true;
    play.play(cut, 1);
    play.session.network.is_cut = false;
    play.play(1, 1);
    play.play(5, 1);
    std::printf("cut of %g s: %llu wait\n", cut, static_cast<unsigned long long>(play.waiting));
    EXPECT_LE(play.waiting, usual + 1);
    EXPECT_EQ(play.not_accepted, 0u);
    EXPECT_EQ(play.session.client.stats().connections, 1u);
  }
}

// A ray in each interval of a pause would be a flood after it, for which a server ends the
// connection. Without the answers, such rays would be of no use either.
TEST(PausedServer, IsAskedForNoRays) {
  LastingPlay play;
  test::Played& session = play.session;
  std::uint64_t asked = 0;
  const auto ask = [&] {
    for (int i = 0; i < 2; ++i) {
      asked += session.client.cast_ray({0, 50, 0}, {0, -100, 0}, session.now()).has_value();
    }
  };
  ASSERT_TRUE(session.client.command(command::Thrust{BodyId{0}, {1, 0, 0}}, session.now()));
  play.play(1, 1, ask);
  EXPECT_GE(asked, 118u);
  asked = 0;
  play.pause(12, ask);
  EXPECT_LE(asked, 2 * 60 * 2u);  // until the silence was noticed, after two seconds
  EXPECT_EQ(session.client.phase(), ClientPhase::reconnecting);
  play.play(1, 1, [] {});
  EXPECT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
  EXPECT_EQ(session.client.stats().connections, 1u);
  asked = 0;
  play.play(1, 1, ask);
  EXPECT_GE(asked, 118u);
}

}  // namespace
}  // namespace orrery
