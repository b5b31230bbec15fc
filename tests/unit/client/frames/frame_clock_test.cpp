// Tests the playback clock: smooth, and close to the server.
#include "client/lib/frames/frame_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "common/core/rng.h"
#include "tests/unit/client/slow_server.h"

namespace orrery {
namespace {

using test::ShownFrame;
using test::SlowClient;
using test::SlowPath;
using test::SlowServer;

constexpr double kRate = SlowServer::kRate;

// A server that ticks at `pace` times its rate. Its network delays by 40 ms plus up to `jitter`
// seconds, and loses a share `loss` of the snapshots.
struct Network {
  double pace = 1;
  double jitter = 0;
  double loss = 0;
};

struct Outcome {
  // Figures of the frames after the first ten seconds. `missing` is the share of frames for which
  // no state at or after the shown tick had arrived. The other is the largest distance of the shown
  // tick from the server's tick.
  double missing = 0;
  double largest_lag = 0;
  double largest_lead = -1e9;  // largest lead of the shown tick over the newest arrived one
  double slowest = 1e9;        // ticks per second, from frame to frame
  double fastest = -1e9;
};

Outcome watch(const Network& network, std::uint64_t seed) {
  SplitMix64 draw(seed);
  client::FrameClock clock(kRate);
  Outcome outcome;
  std::vector<std::pair<double, std::uint64_t>> arrivals;
  for (std::uint64_t tick = 1; tick < 3600; ++tick) {
    const double late = network.jitter * (draw.symmetric() + 1) / 2;
    if ((draw.symmetric() + 1) / 2 < network.loss) continue;
    const double sent = 1000 + static_cast<double>(tick) / (kRate * network.pace);
    arrivals.emplace_back(sent + 0.04 + late, tick);
  }
  std::sort(arrivals.begin(), arrivals.end());
  double before = 0;
  double last_now = 0;
  double newest = 0;
  int frames = 0;
  auto next = arrivals.begin();
  for (double now = 1000.1; now < 1000 + 50 / network.pace;) {
    for (; next != arrivals.end() && next->first <= now; ++next) {
      clock.arrived(Tick{next->second}, next->first);
      newest = std::max(newest, static_cast<double>(next->second));
    }
    const double shown = clock.at(now);
    if (now > 1010) {
      ++frames;
      outcome.missing += shown > newest;
      outcome.largest_lead = std::max(outcome.largest_lead, shown - newest);
      const double server = (now - 1000) * kRate * network.pace;
      outcome.largest_lag = std::max(outcome.largest_lag, server - shown);
      const double speed = (shown - before) / (now - last_now);
      outcome.slowest = std::min(outcome.slowest, speed);
      outcome.fastest = std::max(outcome.fastest, speed);
    }
    before = shown;
    last_now = now;
    now += 0.002 + 0.015 * (draw.symmetric() + 1);
  }
  outcome.missing /= frames;
  return outcome;
}

// The delay covers the latency, the jitter, and two lost states in a row. It is a quantile of the
// last four seconds, so it varies by about a tick.
TEST(FrameClock, ShowsStatesThatHaveArrivedDespiteJitterAndLoss) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const auto& [jitter, loss] :
         {std::pair{0.0, 0.0}, {0.03, 0.0}, {0.03, 0.1}, {0.1, 0.05}}) {
      SCOPED_TRACE(testing::Message()
                   << "seed " << seed << " jitter " << jitter << " loss " << loss);
      const Outcome outcome = watch({1, jitter, loss}, seed);
      EXPECT_LT(outcome.missing, 0.01);
      EXPECT_LT(outcome.largest_lag, kRate * (0.04 + jitter) + (loss == 0 ? 2 : 5));
      EXPECT_GT(outcome.slowest, kRate * (1 - client::FrameClock::kSlew) - 1e-6);
      EXPECT_LT(outcome.fastest, kRate * (1 + client::FrameClock::kSlew) + 1e-6);
    }
  }
}

// Without jitter, the delay shrinks to little more than the interval between two states.
TEST(FrameClock, TheDelayAdaptsToTheRateOfStates) {
  for (const std::uint64_t interval : {1u, 3u, 6u}) {
    client::FrameClock clock(kRate);
    for (std::uint64_t tick = 0; tick < 6000; tick += interval) {
      const double now = static_cast<double>(tick) / kRate;
      clock.arrived(Tick{tick}, now);
      clock.at(now);
    }
    EXPECT_NEAR(clock.delay(), static_cast<double>(interval), 0.05) << interval;
  }
}

// The server's clock may be wrong by 5 %, and an overloaded server may tick at any lower rate.
TEST(FrameClock, AFastOrSlowServerIsFollowedWithoutAJump) {
  for (const double pace : {0.2, 0.3, 0.5, 0.7, 0.9, 0.95, 0.999, 1.001, 1.05}) {
    const Outcome outcome = watch({pace, 0.005, 0}, 3);
    EXPECT_LT(outcome.largest_lead, 1) << pace;
    EXPECT_LT(outcome.largest_lag, kRate * pace * 0.045 + 2.5) << pace;
    EXPECT_GT(outcome.slowest, 0.85 * kRate * pace) << pace;
    EXPECT_LT(outcome.fastest, 1.15 * kRate * pace) << pace;
  }
}

