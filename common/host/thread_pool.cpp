// Owns how the threads of a tick are started and waited for.
#include "common/host/thread_pool.h"

#include <algorithm>
#include <bitset>
#include <new>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "common/host/publish.h"
#include "common/host/sound_thread.h"

namespace orrery {
namespace {

// Some tens of microseconds: longer than one thread waits for the other in a loop of ticks (asleep
// it would be woken too late: at 10,000 bodies two threads were 1.3 times as fast as one, and
// are 1.8 times), and little beside the sixtieth of a second between two ticks of a session. No
// pause instruction: on a virtual machine it may hand the processor to another guest.
constexpr int kLooks = 200000;
// With fewer processors than threads, a thread that looks keeps another from what it waits for.
constexpr int kLooksYielding = 100;

// Waits until the value is no longer `old`, and returns it.
std::uint32_t await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old,
                           bool crowded) {
  const int looks = crowded ? kLooksYielding : kLooks;
  for (int look = 0; look < looks; ++look) {
    const std::uint32_t now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    if (crowded) std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

// Whether the share of a job was still to be had; nobody else gets it then.
bool take(std::atomic<std::uint32_t>& offer, std::uint32_t generation) {
  return generation % 2 == 0 &&
         offer.compare_exchange_strong(generation, generation + 1, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(std::uint32_t threads)
    : threads_(threads),
      crowded_(threads > std::thread::hardware_concurrency()),
      workers_(std::make_unique<Worker[]>(std::max(threads, 1u) - 1)) {
  ORRERY_ASSERT(threads >= 1);
  ORRERY_ASSERT(threads <= limits::kThreadsMax);
  for (std::uint32_t i = 1; i < threads_; ++i) {
    Worker& worker = workers_[i - 1];
    try {
      worker.thread = start_sound_thread([this, &worker, i] { work(worker, i); });
    } catch (...) {
      end(i - 1);  // no destructor will
      throw;
    }
  }
}

ThreadPool::~ThreadPool() {
  ORRERY_ASSERT(!running_);
  end(threads_ - 1);
}

void ThreadPool::end(std::uint32_t started) {
  job_ = {};
  generation_ += 2;
  for (std::uint32_t i = 0; i < started; ++i) publish(workers_[i].offer, generation_);
  for (std::uint32_t i = 0; i < started; ++i) workers_[i].thread.join();
}

// Thread n is offered share n; the caller has share 0, and those that nobody has taken then.
void ThreadPool::run(std::uint32_t count, void (*task)(void*, std::uint32_t), void* context) {
  ORRERY_ASSERT(task != nullptr);
  ORRERY_ASSERT(!running_);
  if (count == 0) return;
  running_ = true;
  const std::uint32_t helpers = std::min(count, threads_) - 1;
  job_ = {count, helpers + 1, task, context};
  generation_ += 2;
  for (std::uint32_t i = 0; i < helpers; ++i) publish(workers_[i].offer, generation_);
  run_share(0);
  std::bitset<limits::kThreadsMax> begun;  // by their threads
  for (std::uint32_t i = 0; i < helpers; ++i) {
    begun[i] = !take(workers_[i].offer, generation_);
    if (!begun[i]) run_share(i + 1);
  }
  for (std::uint32_t i = 0; i < helpers; ++i) {
    if (!begun[i]) continue;
    const Worker& worker = workers_[i];
    Generation done = worker.done.load(std::memory_order_acquire);
    while (done != generation_) done = await_change(worker.done, done, crowded_);
  }
  running_ = false;
  if (out_of_memory_.exchange(false)) throw std::bad_alloc();
}

// The other shares must end before the caller may go: they use what it has on its stack.
void ThreadPool::run_share(std::uint32_t number) {
  try {
    for (std::uint32_t i = number; i < job_.count; i += job_.stride) job_.task(job_.context, i);
  } catch (const std::bad_alloc&) {
    out_of_memory_ = true;
  }
}

void ThreadPool::work(Worker& worker, std::uint32_t number) {
  Generation seen = 0;
  for (;;) {
    seen = await_change(worker.offer, seen, crowded_);
    if (!take(worker.offer, seen)) continue;
    if (job_.count == 0) return;
    run_share(number);
    publish(worker.done, seen);
    ++seen;
  }
}

}  // namespace orrery
