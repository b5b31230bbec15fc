// Tests the pace of ticks.
#include "server/pacer.h"

#include "common/core/rng.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

TEST(Pacer, MakesEveryTickOnTime) {
  for (const std::uint32_t rate : {1u, 7u, 60u, 1000u}) {
    Pacer pacer(rate, 5 * kSecond);
    std::uint64_t made = 0;
    for (Nanoseconds now = 5 * kSecond; now <= 65 * kSecond; now += kMillisecond / 2) {
      made += pacer.due(now);
      ASSERT_EQ(made, (now - 5 * kSecond) * rate / kSecond);
    }
    EXPECT_EQ(pacer.slowed(), 0u);
  }
}

TEST(Pacer, WakingAtItsOwnTimesIsEnough) {
  Pacer pacer(60, 0);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(pacer.due(pacer.next()), 1u);
}

TEST(Pacer, CatchesUpAFewTicksAndGivesUpTheRest) {
  Pacer pacer(60, 0);
  EXPECT_EQ(pacer.due(kSecond / 60 * 3 + 100), 3u);
  EXPECT_EQ(pacer.due(10 * kSecond), limits::kCatchUpTicksMax);
  EXPECT_EQ(pacer.slowed(), 600 - 3 - limits::kCatchUpTicksMax);
  EXPECT_EQ(pacer.due(10 * kSecond), 0u);
  EXPECT_EQ(pacer.due(10 * kSecond + kSecond / 60 + 1), 1u);
}

}  // namespace
}  // namespace orrery
