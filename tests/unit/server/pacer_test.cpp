// Tests the pace of ticks.
#include "server/pacer.h"

#include <algorithm>

#include "common/core/rng.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

TEST(Pacer, MakesEveryTickOnTime) {
  for (const std::uint32_t rate : {1u, 7u, 60u, 1000u}) {
    server::Pacer pacer(rate, 5 * net::kSecond);
    std::uint64_t made = 0;
    for (net::Nanoseconds now = 5 * net::kSecond; now <= 65 * net::kSecond;
         now += net::kMillisecond / 2) {
      made += pacer.due(now);
      ASSERT_EQ(made, (now - 5 * net::kSecond) * rate / net::kSecond);
    }
    EXPECT_EQ(pacer.slowed(), 0u);
  }
}

TEST(Pacer, WakingAtItsOwnTimesIsEnough) {
  server::Pacer pacer(60, 0);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(pacer.due(pacer.next()), 1u);
}

TEST(Pacer, CatchesUpAFewTicksAndGivesUpTheRest) {
  server::Pacer pacer(60, 0);
  EXPECT_EQ(pacer.due(net::kSecond / 60 * 3 + 100), 3u);
  EXPECT_EQ(pacer.due(10 * net::kSecond), limits::kCatchUpTicksMax);
  EXPECT_EQ(pacer.slowed(), 600 - 3 - limits::kCatchUpTicksMax);
  EXPECT_EQ(pacer.due(10 * net::kSecond), 0u);
  EXPECT_EQ(pacer.due(10 * net::kSecond + net::kSecond / 60 + 1), 1u);
}

// Each tick takes `ms` milliseconds, which is shorter or longer than the interval between ticks.
TEST(Pacer, CountsEachTickAsMadeOrSlowed) {
  for (const std::uint32_t rate : {7u, 60u, 1000u}) {
    for (const net::Nanoseconds ms : {1, 16, 20, 23, 90, 150, 1000}) {
      server::Pacer pacer(rate, 0);
      std::uint64_t made = 0;
      for (net::Nanoseconds now = 0; now < 600 * net::kSecond;) {
        now = std::max(now, pacer.next());
        const std::uint32_t ticks = pacer.due(now);
        made += ticks;
        ASSERT_EQ(made + pacer.slowed(), now * rate / net::kSecond) << rate << " Hz, " << ms;
        now += ticks * ms * net::kMillisecond;
      }
      EXPECT_GT(made, 0u);
    }
  }
}

}  // namespace
}  // namespace orrery
