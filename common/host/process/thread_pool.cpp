// Starts the threads of a tick and waits for them.
#include "common/host/process/thread_pool.h"

#include <algorithm>
#include <bitset>
#include <new>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "common/host/process/sound_thread.h"

namespace orrery::host {
namespace {

// Number of polls of a value before a thread sleeps. They take some tens of microseconds, longer
// than one thread waits for another in a loop of ticks. A sleeping thread would be woken too late,
// which costs much of the gain from a second thread. The polls are also short compared with the
// time between two ticks of a session.
//
// There is no pause instruction: on a virtual machine it may hand the processor to another guest.
constexpr int kPolls = 100000;
// Number of polls if there are fewer processors than threads. A polling thread then occupies the
// processor that another thread needs.
constexpr int kPollsYielding = 100;

constexpr int kOfferBits = 8;  // of the number of workers in an offer
static_assert(limits::kThreadsMax <= 1u << kOfferBits);

// Polls until is_true() or many polls have failed. Returns the last result.
bool poll(auto is_true, bool crowded) {
  const int polls = crowded ? kPollsYielding : kPolls;
  for (int i = 0; i < polls; ++i) {
    if (is_true()) return true;
    if (crowded) std::this_thread::yield();
  }
  return false;
}

// Takes a worker's share of an offer. Returns false if another thread has taken it.
bool take(std::atomic<std::uint64_t>& taken, std::uint64_t offer) {
  std::uint64_t before = taken.load(std::memory_order_relaxed);
  return before < offer && taken.compare_exchange_strong(before, offer, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(std::uint32_t threads)
    : threads_(threads),
      oversubscribed_(threads > placement_.processors() && placement_.processors() > 0),
      workers_(std::make_unique<Worker[]>(std::max(threads, 1u) - 1)) {
  ORRERY_ASSERT(threads >= 1);
  ORRERY_ASSERT(threads <= limits::kThreadsMax);
  handles_.reserve(threads_ - 1);  // so that push_back() cannot throw after its worker has started
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
  start({}, started);
  for (std::uint32_t i = 0; i < started; ++i) workers_[i].thread.join();
}

ThreadPool::Offer ThreadPool::start(const Job& job, std::uint32_t helpers) {
  call_.job = job;
  latest_ = ((latest_ >> kOfferBits) + 1) << kOfferBits | helpers;
  call_.offer.store(latest_, kBellOrder);
  for (std::uint32_t i = 0; i < helpers; ++i) workers_[i].bell.ring();
  return latest_;
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
  const Offer offer = start({count, helpers + 1, task, context}, helpers);
  run_share(0);
  std::bitset<limits::kThreadsMax> begun;  // shares that their workers took and may still run
  for (std::uint32_t i = 0; i < helpers; ++i) {
    if (workers_[i].done.load(std::memory_order_acquire) == offer) continue;
    begun[i] = !take(workers_[i].taken, offer);
    if (!begun[i]) run_share(i + 1);
  }
  for (std::uint32_t i = 0; i < helpers; ++i) {
    if (begun[i]) await_done(workers_[i], offer);
  }
  running_ = false;
  if (out_of_memory_.exchange(false)) throw std::bad_alloc();
}

void ThreadPool::await_done(const Worker& worker, Offer offer) {
  const auto is_done = [&] { return worker.done.load(kBellOrder) == offer; };
  if (!poll(is_done, oversubscribed_)) done_bell_.sleep_until(is_done);
}

// Runs one share. It catches bad_alloc, because the caller must not return while other shares use
// objects on its stack.
void ThreadPool::run_share(std::uint32_t number) {
  try {
    for (std::uint32_t i = number; i < call_.job.count; i += call_.job.stride) {
      call_.job.task(call_.job.context, i);
    }
  } catch (const std::bad_alloc&) {
    out_of_memory_ = true;
  }
}

ThreadPool::Offer ThreadPool::await_offer(Worker& worker, std::uint32_t number, Offer seen) {
  Offer offer = seen;
  const auto is_offered = [&] {
    offer = call_.offer.load(kBellOrder);
    return offer != seen && (offer & ((1u << kOfferBits) - 1)) >= number;
  };
  if (!poll(is_offered, oversubscribed_)) worker.bell.sleep_until(is_offered);
  return offer;
}

void ThreadPool::work(Worker& worker, std::uint32_t number) {
  for (Offer offer = 0;;) {
    offer = await_offer(worker, number, offer);
    if (!take(worker.taken, offer)) continue;
    if (call_.job.count == 0) return;
    run_share(number);
    worker.done.store(offer, kBellOrder);
    done_bell_.ring();
  }
}

}  // namespace orrery::host
