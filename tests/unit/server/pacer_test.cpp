// Tests the pace of ticks.
#include "server/pacer.h"

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

}  // namespace
}  // namespace orrery
