// The threads that share the work of a tick.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "common/core/executor.h"
#include "common/host/process/bell.h"
#include "common/host/process/placement.h"

namespace orrery::host {

// An Executor made of the calling thread and `threads - 1` workers. The caller starts a job by one
// store, which all workers read. A worker that is awake begins within a microsecond. Each worker
// polls for some tens of microseconds, and then sleeps until it is woken.
//
// The caller never waits for a worker that has not begun. When it has finished its own share, it
// also does every share that its worker has not begun. The worker may be asleep, or its processor
// busy. Workers stay off the processor of the caller if there are as many processors as threads
// (host/process/placement.h).
class ThreadPool final : public Executor {
 public:
  // Starts the workers. Throws std::system_error if the system cannot start a thread, and
  // FloatEnvironmentError (host/process/sound_thread.h) if a thread would not follow IEEE 754.
  // REQUIRES: `threads` is from 1 to limits::kThreadsMax.
  explicit ThreadPool(std::uint32_t threads);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::uint32_t width() const override { return threads_; }

  // Runs the tasks. Throws std::bad_alloc if a task did; some tasks may then not have run. No task
  // is still running when it returns or throws. REQUIRES: one thread calls it at a time, no task
  // calls it, and tasks throw nothing else.
  void run(std::uint32_t count, void (*task)(void* context, std::uint32_t index),
           void* context) override;

 private:
  // The number of a job, shifted left by 8 bits, plus the number of workers that it is offered to.
  // Offers grow from job to job.
  using Offer = std::uint64_t;

  struct Job {
    std::uint32_t count = 0;  // 0: end the thread
    std::uint32_t stride = 1;
    void (*task)(void*, std::uint32_t) = nullptr;
    void* context = nullptr;
  };

  // The job that the caller offers, in the cache line that all workers poll. `job` is written
  // before `offer`, and read only by threads that have taken a share.
  struct alignas(kWritersApart) Call {
    std::atomic<Offer> offer{0};
    Job job;
  };

  // The state shared by the caller and one worker. `taken` is the latest offer of which the worker
  // or the caller has taken the worker's share. `done` is the latest offer of which the worker has
  // finished its share.
  struct alignas(kWritersApart) Worker {
    std::atomic<Offer> taken{0};
    std::atomic<Offer> done{0};
    Bell bell;  // wakes the worker
    std::jthread thread;
  };

  void work(Worker& worker, std::uint32_t number);
  // Waits for a later offer than `seen` that includes worker `number`, and returns it.
  Offer await_offer(Worker& worker, std::uint32_t number, Offer seen);
  // Waits until the worker has finished its share of the offer.
  void await_done(const Worker& worker, Offer offer);
  // Offers a job to workers 1 to `helpers`, wakes those that sleep, and returns the offer.
  Offer start(const Job& job, std::uint32_t helpers);
  // Runs the tasks of one share: n, n + stride, n + 2 stride, ...
  void run_share(std::uint32_t n);
  // Ends the first `started` workers.
  void end(std::uint32_t started);

  const std::uint32_t threads_;
  Placement placement_;
  const bool oversubscribed_;  // more threads than processors
  const std::unique_ptr<Worker[]> workers_;
  std::vector<pthread_t> handles_;  // of the workers
  Call call_;
  Bell done_bell_;  // wakes the caller
  Offer latest_ = 0;
  bool running_ = false;
  std::atomic<bool> out_of_memory_{false};  // a task of the job threw std::bad_alloc
};

}  // namespace orrery::host
