// Wakes a thread that sleeps until another thread has changed something.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace orrery::host {

// The memory order of the four operations that keep a wake-up from being lost:
//
//   sleeper                              the other thread
//   1. asleep = true                     3. the change
//   2. if the change is there: continue  4. if asleep: system call
//      else: system call
//
// The sleeper sleeps for ever if 2 does not see 3 and 4 does not see 1. The pattern is called store
// buffering. Release order does not order a store and a later load, and processors do swap them:
// the store waits in its buffer while the load executes. If all four are sequentially consistent,
// all threads see them in one order. If 2 does not see 3, then 1 and 2 are before 3 and 4.
inline constexpr std::memory_order kBellOrder = std::memory_order_seq_cst;

// Distance in bytes of data that different threads write: two cache lines, because processors from
// Intel fetch lines in pairs.
inline constexpr std::size_t kWritersApart = 128;

// A bell wakes one thread, its sleeper. While the sleeper is awake, ring() costs one read of a
// cache line.
class alignas(kWritersApart) Bell {
 public:
  // Sleeps until is_changed() returns true. REQUIRES: at most one thread is in
  // sleep_until() at a time, and is_changed() reads with kBellOrder.
  void sleep_until(auto is_changed) {
    asleep_.store(true, kBellOrder);
    for (;;) {
      const std::uint32_t rings = rings_.load(std::memory_order_acquire);
      if (is_changed()) break;
      rings_.wait(rings, std::memory_order_acquire);
    }
    asleep_.store(false, std::memory_order_relaxed);
  }

  // Wakes the sleeper, and returns true, if it sleeps or is about to. Any thread may call it.
  // REQUIRES: the caller made is_changed() true by a store with kBellOrder.
  bool ring() {
    if (!asleep_.load(kBellOrder)) return false;
    rings_.fetch_add(1, kBellOrder);
    rings_.notify_one();
    return true;
  }

 private:
  std::atomic<bool> asleep_{false};
  std::atomic<std::uint32_t> rings_{0};
};

}  // namespace orrery::host
