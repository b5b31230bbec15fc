// Tests the simulated bad network: the shares of faults, and repeatability by seed.
#include "common/net/faulty_path.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

constexpr int kCount = 20'000;
constexpr std::size_t kCapacity = 1 << 16;
constexpr std::uint64_t kNoNumber = std::uint64_t{1} << 32;

// Numbered datagrams of 100 bytes, sent a millisecond apart.
struct Sent {
  Sent(std::uint64_t seed, const net::PathFaults& faults, int count = kCount,
       std::size_t capacity = kCapacity)
      : queue(capacity), path(seed, faults) {
    std::vector<std::uint8_t> bytes(100, 7);
    for (int i = 0; i < count; ++i) {
      store_little_endian<4>(bytes.data(), static_cast<std::uint32_t>(i));
      path.send({}, {}, bytes, i * net::kMillisecond, queue);
    }
  }

  // Returns the numbers of the datagrams that arrive up to `time`, in order of arrival. A datagram
  // that was cut to less than four bytes counts as number 2^32.
  std::vector<std::uint64_t> arrived(net::Nanoseconds time) {
    std::vector<std::uint64_t> numbers;
    while (const net::Datagram* const datagram = queue.take(time)) {
      const bool has_number = datagram->bytes.size() >= 4;
      numbers.push_back(has_number ? load_little_endian<4>(datagram->bytes.data()) : kNoNumber);
    }
    return numbers;
  }

  net::DatagramQueue queue;
  net::FaultyPath path;
};

constexpr net::Nanoseconds kEnd = kCount * net::kMillisecond + net::kSecond;

void expect_share(std::uint64_t count, double share) {
  const double wanted = share * kCount;
  EXPECT_NEAR(static_cast<double>(count), wanted, 5 * std::sqrt(wanted));
}

TEST(FaultyPath, LosesAndRepeatsAsOftenAsAsked) {
  Sent sent(1, {.loss = 0.1, .duplicate = 0.2});
  const net::PathCounters& c = sent.path.counters();
  EXPECT_EQ(c.sent, static_cast<std::uint64_t>(kCount));
  expect_share(c.lost, 0.1);
  expect_share(c.duplicated, 0.2 * 0.9);
  EXPECT_EQ(sent.arrived(kEnd).size(), kCount - c.lost + c.duplicated);
}

TEST(FaultyPath, ComesInOrderAfterTheDelay) {
  Sent sent(1, {.delay = 30 * net::kMillisecond}, 100);
  EXPECT_EQ(sent.arrived(29 * net::kMillisecond).size(), 0u);
  const auto numbers = sent.arrived(59 * net::kMillisecond);
  ASSERT_EQ(numbers.size(), 30u);
  for (std::uint64_t i = 0; i < 30; ++i) EXPECT_EQ(numbers[i], i);
}

TEST(FaultyPath, WhoIsNotDelayedOvertakes) {
  Sent sent(1, {.reorder = 0.05, .delay = 30 * net::kMillisecond});
  expect_share(sent.path.counters().reordered, 0.05);
  const auto numbers = sent.arrived(kEnd);
  EXPECT_FALSE(std::is_sorted(numbers.begin(), numbers.end()));
}

TEST(FaultyPath, DamagedIsWhatIsNotAsItWas) {
  Sent sent(1, {.corrupt = 0.1});
  expect_share(sent.path.counters().corrupted, 0.1);
  std::uint64_t damaged = 0;
  std::uint64_t cut = 0;
  while (const net::Datagram* const datagram = sent.queue.take(kEnd)) {
    damaged += datagram->damaged ? 1 : 0;
    cut += datagram->bytes.size() < 100 ? 1 : 0;
    EXPECT_LE(datagram->bytes.size(), 100u);
  }
  EXPECT_LE(damaged, sent.path.counters().corrupted);
  expect_share(damaged, 0.1);
  expect_share(cut, 0.1 / 4);
}

// Each second, 1,000 datagrams of 128 bytes (with headers) are sent. The path transports only half
// of these bytes.
TEST(FaultyPath, ALimitedRateLosesWhatWouldWaitTooLong) {
  Sent sent(1, {.bytes_per_second = 64'000});
  expect_share(sent.path.counters().no_room, 0.5);
  const auto numbers = sent.arrived(kCount * net::kMillisecond);
  EXPECT_NEAR(static_cast<double>(numbers.size()), kCount / 2, 110);
}

TEST(FaultyPath, LargeDatagramsAreDropped) {
  net::FaultyPath path(1, {.bytes_max = 8});
  net::DatagramQueue queue(100);
  const std::uint8_t bytes[9] = {};
  for (std::size_t size = 0; size <= 9; ++size)
    path.send({}, {}, Bytes(bytes).first(size), 0, queue);
  EXPECT_EQ(queue.size(), 9u);
  EXPECT_EQ(path.counters().too_large, 1u);
}

TEST(FaultyPath, WhatWasCloggedComesAtOnce) {
  Sent sent(1, {}, 0);
  sent.path.clog(net::kSecond);
  const std::uint8_t byte[8] = {};
  for (int i = 0; i < 10; ++i) sent.path.send({}, {}, byte, i * net::kMillisecond, sent.queue);
  EXPECT_EQ(sent.arrived(net::kSecond - 1).size(), 0u);
  EXPECT_EQ(sent.arrived(net::kSecond).size(), 10u);
}

TEST(FaultyPath, TheSeedDecides) {
  const net::PathFaults faults{.loss = 0.1,
                               .duplicate = 0.1,
                               .reorder = 0.1,
                               .corrupt = 0.1,
                               .delay = 10 * net::kMillisecond,
                               .jitter = 50 * net::kMillisecond,
                               .bytes_per_second = 100'000};
  const auto first = Sent(5, faults, 2000).arrived(kEnd);
  EXPECT_EQ(first, Sent(5, faults, 2000).arrived(kEnd));
  EXPECT_NE(first, Sent(6, faults, 2000).arrived(kEnd));
}

TEST(FaultyPath, NoMoreIsOnTheWayThanThereIsRoomFor) {
  Sent sent(1, {}, 100, 10);
  EXPECT_EQ(sent.queue.size(), 10u);
  EXPECT_EQ(sent.path.counters().no_room, 90u);
}

}  // namespace
}  // namespace orrery
