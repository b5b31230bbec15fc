// Tests how the largest datagram is found, against a path with chosen losses.
#include "common/net/channel/datagram_limit.h"

#include <gtest/gtest.h>

#include <deque>

#include "common/core/rng.h"

namespace orrery {
namespace {

constexpr net::Nanoseconds kTick = net::kSecond / 60;

// Sends messages, and acknowledges those that the path carries after a delay.
struct Path {
  template <class Arrives>
  void run(int ticks, std::uint32_t large, std::uint32_t small, Arrives arrives) {
    for (; ticks > 0; --ticks) {
      now += kTick;
      for (std::uint32_t i = 0; i < large + small; ++i) {
        sequence += random.below(32) == 0 ? 2 : 1;
        const std::size_t bytes = i < large ? large_bytes : 100;
        limit.sent(sequence, bytes, now);
        if (!arrives(bytes)) continue;
        const std::uint32_t ahead = newest == 0 ? 0 : sequence - newest;
        bits = ahead == 0   ? 0
               : ahead > 32 ? 0
                            : (ahead < 32 ? bits << ahead : 0) | 1u << (ahead - 1);
        newest = sequence;
      }
      acks.push_back({newest, bits});
      if (acks.size() < 4) continue;
      if (random.below(100) >= acks_lost_percent) {
        limit.acknowledged(acks.front().first, acks.front().second, now);
      }
      acks.pop_front();
    }
  }

  explicit Path(std::uint64_t seed) : random(seed) {}

  SplitMix64 random;
  net::DatagramLimit limit;
  net::Nanoseconds now = net::kSecond;
  std::uint32_t sequence = 0, newest = 0, bits = 0;
  std::uint32_t acks_lost_percent = 0;
  std::size_t large_bytes = 1200;
  std::deque<std::pair<std::uint32_t, std::uint32_t>> acks;
};

TEST(DatagramLimit, FallsWhereOnlySmallPacketsArrive) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Path path(seed);
    path.acks_lost_percent = seed % 2 == 0 ? 30 : 0;
    path.run(60, 2, 1, [](std::size_t) { return true; });
    EXPECT_FALSE(path.limit.drops_larger());
    path.run(55, 2, 1, [](std::size_t bytes) { return bytes <= 1100; });
    EXPECT_FALSE(path.limit.drops_larger()) << "after less than a second";
    path.run(60, 2, 1, [](std::size_t bytes) { return bytes <= 1100; });
    EXPECT_TRUE(path.limit.drops_larger());
    EXPECT_EQ(path.limit.bytes_max(), net::kDatagramBytesMin);
  }
}

TEST(DatagramLimit, StaysWhereLargePacketsArriveAtTimes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Path path(seed);
    path.acks_lost_percent = 30;
    path.run(600, 3, 1, [&](std::size_t) { return path.random.below(100) >= 40; });
    path.run(120, 3, 1, [](std::size_t) { return false; });
    path.run(600, 30, 1, [&](std::size_t) { return path.random.below(100) >= 40; });
    path.acks_lost_percent = 100;
    path.run(120, 3, 1, [](std::size_t) { return true; });
    path.acks_lost_percent = 0;
    path.run(600, 3, 1, [&](std::size_t) { return path.random.below(100) >= 40; });
    EXPECT_FALSE(path.limit.drops_larger());
    EXPECT_EQ(path.limit.bytes_max(), net::kPacketBytesMax);
  }
}

// Packets that arrive are only a little smaller than those that the path drops.
TEST(DatagramLimit, FallsWherePacketsOfNearlyTheSizeArrive) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Path path(seed);
    for (int i = 0; i < 18; ++i) {
      path.large_bytes = 1212;
      path.run(5, 2, 1, [](std::size_t bytes) { return bytes <= 1200; });
      path.large_bytes = 1200;
      path.run(5, 2, 1, [](std::size_t bytes) { return bytes <= 1200; });
    }
    EXPECT_TRUE(path.limit.drops_larger());
  }
}

// Skipped sequences are no losses, so the few small packets that arrive are enough.
TEST(DatagramLimit, FallsWhereFewSmallPacketsLeave) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Path path(seed);
    for (int i = 0; i < 8; ++i) {
      path.run(14, 2, 0, [](std::size_t) { return false; });
      path.run(1, 0, 1, [](std::size_t) { return true; });
    }
    path.run(5, 2, 0, [](std::size_t) { return false; });
    EXPECT_TRUE(path.limit.drops_larger());
  }
}

TEST(DatagramLimit, AnotherPathIsTriedWithTheGivenSize) {
  Path path(1);
  path.limit = net::DatagramLimit(1000);
  for (int i = 0; i < 3; ++i) {
    path.run(30, 2, 1, [](std::size_t) { return true; });
    EXPECT_EQ(path.limit.bytes_max(), 1000u);
    path.run(90, 2, 1, [](std::size_t bytes) { return bytes <= 1100; });
    EXPECT_EQ(path.limit.bytes_max(), net::kDatagramBytesMin);
    path.limit.restart();
    EXPECT_FALSE(path.limit.drops_larger());
  }
}

// Without a small packet nothing shows that the path carries any.
TEST(DatagramLimit, AsksForASmallPacketIfOnlyLargeOnesLeave) {
  Path path(1);
  path.run(10, 2, 0, [](std::size_t) { return false; });
  EXPECT_FALSE(path.limit.wants_small(path.now));
  path.run(10, 2, 0, [](std::size_t) { return false; });
  EXPECT_TRUE(path.limit.wants_small(path.now));
  path.run(1, 0, 1, [](std::size_t) { return true; });
  EXPECT_FALSE(path.limit.wants_small(path.now));
}

TEST(DatagramLimit, AsksForNothingOnceItFell) {
  Path path(1);
  path.run(120, 2, 1, [](std::size_t bytes) { return bytes <= 1100; });
  ASSERT_TRUE(path.limit.drops_larger());
  path.now += net::kSecond;
  EXPECT_FALSE(path.limit.wants_small(path.now));
}

}  // namespace
}  // namespace orrery
