// The threads that share the work of a tick.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "common/core/executor.h"
#include "common/host/process/placement.h"

namespace orrery::host {

// An Executor made of the calling thread and `threads - 1` workers. Starting and ending a job costs
// less than a microsecond while the workers are awake. Each worker polls its own cache line for
// some tens of microseconds, and then sleeps until it is woken.
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
  using Generation = std::uint32_t;

  // The state shared by the caller and one worker. `offer` is the number of the latest job. The
  // thread that takes the worker's share of that job makes it odd. `done` is the number of the
  // latest job of which the worker has finished its share; only the worker writes it.
  struct Worker {
    alignas(64) std::atomic<Generation> offer{0};
    alignas(64) std::atomic<Generation> done{0};
    std::jthread thread;
  };

  struct Job {
    std::uint32_t count = 0;  // 0: end the thread
    std::uint32_t stride = 1;
    void (*task)(void*, std::uint32_t) = nullptr;
    void* context = nullptr;
  };

  void work(Worker& worker, std::uint32_t number);
  // Runs the tasks of one share: n, n + stride, n + 2 stride, ...
  void run_share(std::uint32_t n);
  // Ends the first `started` workers.
  void end(std::uint32_t started);

  const std::uint32_t threads_;
  Placement placement_;
  const bool oversubscribed_;  // more threads than processors
  const std::unique_ptr<Worker[]> workers_;
  std::vector<pthread_t> handles_;  // of the workers
  Job job_;  // written before it is offered, read only by threads that have taken a share
  Generation generation_ = 0;  // number of the latest job; always even
  bool running_ = false;
  std::atomic<bool> out_of_memory_{false};  // a task of the job threw std::bad_alloc
};

}  // namespace orrery::host
