// Tests that commands arrive in the tick that they name, without naming one too far ahead.
#include "client/lib/command_clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "common/core/limits.h"
#include "common/core/rng.h"
#include "tests/unit/client/slow_server.h"

namespace orrery {
namespace {

double uniform(SplitMix64& draw) { return (draw.symmetric() + 1) / 2; }

using test::GivenCommand;
using test::SlowClient;
using test::SlowPath;
using test::SlowServer;

constexpr double kRate = SlowServer::kRate;

struct Outcome {
  double in_time = 0;  // share of the commands that arrived in the tick that they named
  double lead = 0;     // mean time from giving a command to the close of its tick, in ticks
};

Outcome play(const SlowPath& path, std::uint64_t seed, int seconds = 60) {
  const SlowServer server(seconds + 1, [](double) { return 1; }, {});
  SlowClient client(server, path, seed);
  client.run(seconds);
  Outcome outcome;
  int counted = 0;
  for (const GivenCommand& command : client.given) {
    if (command.at < 5) continue;
    ++counted;
    outcome.in_time += command.early() >= 0;
    outcome.lead += static_cast<double>(command.tick) - server.at(command.at);
  }
  outcome.in_time /= counted;
  outcome.lead /= counted;
  return outcome;
}

// The paths have up to four frames of jitter in each direction, and up to 5 % loss. On every path
// 99 % of the commands arrive in time. The mean lead is at most half the round trip, plus the 99th
// percentile of the jitter, plus one tick.
TEST(CommandClock, NinetyNinePercentArriveInTheTickTheyName) {
  constexpr double kJitter = 4 / kRate;
  constexpr double kOneWay = 0.04;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const auto& [jitter, loss] : {std::pair{0.0, 0.0}, {kJitter, 0.0}, {kJitter, 0.05}}) {
      if (jitter == 0 && seed > 1) continue;  // nothing is random
      SCOPED_TRACE(testing::Message()
                   << "seed " << seed << " jitter " << jitter << " loss " << loss);
      const Outcome outcome = play({kOneWay, kOneWay, jitter, loss}, seed, 30);
      EXPECT_GE(outcome.in_time, 0.99);
      EXPECT_LE(outcome.lead, kRate * (kOneWay + 0.99 * jitter) + 1 + 1e-6);
    }
  }
}

// On the first path, data takes longer to the server than back. Half the round trip would be too
// small a lead there.
TEST(CommandClock, APathThatIsSlowerThereThanBackIsNoticed) {
  EXPECT_GE(play({0.15, 0.01, 0.01, 0}, 1).in_time, 0.985);
  EXPECT_LE(play({0.01, 0.15, 0.01, 0}, 1).lead, kRate * 0.02 + 1.5);
}

// Plays on a server that changes from `begins` to `ends`. Expects the lead to be within two ticks
// of the best before, and from a second after it on. No command may name a tick that the server
// moves.
void expect_good_lead(const SlowServer& server, const SlowPath& path, double begins, double ends) {
  SlowClient client(server, path, 1);
  client.run(ends + 6);
  const double jitter = std::ceil(path.jitter * kRate);
  for (const GivenCommand& command : client.given) {
    EXPECT_LT(command.early(), limits::kCommandTicksAhead);
    const bool begun = command.arrived >= begins;
    if (command.at < 2 || (begun && command.at < ends + 1)) continue;
    EXPECT_LE(command.early(), 2 + jitter) << command.at - ends << " s after the change";
    EXPECT_GE(command.early(), -2) << command.at - ends << " s after the change";
  }
}

const SlowPath kPaths[] = {{0.001, 0.001, 0, 0}, {0.05, 0.05, 0, 0}, {0.03, 0.03, 0.03, 0.02}};

TEST(CommandClock, TheLeadIsRightASecondAfterTheServerBecameSlowerOrFaster) {
  for (const SlowPath& path : kPaths) {
    for (const double before : {0.2, 0.3, 0.5, 0.8, 0.95, 1.0}) {
      for (const double after : {0.2, 0.3, 0.5, 0.8, 0.95, 1.0}) {
        SCOPED_TRACE(testing::Message()
                     << "there in " << path.there << " s, speed " << before << ", then " << after);
        const auto speed = [&](double time) { return time < 5 ? before : after; };
        expect_good_lead(SlowServer(14, speed, {}), path, 5, 5);
      }
    }
  }
}

