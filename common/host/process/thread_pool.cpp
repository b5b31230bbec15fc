// Starts the threads of a tick and waits for them.
#include "common/host/process/thread_pool.h"

#include <algorithm>
#include <bitset>
#include <new>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "common/host/process/publish.h"
#include "common/host/process/sound_thread.h"

namespace orrery::host {
namespace {

// Number of polls of a value before a thread sleeps. They take some tens of microseconds, longer
// than one thread waits for another in a loop of ticks. A sleeping thread would be woken too late,
// which costs much of the gain from a second thread. The polls are also short compared with the
// time between two ticks of a session.
//
// There is no pause instruction: on a virtual machine it may hand the processor to another guest.
constexpr int kPolls = 200000;
// Number of polls if there are fewer processors than threads. A polling thread then occupies the
// processor that another thread needs.
constexpr int kPollsYielding = 100;

// Waits until the value is no longer `old`, and returns it.
std::uint32_t await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old,
                           bool crowded) {
  const int looks = crowded ? kPollsYielding : kPolls;
  for (int look = 0; look < looks; ++look) {
    const std::uint32_t now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    if (crowded) std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

// Takes a worker's share of job `generation`. Returns false if another thread has taken it.
bool take(std::atomic<std::uint32_t>& offer, std::uint32_t generation) {
  return generation % 2 == 0 &&
         offer.compare_exchange_strong(generation, generation + 1, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(std::uint32_t threads)
    : threads_(threads),
      oversubscribed_(threads > placement_.processors() && placement_.processors() > 0),
      workers_(std::make_unique<Worker[]>(std::max(threads, 1u) - 1)) {
  ORRERY_ASSERT(threads >= 1);
  ORRERY_ASSERT(threads <= limits::kThreadsMax);
  handles_.reserve(threads_ - 1);  // so that nothing can throw after a worker has started
  for (std::uint32_t i = 1; i < threads_; ++i) {
    Worker& worker = workers_[i - 1];
    try {
      worker.thread = start_checked_thread([this, &worker, i] { work(worker, i); });
      handles_.push_back(worker.thread.native_handle());
    } catch (...) {
      end(i - 1);  // because the destructor will not run
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

// Worker n is offered share n. The caller runs share 0, and then every share that no worker has
// taken.
void ThreadPool::run(std::uint32_t count, void (*task)(void*, std::uint32_t), void* context) {
  ORRERY_ASSERT(task != nullptr);
  ORRERY_ASSERT(!running_);
  if (count == 0) return;
  running_ = true;
  placement_.follow_caller(handles_);
  const std::uint32_t helpers = std::min(count, threads_) - 1;
  job_ = {count, helpers + 1, task, context};
  generation_ += 2;
  for (std::uint32_t i = 0; i < helpers; ++i) publish(workers_[i].offer, generation_);
  run_share(0);
  std::bitset<limits::kThreadsMax> begun;  // shares that their workers have begun
  for (std::uint32_t i = 0; i < helpers; ++i) {
    begun[i] = !take(workers_[i].offer, generation_);
    if (!begun[i]) run_share(i + 1);
  }
  for (std::uint32_t i = 0; i < helpers; ++i) {
    if (!begun[i]) continue;
    const Worker& worker = workers_[i];
    Generation done = worker.done.load(std::memory_order_acquire);
    while (done != generation_) done = await_change(worker.done, done, oversubscribed_);
  }
  running_ = false;
  if (out_of_memory_.exchange(false)) throw std::bad_alloc();
}

// Runs one share. It catches bad_alloc, because the caller must not return while other shares use
// objects on its stack.
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
    seen = await_change(worker.offer, seen, oversubscribed_);
    if (!take(worker.offer, seen)) continue;
    if (job_.count == 0) return;
    run_share(number);
    publish(worker.done, seen);
    ++seen;
  }
}

}  // namespace orrery::host
