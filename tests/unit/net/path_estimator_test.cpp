// Tests estimates of round trip, jitter and loss.
#include "common/net/channel/path_estimator.h"

#include <deque>
#include <utility>

#include "common/core/rng.h"
#include "common/net/channel/acks.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

constexpr net::Nanoseconds kTick = net::kSecond / 60;

TEST(PathEstimator, MeasuresTimeAndLoss) {
  net::PathEstimator path;
  SplitMix64 random(5);
  net::Acks theirs;
  net::Nanoseconds now = net::kSecond;
  constexpr net::Nanoseconds kRoundTrip = 80 * net::kMillisecond;
  std::deque<std::pair<net::Nanoseconds, net::PayloadHeader>> back;  // arrival time and header
  for (std::uint32_t sequence = 1; sequence <= 4000; ++sequence, now += kTick) {
    path.sent(sequence, now);
    if (random.below(10) != 0) {
      theirs.receive(sequence);
      net::PayloadHeader header;
      theirs.stamp(header);
      back.emplace_back(now + kRoundTrip, header);
    }
    while (!back.empty() && back.front().first <= now) {
      path.acknowledged(back.front().second.ack, back.front().second.ack_bits, now);
      back.pop_front();
    }
  }
  const auto milliseconds = [](net::Nanoseconds t) {
    return static_cast<double>(t) / net::kMillisecond;
  };
  EXPECT_NEAR(milliseconds(path.round_trip()), 80, 18);  // received at tick times
  EXPECT_LT(milliseconds(path.jitter()), 5);
  EXPECT_NEAR(path.loss(), 0.1, 0.08);
  EXPECT_GE(path.resend_after(), path.round_trip());
}

TEST(PathEstimator, KnowsNothingAtFirst) {
  net::PathEstimator path;
  EXPECT_EQ(path.round_trip(), 0u);
  EXPECT_EQ(path.loss(), 0);
  path.acknowledged(5, 0xffffffff, net::kSecond);  // acknowledges data that was never sent
  EXPECT_EQ(path.round_trip(), 0u);
}

}  // namespace
}  // namespace orrery