TEST(CommandClock, TheLeadIsRightASecondAfterAPauseOfTheServer) {
  for (const SlowPath& path : kPaths) {
    for (const double speed : {0.2, 0.5, 0.8, 1.0}) {
      for (const double pause : {0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0, 10.0}) {
        SCOPED_TRACE(testing::Message() << "there in " << path.there << " s, speed " << speed
                                        << ", pause of " << pause << " s");
        const SlowServer server(14 + pause, [&](double) { return speed; }, {5, pause});
        expect_good_lead(server, path, 5, 5 + pause);
      }
    }
  }
}

// A client of a large world gets few states a second, and fewer as the server gets slower. It needs
// five of them, and the time for which it uses a report.
TEST(CommandClock, TheLeadIsRightIfStatesAreFew) {
  for (const std::uint64_t every : {6u, 10u, 15u, 20u}) {
    for (const double before : {0.2, 0.5, 1.0}) {
      for (const double after : {0.2, 0.5, 1.0}) {
        for (const double jitter : {0.0, 0.03}) {
          SCOPED_TRACE(testing::Message() << "a state in " << every << " ticks, speed " << before
                                          << ", then " << after << ", jitter " << jitter);
          const SlowServer server(36, [&](double t) { return t < 16 ? before : after; }, {});
          SlowClient client(server, {0.05, 0.03, jitter, 0, every}, 1);
          client.run(35);
          const double slowest = std::min(before, after);
          const double known = 5 + 5 * static_cast<double>(every) / (kRate * slowest);
          for (const GivenCommand& command : client.given) {
            const bool is_changing = command.arrived >= 16 && command.at < 16 + known;
            if (command.at < known || is_changing) continue;
            EXPECT_NEAR(command.early(), 0, 2 + std::ceil(2 * jitter * kRate)) << command.at;
          }
        }
      }
    }
  }
}

TEST(CommandClock, TheLeadMovesSlowlyAndJumpsOnlyFar) {
  client::ServerClock server(kRate);
  client::CommandClock clock(kRate);
  for (std::uint32_t i = 0; i <= 12; ++i) server.arrived(Tick{988 + i}, 0.3 + i / kRate);
  clock.guess(0.1, 0, server, 0.5);
  Tick before = clock.give(Sequence{1}, server, 0.5);
  clock.reported(Sequence{1}, -3, server, 0.6);  // three ticks late: too little for a jump
  const Tick soon = clock.give(Sequence{2}, server, 0.6);
  EXPECT_LE(soon.value - before.value, 8u);
  clock.reported(Sequence{2}, -40, server, 0.7);
  const Tick jumped = clock.give(Sequence{3}, server, 0.7);
  EXPECT_GE(jumped.value - soon.value, 40u);
  EXPECT_GE(clock.give(Sequence{4}, server, 0.2), jumped);  // it never decreases
}

TEST(CommandClock, TheDelayHasLimits) {
  for (const auto& [min, max] : {std::pair{0.0, 120.0}, {5.0, 120.0}, {0.0, 1.0}}) {
    SplitMix64 draw(7);
    client::ServerClock server(kRate);
    client::CommandClock clock(kRate);
    clock.limit({min, max});
    clock.guess(0.1, 0, server, 0);
    for (std::uint32_t i = 1; i <= 600; ++i) {
      const double now = i / kRate;
      server.arrived(Tick{1000 + i}, now);
      const Tick tick = clock.give(Sequence{i}, server, now);
      const double arrival = 1000 + kRate * now + 3 + 4 * uniform(draw);
      clock.reported(Sequence{i}, static_cast<double>(tick.value) - arrival, server, now);
    }
    EXPECT_GE(clock.slack(), min - 0.1);
    EXPECT_LE(clock.slack(), std::min(max, 5.2) + 0.1);
  }
}

// While the server is silent, it may have paused. Commands do not name later and later ticks.
TEST(CommandClock, TheTickStandsStillWhileTheServerIsSilent) {
  client::ServerClock server(kRate);
  client::CommandClock clock(kRate);
  for (std::uint32_t i = 1; i <= 60; ++i) server.arrived(Tick{i}, i / kRate);
  clock.guess(0, 0, server, 1);
  EXPECT_LE(clock.give(Sequence{1}, server, 1.1).value, 60 + 0.1 * kRate + 2);
  EXPECT_GE(clock.give(Sequence{2}, server, 1.2).value, 60 + 0.2 * kRate);
  const Tick last = clock.give(Sequence{3}, server, 2);
  EXPECT_LE(last.value, 60 + 0.25 * kRate + 2);
  clock.reported(Sequence{3}, -60, server, 2);  // it says nothing about the path
  EXPECT_EQ(clock.give(Sequence{4}, server, 30), last);
}