// The server changes from `begins` to `ends`. Expects that the shown tick never goes back, and
// never exceeds the newest state by more than the time for which bodies move without one. Before
// the change, and one second after it, the shown tick is at most `most` ticks earlier than the
// newest state.
void expect_forward(const SlowServer& server, const SlowPath& path, double begins, double ends,
                    double most) {
  SlowClient client(server, path, 1);
  client.run(ends + 6);
  double before = 0;
  for (const ShownFrame& frame : client.shown) {
    const double after = frame.at - ends;
    EXPECT_GE(frame.tick, std::exchange(before, frame.tick)) << after << " s after the change";
    const double beyond = kRate * client::FrameClock::kExtrapolatedSeconds;
    EXPECT_LE(frame.tick, frame.newest + beyond + kRate * path.back + 4) << after;
    if (frame.at < 2 || (frame.at >= begins && after < 1)) continue;
    EXPECT_LE(frame.newest - frame.tick, most) << after << " s after the change";
    EXPECT_LE(frame.tick, frame.newest + 1.5) << after << " s after the change";
  }
}

const SlowPath kPaths[] = {{0.001, 0.001, 0, 0}, {0.05, 0.05, 0, 0}, {0.03, 0.03, 0.03, 0.02}};

TEST(FrameClock, AServerThatBecomesSlowerOrFasterIsFollowedForward) {
  for (const SlowPath& path : kPaths) {
    for (const double before : {0.2, 0.3, 0.5, 0.8, 0.95, 1.0}) {
      for (const double after : {0.2, 0.3, 0.5, 0.8, 0.95, 1.0}) {
        SCOPED_TRACE(testing::Message()
                     << "back in " << path.back << " s, speed " << before << ", then " << after);
        const auto speed = [&](double time) { return time < 5 ? before : after; };
        expect_forward(SlowServer(14, speed, {}), path, 5, 5, 9);
      }
    }
  }
}

TEST(FrameClock, AfterAPauseOfTheServerTheShownTickGoesOnForward) {
  for (const SlowPath& path : kPaths) {
    for (const double speed : {0.2, 0.5, 0.8, 1.0}) {
      for (const double pause : {0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0, 10.0}) {
        SCOPED_TRACE(testing::Message() << "back in " << path.back << " s, speed " << speed
                                        << ", pause of " << pause << " s");
        const SlowServer server(14 + pause, [&](double) { return speed; }, {5, pause});
        expect_forward(server, path, 5, 5 + pause, 9);
      }
    }
  }
}

// A pause of the network loses or delays a second of states. The first frame after the pause is
// right again, after at most one jump. The missed states are not played back.
TEST(FrameClock, AfterAStallTheFirstStateIsEnough) {
  for (const bool late : {false, true}) {  // the states of the pause arrive at its end
    client::FrameClock clock(kRate);
    const auto frame = [&](std::uint64_t tick) {
      return clock.at(static_cast<double>(tick) / kRate);
    };
    for (std::uint64_t tick = 1; tick <= 600; ++tick) {
      clock.arrived(Tick{tick}, static_cast<double>(tick) / kRate);
      frame(tick);
    }
    for (std::uint64_t tick = 601; tick <= 660; ++tick) frame(tick);
    const double now = 661 / kRate;
    for (std::uint64_t tick = late ? 601 : 661; tick <= 661; ++tick) clock.arrived(Tick{tick}, now);
    const double shown = frame(661);
    EXPECT_NEAR(shown, 661, client::FrameClock::kFirstDelay + 1);
    EXPECT_EQ(clock.hitches(), 0u);
    EXPECT_LE(clock.jumps(), 1u);
  }
}

// After a pause of the caller, the next frame shows the present at once, and the clock counts a
// hitch.
TEST(FrameClock, AHitchOfTheCallerJumpsToThePresent) {
  for (const double pause : {0.3, 1.0, 10.0, 600.0}) {
    client::FrameClock clock(kRate);
    const auto ticks = static_cast<std::uint64_t>(600 + pause * kRate);
    for (std::uint64_t tick = 1; tick <= ticks; ++tick) {
      const double now = static_cast<double>(tick) / kRate;
      clock.arrived(Tick{tick}, now);
      if (tick <= 600 || tick == ticks) clock.at(now);
    }
    EXPECT_EQ(clock.hitches(), 1u) << pause;
    EXPECT_NEAR(clock.at(static_cast<double>(ticks) / kRate),
                static_cast<double>(ticks) - clock.delay(), 0.1)
        << pause;
  }
}

TEST(FrameClock, AnyLocalTimeGivesAFiniteTick) {
  client::FrameClock clock(kRate);
  EXPECT_EQ(clock.at(5), 0);
  clock.arrived(Tick{600}, std::nan(""));
  EXPECT_EQ(clock.at(5), 0);
  clock.arrived(Tick{600}, 1e6);
  double before = clock.at(1e6);
  EXPECT_EQ(before, 600 - client::FrameClock::kFirstDelay);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double now : {1e6, 1e6 - 50, infinity, -infinity, std::nan(""), 0.0}) {
    EXPECT_EQ(clock.at(now), before) << now;
  }
  for (const double now : {1e6 + 1e-12, 1e6 + 0.01, 1e6 + 10, 1e9, 1e15}) {
    const double shown = clock.at(now);
    EXPECT_TRUE(std::isfinite(shown));
    EXPECT_GE(shown, before);
    before = shown;
  }
}

}  // namespace
}  // namespace orrery
