// Owns publish(): the change of a number that another thread may be asleep over.
#pragma once

#include <atomic>
#include <cstdint>

namespace orrery {

// The order of the store in publish(). A weaker one loses wake-ups, and a lost one may hang the
// program for ever. libstdc++ (bits/atomic_wait.h of GCC 12) keeps a count of waiters:
//
//   publish()                      std::atomic::wait()
//   1. value = now                 3. ++waiters, sequentially consistent
//   2. if waiters is 0: no         4. futex: the kernel looks at the value again,
//      system call                    and sleeps if it is still the old one
//
// Nobody wakes the waiter if 2 misses 3 and 4 misses 1: the pattern that is called store buffering.
// Release orders nothing between 1 and 2, a store and a load after it, and processors do swap them:
// the store waits in its buffer while the load is done.
//
// A sequentially consistent store is enough. The load in 2 is sequentially consistent as well, so
// 1, 2 and 3 have one order in every thread. If 2 misses 3, then 1 is before 2, which is before 3;
// and the kernel has a full barrier between entering the futex and its look at the value (its own
// waiters rely on it), so 4 sees 1. That holds on every processor: the compiler makes xchg of 1 on
// x86-64, stlr and ldar of 1 and 2 on aarch64, and puts a fence between them on riscv64. Only the
// look at the value in 4 counts; those before it, in wait() itself, may see the old value.
inline constexpr std::memory_order kPublishOrder = std::memory_order_seq_cst;

// Stores `now`, and wakes a thread that waits for a change of the value.
inline void publish(std::atomic<std::uint32_t>& value, std::uint32_t now) {
  value.store(now, kPublishOrder);
  value.notify_one();
}

}  // namespace orrery
