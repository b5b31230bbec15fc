// Changes a number on which another thread may be sleeping.
#pragma once

#include <atomic>
#include <cstdint>

namespace orrery::host {

// The memory order of the store in publish(). A weaker order can lose a wake-up, and a lost wake-up
// can hang the program. libstdc++ (bits/atomic_wait.h of GCC 12) keeps a count of waiters:
//
//   publish()                      std::atomic::wait()
//   1. value = now                 3. ++waiters, sequentially consistent
//   2. if waiters is 0: no         4. futex: the kernel reads the value again,
//      system call                    and sleeps if it is still the old one
//
// The waiter sleeps without a wake-up if 2 does not see 3 and 4 does not see 1. The pattern is
// called store buffering. Release order does not order 1 and 2, a store and a later load.
// Processors do swap them: the store waits in its buffer while the load executes.
//
// A sequentially consistent store is enough. The load in 2 is sequentially consistent as well, so
// all threads see 1, 2 and 3 in one order. If 2 does not see 3, then 1 is before 2, and 2 is before
// 3. The kernel has a full barrier between entering the futex and reading the value, and its own
// waiters rely on it. Step 4 therefore sees 1.
//
// The argument holds on every processor. The compiler makes 1 an xchg on x86-64, makes 1 and 2 stlr
// and ldar on aarch64, and puts a fence between them on riscv64. Only the read of the value in 4
// matters. Earlier reads in wait() itself may see the old value.
inline constexpr std::memory_order kPublishOrder = std::memory_order_seq_cst;

// Stores `now` and wakes one thread that waits for a change of the value.
inline void publish(std::atomic<std::uint32_t>& value, std::uint32_t now) {
  value.store(now, kPublishOrder);
  value.notify_one();
}

}  // namespace orrery::host
