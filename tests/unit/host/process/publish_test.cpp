// A litmus test of publish(): a store must not change places with the later load of the waiter
// count. If it did, a wake-up would be lost.
#include "common/host/process/publish.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "common/core/rng.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint32_t kBatch = 1000;  // rounds

// A barrier for two threads, which leave it at about the same time.
class Meeting {
 public:
  // Waits until both threads have called wait() for round `round`. Rounds count from 1. Yields
  // sometimes, because there may be only one processor, or a busy one.
  void wait(std::uint32_t round) {
    constexpr int kPolls = 1000;
    arrived_.fetch_add(1, std::memory_order_acq_rel);
    for (int look = 1; arrived_.load(std::memory_order_acquire) < 2 * round; ++look) {
      if (look % kPolls == 0) std::this_thread::yield();
    }
  }

 private:
  alignas(64) std::atomic<std::uint32_t> arrived_{0};
};

// `value` and `waiters` are the two numbers of the comment in publish.h. Both equal the round at
// the end of a round.
struct Numbers {
  alignas(64) std::atomic<std::uint32_t> value{0};
  alignas(64) std::atomic<std::uint32_t> waiters{0};
  alignas(64) bool waiter_missed = false;
  Meeting start;
  Meeting end;
};

// Shifts the two threads against each other by some nanoseconds.
void delay(SplitMix64& random) {
  for (std::uint32_t i = random.below(64); i > 0; --i) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

// Does the same as std::atomic::wait(): increments the count, then checks the value after the
// kernel's barrier.
void wait_for_all(Numbers& numbers, SplitMix64 random) {
  for (std::uint32_t round = 1; round <= kBatch; ++round) {
    numbers.start.wait(round);
    delay(random);
    numbers.waiters.fetch_add(1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    numbers.waiter_missed = numbers.value.load(std::memory_order_relaxed) != round;
    numbers.end.wait(round);
  }
}

using Publish = void (&)(std::atomic<std::uint32_t>& value, std::uint32_t now);

// Runs a batch of rounds. Returns the number of rounds in which the publisher saw no waiter and the
// waiter saw the old value.
std::uint32_t lost_in_batch(SplitMix64& random, Publish publish_round) {
  Numbers numbers;
  std::jthread waiter([&, own = SplitMix64(random.next())] { wait_for_all(numbers, own); });
  std::uint32_t lost = 0;
  for (std::uint32_t round = 1; round <= kBatch; ++round) {
    numbers.start.wait(round);
    delay(random);
    publish_round(numbers.value, round);
    const bool publisher_missed = numbers.waiters.load(std::memory_order_seq_cst) != round;
    numbers.end.wait(round);
    if (publisher_missed && numbers.waiter_missed) ++lost;
  }
  return lost;
}

struct Count {
  std::uint32_t lost = 0;
  std::uint32_t rounds = 0;
};

// Runs batches until a wake-up is lost or 100,000 rounds are done. Stops after `limit`, but not
// before `rounds_min` rounds.
Count count_lost(Publish publish_round, std::uint32_t rounds_min, std::chrono::seconds limit) {
  constexpr std::uint32_t kRoundsMax = 100'000;
  const auto give_up = std::chrono::steady_clock::now() + limit;
  SplitMix64 random(kSeed);
  Count count;
  while (count.lost == 0 && count.rounds < kRoundsMax &&
         (count.rounds < rounds_min || std::chrono::steady_clock::now() < give_up)) {
    count.lost += lost_in_batch(random, publish_round);
    count.rounds += kBatch;
  }
  return count;
}

TEST(Publish, LosesNoWakeUp) {
  constexpr std::uint32_t kRoundsMin = 2'000;
  const Count count = count_lost(host::publish, kRoundsMin, std::chrono::seconds(5));
  std::printf("lost %u in %u rounds, seed %lu\n", count.lost, count.rounds, kSeed);
  EXPECT_EQ(count.lost, 0u);
  EXPECT_GE(count.rounds, kRoundsMin);
}

// publish() with a weaker memory order.
void publish_with_release(std::atomic<std::uint32_t>& value, std::uint32_t now) {
  value.store(now, std::memory_order_release);
  value.notify_one();
}

// Control: a release store may lose wake-ups. The test never fails, because with one processor, or
// an emulated one, no operations change places.
TEST(Publish, AReleaseStoreMayLoseOne) {
  const Count count = count_lost(publish_with_release, 0, std::chrono::seconds(1));
  if (count.lost > 0) {
    std::printf("lost %u in %u rounds: the test sees it\n", count.lost, count.rounds);
  } else {
    std::printf("NONE LOST in %u rounds: this machine, or this moment, cannot show it\n",
                count.rounds);
  }
}

}  // namespace
}  // namespace orrery