// Named ticks are whole, so the leads of consecutive commands differ by up to a tick. The margin of
// a report belongs to the command with the least lead, although the newest has more.
TEST(CommandClock, AReportIsOfTheCommandWithTheLeastLead) {
  client::ServerClock server(kRate);
  client::CommandClock clock(kRate);
  for (std::uint32_t i = 1; i <= 60; ++i) server.arrived(Tick{i}, i / kRate);
  clock.guess(0.1, 0, server, 1);
  ASSERT_EQ(clock.give(Sequence{1}, server, 60.95 / kRate), Tick{68});
  ASSERT_EQ(clock.give(Sequence{2}, server, 61.05 / kRate), Tick{69});
  clock.reported(Sequence{2}, 0, server, 1.1);  // 7.05 ticks are enough
  for (std::uint32_t i = 61; i <= 120; ++i) server.arrived(Tick{i}, i / kRate);
  EXPECT_EQ(clock.give(Sequence{3}, server, 2), Tick{128});
}

// The round trip over a pause of the server says nothing of the path. The clock believes a longer
// one only if it lasts.
TEST(CommandClock, APauseBeforeTheFirstReportProlongsNoLead) {
  client::ServerClock server(kRate);
  client::CommandClock clock(kRate);
  const auto guess = [&](std::uint32_t first, std::uint32_t last, double start, double trip) {
    for (std::uint32_t i = first; i <= last; ++i) {
      const double now = start + i / kRate;
      server.arrived(Tick{i}, now);
      clock.guess(trip, trip / 2, server, now);
    }
    return clock.give(Sequence{last}, server, start + last / kRate).value - last;
  };
  EXPECT_LE(guess(1, 30, 0, 0.04), 9u);
  EXPECT_LE(guess(31, 60, 2, 0.5), 9u);
  EXPECT_GE(guess(61, 200, 2, 0.5), 90u);
}

// A server that pauses while a client connects makes the first round trip long.
TEST(CommandClock, APauseWhileItConnectsProlongsNoLead) {
  client::ServerClock server(kRate);
  client::CommandClock clock(kRate);
  for (std::uint32_t i = 1; i <= 6; ++i) {
    server.arrived(Tick{i}, 2 + i / kRate);
    clock.guess(1.8, 0.9, server, 2 + i / kRate);
  }
  EXPECT_LE(clock.give(Sequence{1}, server, 2 + 6 / kRate).value, 6u + 8u);
}

// The server may be slow. A named tick that it reaches late would hold up all later commands.
TEST(CommandClock, NamesNoTickUntilTheRateIsKnown) {
  client::ServerClock server(kRate);
  client::CommandClock clock(kRate);
  for (std::uint32_t i = 1; i <= 2; ++i) {
    server.arrived(Tick{i}, 0.1 * i);
    clock.guess(0.1, 0, server, 0.1 * i);
    EXPECT_EQ(clock.give(Sequence{i}, server, 0.1 * i), Tick{0});
  }
  server.arrived(Tick{3}, 0.3);
  clock.reported(Sequence{2}, -50, server, 0.3);  // they named no tick: ignored
  const Tick first = clock.give(Sequence{3}, server, 0.3);
  EXPECT_GE(first.value, 4u);
  EXPECT_LE(first.value, 6u);
}

TEST(CommandClock, AnyTimeAndReportGiveATick) {
  client::ServerClock server(kRate);
  client::CommandClock clock(kRate);
  for (std::uint32_t i = 1; i <= 5; ++i) server.arrived(Tick{i}, i / kRate);
  EXPECT_EQ(clock.give(Sequence{1}, server, 1), Tick{0});
  clock.reported(Sequence{1}, 3, server, 1);  // before anything is known: ignored
  clock.guess(0.1, 0, server, std::nan(""));
  EXPECT_EQ(clock.give(Sequence{2}, server, 1), Tick{0});
  clock.guess(0.1, 0, server, 1);
  const double infinity = std::numeric_limits<double>::infinity();
  Tick before = clock.give(Sequence{3}, server, 1);
  for (const double now : {1.0, -1e9, infinity, std::nan(""), 1e300, 2.0}) {
    clock.reported(Sequence{3}, 2000, server, now);
    clock.reported(Sequence{3}, -2000, server, now);
    const Tick tick = clock.give(Sequence{4}, server, now);
    EXPECT_GE(tick, before);
    before = tick;
  }
}

}  // namespace
}  // namespace orrery
