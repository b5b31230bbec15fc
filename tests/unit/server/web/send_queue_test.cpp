// Tests the queue of bytes to send: it keeps their order, and its memory stays bounded.
#include "server/web/send_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <vector>

#include "common/core/rng.h"

namespace orrery::server::web {
namespace {

TEST(SendQueue, ReturnsBytesInTheOrderInWhichTheyCame) {
  constexpr std::uint64_t kSeed = 1;
  SCOPED_TRACE(kSeed);
  SplitMix64 random(kSeed);
  SendQueue queue;
  std::deque<std::uint8_t> model;
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::uint8_t> bytes(random.next() % 200);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
    queue.append(bytes);
    model.insert(model.end(), bytes.begin(), bytes.end());
    const std::size_t size = std::min<std::size_t>(random.next() % 220, model.size());
    queue.remove(size);
    model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(size));
    const Bytes waiting = queue.waiting();
    ASSERT_TRUE(std::equal(waiting.begin(), waiting.end(), model.begin(), model.end())) << round;
  }
}

TEST(SendQueue, AReaderThatNeverTakesAllCostsNoMemory) {
  SendQueue queue;
  const std::vector<std::uint8_t> bytes(1000);
  queue.append(bytes);
  for (int i = 0; i < 10000; ++i) {  // 10 MB pass
    queue.append(bytes);
    queue.remove(1000);
    ASSERT_EQ(queue.waiting().size(), 1000u);
    ASSERT_LE(queue.memory(), 10000u) << i;
  }
}

TEST(SendQueue, AnEmptyQueueFreesWhatALargeSnapshotTook) {
  SendQueue queue;
  queue.append(std::vector<std::uint8_t>(2 << 20));
  EXPECT_GE(queue.memory(), std::size_t{2} << 20);
  queue.remove(2 << 20);
  EXPECT_EQ(queue.memory(), 0u);
  queue.append(std::vector<std::uint8_t>(1000));
  queue.remove(1000);
  EXPECT_GE(queue.memory(), 1000u);  // a small one is kept for the next tick
}

}  // namespace
}  // namespace orrery::server::web
