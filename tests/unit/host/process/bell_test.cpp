// A litmus test of Bell. If the processor exchanged a store with a later load, a wake-up would be
// lost.
#include "common/host/process/bell.h"

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
  // Waits until both threads have called it for round `round`, from 1. Yields sometimes, because
  // there may be one processor, or a busy one.
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

// A bell and the change that it announces. At the end of a round, `change` equals the number of the
// round.
template <class AnyBell>
struct Announcement {
  alignas(64) std::atomic<std::uint32_t> change{0};
  alignas(64) AnyBell bell;
  alignas(64) bool sleeper_missed = false;
  Meeting start;
  Meeting end;
};

// Shifts the two threads against each other by some nanoseconds.
void delay(SplitMix64& random) {
  for (std::uint32_t i = random.below(64); i > 0; --i) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

// Goes to sleep in each round, and notes whether it sees the change. It stays asleep until the
// other thread has rung.
template <class AnyBell>
void sleep_in_each_round(Announcement<AnyBell>& announcement, SplitMix64 random) {
  for (std::uint32_t round = 1; round <= kBatch; ++round) {
    announcement.start.wait(round);
    delay(random);
    announcement.bell.sleep_until([&] {
      announcement.sleeper_missed = announcement.change.load(AnyBell::kOrder) != round;
      announcement.end.wait(round);
      return true;
    });
  }
}

// Runs a batch of rounds. Returns the number of rounds in which the bell found nobody asleep and
// the sleeper saw no change.
template <class AnyBell>
std::uint32_t lost_in_batch(SplitMix64& random) {
  Announcement<AnyBell> announcement;
  std::jthread sleeper(
      [&, random = SplitMix64(random.next())] { sleep_in_each_round(announcement, random); });
  std::uint32_t lost = 0;
  for (std::uint32_t round = 1; round <= kBatch; ++round) {
    announcement.start.wait(round);
    delay(random);
    announcement.change.store(round, AnyBell::kOrder);
    const bool is_rung = announcement.bell.ring();
    announcement.end.wait(round);
    if (!is_rung && announcement.sleeper_missed) ++lost;
  }
  return lost;
}

struct Count {
  std::uint32_t lost = 0;
  std::uint32_t rounds = 0;
};

// Runs batches until a wake-up is lost or 100,000 rounds are done. Stops after `limit`, but not
// before `rounds_min` rounds.
template <class AnyBell>
Count count_lost(std::uint32_t rounds_min, std::chrono::seconds limit) {
  constexpr std::uint32_t kRoundsMax = 100'000;
  const auto give_up = std::chrono::steady_clock::now() + limit;
  SplitMix64 random(kSeed);
  Count count;
  while (count.lost == 0 && count.rounds < kRoundsMax &&
         (count.rounds < rounds_min || std::chrono::steady_clock::now() < give_up)) {
    count.lost += lost_in_batch<AnyBell>(random);
    count.rounds += kBatch;
  }
  return count;
}

struct OrderedBell : host::Bell {
  static constexpr std::memory_order kOrder = host::kBellOrder;
};

TEST(Bell, LosesNoWakeUp) {
  constexpr std::uint32_t kRoundsMin = 2'000;
  const Count count = count_lost<OrderedBell>(kRoundsMin, std::chrono::seconds(5));
  std::printf("lost %u in %u rounds, seed %lu\n", count.lost, count.rounds, kSeed);
  EXPECT_EQ(count.lost, 0u);
  EXPECT_GE(count.rounds, kRoundsMin);
}

// A bell with weaker memory orders.
class WeakBell {
 public:
  static constexpr std::memory_order kOrder = std::memory_order_relaxed;

  template <class Condition>
  void sleep_until(Condition is_changed) {
    asleep_.store(true, std::memory_order_release);
    is_changed();
    asleep_.store(false, std::memory_order_release);
  }
  bool ring() { return asleep_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> asleep_{false};
};

// Control: with weaker memory orders, a bell may lose wake-ups. This test never fails: with one
// processor, or an emulated one, nothing is reordered, and no wake-up is lost.
TEST(Bell, AWeakBellMayLoseOne) {
  const Count count = count_lost<WeakBell>(0, std::chrono::seconds(1));
  if (count.lost > 0) {
    std::printf("lost %u in %u rounds: the test sees it\n", count.lost, count.rounds);
  } else {
    std::printf("NONE LOST in %u rounds: this machine, or this moment, cannot show it\n",
                count.rounds);
  }
}

}  // namespace
}  // namespace orrery
