// Tests that the clock of a client follows a server that is slow, pauses or speeds up.
#include "client/lib/server_clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "common/core/rng.h"
#include "tests/unit/client/slow_server.h"

namespace orrery {
namespace {

using client::ServerClock;
using test::SlowServer;

constexpr double kRate = SlowServer::kRate;

// Feeds the states of a server to a clock, over a path with a delay of `back` and up to `jitter`
// more, in seconds. Loses a share of them. Calls `check(now)` after each arrival until `end`.
template <class Check>
void feed(ServerClock& clock, const SlowServer& server, double back, double jitter, double loss,
          std::uint64_t seed, double end, const Check& check) {
  SplitMix64 random(seed);
  const auto uniform = [&] { return (random.symmetric() + 1) / 2; };
  std::multimap<double, std::uint64_t> arrivals;
  for (std::uint64_t tick = 1; tick <= server.ticks(); ++tick) {
    const double at = server.sent(tick) + back + jitter * uniform();
    if (uniform() >= loss) arrivals.emplace(at, tick);
  }
  for (const auto& [at, tick] : arrivals) {
    if (at >= end) return;
    clock.arrived(Tick{tick}, at);
    check(at);
  }
}

// A server without jitter is followed within a tick, half a second after any change of its speed.
// The time from the closing of a tick to its state is part of the delay.
TEST(ServerClock, ATrendIsBelievedAtOnce) {
  for (const double before : {0.2, 0.5, 0.8, 1.0}) {
    for (const double after : {0.2, 0.3, 0.5, 0.8, 1.0}) {
      const auto speed = [&](double time) { return time < 5 ? before : after; };
      const SlowServer server(9, speed, {});
      ServerClock clock(kRate);
      feed(clock, server, 0.05, 0, 0, 1, 8, [&](double now) {
        if (now < 2 || (now > 5 && now < 5.6)) return;
        const double share = now < 5 ? before : after;
        const double step = share < 1 ? 1 / (kRate * share) : 0.0005;
        const double seen = std::floor(server.at(now - 0.05 - step + 1e-9));
        EXPECT_NEAR(clock.rate(), kRate * share, 0.02 * kRate) << before << " to " << after;
        EXPECT_NEAR(clock.at(now), seen, 1) << before << " to " << after << " at " << now;
      });
    }
  }
}

// A server that ends an overload makes up for ticks: here 6 ticks in two states, none of which is 2
// ticks before the line. Then it continues at its tick rate.
TEST(ServerClock, AJumpInSeveralStatesIsNoticed) {
  ServerClock clock(kRate);
  double now = 0;
  std::uint64_t tick = 0;
  const auto hear = [&](double seconds) {
    now += seconds;
    tick += 3;
    clock.arrived(Tick{tick}, now);
  };
  for (int i = 0; i < 40; ++i) hear(3 / 50.0);
  EXPECT_EQ(clock.since(), 3 / 50.0);
  hear(0.0225);
  EXPECT_EQ(clock.since(), 3 / 50.0);
  hear(0.0225);
  EXPECT_EQ(clock.since(), now);
  EXPECT_EQ(clock.rate(), kRate);
  for (int i = 0; i < 40; ++i) hear(3 / kRate);
  EXPECT_LT(clock.since(), now - 1.9);
}

// Jitter and loss do not change the rate of a server that keeps its tick rate.
TEST(ServerClock, JitterIsNoTrend) {
  const SlowServer server(40, [](double) { return 1; }, {});
  for (const double jitter : {0.01, 0.03, 0.1}) {
    int arrivals = 0;
    int wrong = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      ServerClock clock(kRate);
      feed(clock, server, 0.05, jitter, 0.1, seed, 39, [&](double now) {
        if (now < 2) return;
        ++arrivals;
        wrong += clock.rate() != kRate;
        EXPECT_NEAR(clock.at(now), server.at(now - 0.05), 3) << seed;
      });
    }
    EXPECT_LE(wrong, arrivals / 100) << jitter;
  }
}

// The states of a slow server are late, too. Its rate is measured all the same.
TEST(ServerClock, ASlowServerOnAPathWithJitterIsMeasured) {
  for (const double speed : {0.2, 0.5, 0.7}) {
    const SlowServer server(20, [&](double) { return speed; }, {});
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      ServerClock clock(kRate);
      feed(clock, server, 0.05, 0.03, 0.05, seed, 19, [&](double now) {
        if (now < 2) return;
        EXPECT_NEAR(clock.rate(), kRate * speed, 0.15 * kRate * speed) << speed << ' ' << seed;
      });
    }
  }
}

TEST(ServerClock, SilenceIsNoticedAndTheNextStateStartsAgain) {
  for (const double pause : {0.5, 1.0, 10.0}) {
    const SlowServer server(20 + pause, [](double) { return 1; }, {5, pause});
    ServerClock clock(kRate);
    feed(clock, server, 0.05, 0, 0, 1, 5.01, [](double) {});
    EXPECT_FALSE(clock.is_silent(5.2));
    EXPECT_TRUE(clock.is_silent(5.4));
    ServerClock after(kRate);
    feed(after, server, 0.05, 0, 0, 1, 10 + pause, [&](double now) {
      if (now <= 5.06 + pause) return;
      EXPECT_NEAR(after.since(), 5.05 + pause, 0.001);
      EXPECT_NEAR(after.at(now), std::floor(server.at(now - 0.0505 + 1e-9)), 1.01) << now;
    });
  }
}

// The server may send a state in some ticks only, and may have any tick rate.
TEST(ServerClock, FewStatesAreEnough) {
  for (const double tick_rate : {1.0, 10.0, 240.0}) {
    for (const std::uint64_t every : {1u, 3u, 20u}) {
      ServerClock clock(tick_rate);
      const double share = 0.5;
      for (std::uint64_t tick = every; tick <= 20 * every; tick += every) {
        const double now = static_cast<double>(tick) / (tick_rate * share);
        EXPECT_FALSE(tick > 3 * every && clock.is_silent(now)) << tick_rate << ' ' << every;
        clock.arrived(Tick{tick}, now);
        if (tick < 10 * every) continue;
        EXPECT_NEAR(clock.rate(), tick_rate * share, 1e-6 * tick_rate);
        EXPECT_NEAR(clock.at(now), static_cast<double>(tick), 1e-6);
      }
    }
  }
}

TEST(ServerClock, AnyTimeAndTickGiveAFiniteClock) {
  ServerClock clock(kRate);
  EXPECT_FALSE(clock.arrived(Tick{1}, std::nan("")));
  EXPECT_FALSE(clock.started());
  EXPECT_TRUE(clock.arrived(Tick{600}, 1e6));
  EXPECT_FALSE(clock.arrived(Tick{600}, 1e6 + 1));  // a repetition
  EXPECT_FALSE(clock.arrived(Tick{601}, 1e6 - 1));
  EXPECT_FALSE(clock.arrived(Tick{601}, std::numeric_limits<double>::infinity()));
  std::uint64_t tick = 601;
  for (const double now : {1e6, 1e6 + 1e-12, 1e6 + 0.01, 1e9, 1e15, 1e15 + 1, 1e300}) {
    EXPECT_TRUE(clock.arrived(Tick{tick}, now));
    EXPECT_TRUE(std::isfinite(clock.at(now)));
    EXPECT_GE(clock.rate(), ServerClock::kSlowest * kRate);
    EXPECT_LE(clock.rate(), ServerClock::kFastest * kRate);
    tick *= 16;
  }
}

}  // namespace
}  // namespace orrery
