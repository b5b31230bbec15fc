// Tests that intervals without a tick are counted, however late ticks come.
#include "server/tick_times.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

constexpr std::uint32_t kRate = 50;
constexpr net::Nanoseconds kInterval = net::kSecond / kRate;
constexpr net::Nanoseconds kStart = 3 * net::kSecond + 7;

TEST(TickTimes, CountsIntervalsWithoutATick) {
  server::TickTimes times(kRate, kStart);
  EXPECT_EQ(times.closed(), kStart);
  EXPECT_EQ(times.close(kStart + kInterval), 0u);
  EXPECT_EQ(times.close(kStart + 3 * kInterval), 1u);
  EXPECT_EQ(times.closed(), kStart + 3 * kInterval);
  EXPECT_EQ(times.close(kStart + 5 * kInterval - 1), 0u);  // late, but in its interval
  EXPECT_EQ(times.close(kStart + 5 * kInterval), 0u);
  EXPECT_EQ(times.close(kStart + 105 * kInterval), 99u);
}

// The ticks that are caught up after a pause take the places of later intervals.
TEST(TickTimes, CountsATickThatIsCaughtUpAsAnInterval) {
  server::TickTimes times(kRate, kStart);
  const net::Nanoseconds late = kStart + 10 * kInterval;
  EXPECT_EQ(times.close(late), 9u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(times.close(late), 0u);
  for (std::uint64_t i = 1; i <= 100; ++i) EXPECT_EQ(times.close(late + i * kInterval), 0u);
}

TEST(TickTimes, BearsYearsAndAClockThatGoesBack) {
  server::TickTimes times(kRate, kStart);
  EXPECT_EQ(times.close(0), 0u);
  const net::Nanoseconds years = 100 * std::uint64_t{365} * 86400 * net::kSecond;
  EXPECT_EQ(times.close(kStart + years), years / kInterval - 2);
  EXPECT_EQ(times.close(kStart), 0u);
}

}  // namespace
}  // namespace orrery
