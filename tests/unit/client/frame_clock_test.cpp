// Tests the playback clock: smooth, and close to the server.
#include "client/lib/frame_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/core/rng.h"

namespace orrery {
namespace {

constexpr double kRate = 60;

// A server that ticks at `pace` times its rate. Its network delays by 40 ms plus up to `jitter`
// seconds, and loses a share `loss` of the snapshots.
struct Network {
  double pace = 1;
  double jitter = 0;
  double loss = 0;
};

struct Outcome {
  // Largest distance, in ticks, from the server's tick less the mean latency and kDelayTicks. The
  // first two seconds do not count.
  double largest_error = 0;
  double slowest = 1e9;  // ticks per second, from frame to frame
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
  auto next = arrivals.begin();
  for (double now = 1000.1; now < 1000 + 50 / network.pace;) {
    for (; next != arrivals.end() && next->first <= now; ++next) {
      clock.snapshot_arrived(Tick{next->second}, next->first);
    }
    const double shown = clock.at(now);
    if (now > 1002) {
      const double server = (now - 1000 - 0.04 - network.jitter / 2) * kRate * network.pace;
      outcome.largest_error = std::max(
          outcome.largest_error, std::abs(shown - (server - client::FrameClock::kDelayTicks)));
      const double speed = (shown - before) / (now - last_now);
      outcome.slowest = std::min(outcome.slowest, speed);
      outcome.fastest = std::max(outcome.fastest, speed);
    }
    before = shown;
    last_now = now;
    now += 0.002 + 0.015 * (draw.symmetric() + 1);
  }
  return outcome;
}

TEST(FrameClock, FollowsAServerThroughJitterAndLoss) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Outcome outcome = watch({1, 0.03, 0.1}, seed);
    EXPECT_LT(outcome.largest_error, 1.5) << "seed " << seed;
    EXPECT_GT(outcome.slowest, kRate * (1 - client::FrameClock::kSlew) - 1e-6) << "seed " << seed;
    EXPECT_LT(outcome.fastest, kRate * (1 + client::FrameClock::kSlew) + 1e-6) << "seed " << seed;
  }
}

TEST(FrameClock, AFastOrSlowClockIsFollowedWithoutAJump) {
  for (const double pace : {0.95, 0.999, 1.001, 1.05}) {
    const Outcome outcome = watch({pace, 0.005, 0}, 3);
    EXPECT_LT(outcome.largest_error, 4) << pace;
    EXPECT_GT(outcome.slowest, 0) << pace;
  }
}

TEST(FrameClock, AnOverloadedServerAtHalfItsRateIsFollowedByJumps) {
  const Outcome outcome = watch({0.5, 0.005, 0}, 4);
  EXPECT_LT(outcome.largest_error, 2.2 * client::FrameClock::kJumpSeconds * kRate);
}

TEST(FrameClock, AnyLocalTimeGivesAFiniteTick) {
  client::FrameClock clock(kRate);
  EXPECT_EQ(clock.at(5), 0);
  clock.snapshot_arrived(Tick{600}, std::nan(""));
  EXPECT_EQ(clock.at(5), 0);
  clock.snapshot_arrived(Tick{600}, 1e6);
  double before = clock.at(1e6);
  EXPECT_EQ(before, 600 - client::FrameClock::kDelayTicks);
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
