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
      path.acknowledged(back.front().second.ack, back.front().second.ack_bits, 0, now);
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
  path.acknowledged(5, 0xffffffff, 0, net::kSecond);  // acknowledges data that was never sent
  EXPECT_EQ(path.round_trip(), 0u);
}

// Every fourth sequence is skipped. The rest arrives.
TEST(PathEstimator, SkippedSequencesAreNotLost) {
  net::PathEstimator path;
  net::Acks theirs;
  for (std::uint32_t sequence = 1; sequence <= 400; ++sequence) {
    if (sequence % 4 == 0) continue;
    const net::Nanoseconds now = net::kSecond + sequence * kTick;
    path.sent(sequence, now);
    theirs.receive(sequence);
    net::PayloadHeader header;
    theirs.stamp(header);
    std::uint64_t skipped = 0;
    for (std::uint32_t age = 0; age <= 32 && age < sequence; ++age) {
      if ((sequence - age) % 4 == 0) skipped |= std::uint64_t{1} << age;
    }
    path.acknowledged(header.ack, header.ack_bits, skipped, now + kTick / 2);
  }
  EXPECT_EQ(path.loss(), 0);
  const net::AckSummary summary = path.take_ack_summary();
  EXPECT_EQ(summary.lost, 0u);
  EXPECT_EQ(summary.settled, 294u);  // of 300 messages; the newest eight sequences are not settled
}

// Departures are remembered for about a second. An acknowledgement of an older message shows at
// least this much delay.
TEST(PathEstimator, AnOldMessageShowsALongRoundTrip) {
  net::PathEstimator path;
  for (std::uint32_t sequence = 1; sequence <= 600; ++sequence) {
    path.sent(sequence, net::kSecond + sequence * kTick);
  }
  path.acknowledged(20, 0, 0, net::kSecond + 600 * kTick);
  EXPECT_GT(path.round_trip(), net::kSecond);
  EXPECT_EQ(path.newest_departure(), 0u);  // not known
}

}  // namespace
}  // namespace orrery
