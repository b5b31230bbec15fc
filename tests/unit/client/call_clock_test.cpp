// Tests that the times of a caller never go back.
#include "client/lib/call_clock.h"

#include <gtest/gtest.h>

#include "common/core/rng.h"

namespace orrery {
namespace {

using client::CallClock;

TEST(CallClock, PassesTimesThatRise) {
  CallClock clock;
  EXPECT_EQ(clock.advance(5), 5u);
  EXPECT_EQ(clock.advance(5), 5u);
  EXPECT_EQ(clock.advance(net::kSecond), net::kSecond);
  EXPECT_EQ(clock.map(7), 7u);
}

// A datagram may have been stamped before the frame began. Its time counts as the latest time, and
// later times are not moved.
TEST(CallClock, ATimeThatIsALittleEarlyCountsAsTheLatest) {
  CallClock clock;
  clock.advance(10 * net::kSecond);
  EXPECT_EQ(clock.advance(10 * net::kSecond - 1), 10 * net::kSecond);
  EXPECT_EQ(clock.advance(9 * net::kSecond), 10 * net::kSecond);
  EXPECT_EQ(clock.advance(10 * net::kSecond + 3), 10 * net::kSecond + 3);
}

TEST(CallClock, ContinuesAfterTheClockWasSetBack) {
  CallClock clock;
  clock.advance(100 * net::kSecond);
  EXPECT_EQ(clock.advance(20 * net::kSecond), 100 * net::kSecond);
  EXPECT_EQ(clock.advance(21 * net::kSecond), 101 * net::kSecond);
  EXPECT_EQ(clock.map(22 * net::kSecond), 102 * net::kSecond);
}

TEST(CallClock, NeverGoesBackForAnyTimes) {
  SplitMix64 draw(3);
  CallClock clock;
  net::Nanoseconds before = 0;
  for (int i = 0; i < 10'000; ++i) {
    const net::Nanoseconds now = clock.advance(draw.next() >> draw.below(64));
    ASSERT_GE(now, before);
    before = now;
  }
}

}  // namespace
}  // namespace orrery
