// Owns the threads that share a tick.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "common/core/executor.h"

namespace orrery {

// An Executor of the calling thread and `threads - 1` others. The start and the end of a job cost
// less than a microsecond while the threads are awake: each looks at a cache line of its own for
// some tens of microseconds, and then sleeps until it is woken. What a thread has not begun when
// the caller is done with its own share the caller does itself: a thread that sleeps, or whose
// processor does something else, keeps nobody waiting.
class ThreadPool final : public Executor {
 public:
  // threads: from 1 to limits::kThreadsMax. Throws std::system_error if the system has not so many,
  // UnsoundFloats (host/sound_thread.h) if one of them would not compute as IEEE 754 says.
  explicit ThreadPool(std::uint32_t threads);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::uint32_t width() const override { return threads_; }

  // Only one thread at a time may call it, and no task may. Throws std::bad_alloc if a task did,
  // after all tasks have ended; tasks throw nothing else.
  void run(std::uint32_t count, void (*task)(void* context, std::uint32_t index),
           void* context) override;

 private:
  using Generation = std::uint32_t;

  // What the caller and one worker tell each other: in `offer` the number of the latest job, made
  // odd by who takes the worker's share of it, and in `done`, written by the worker alone, that of
  // the latest whose share it has done.
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
  // The tasks of one share: n, n + stride, n + 2 stride, ...
  void run_share(std::uint32_t n);
  // Ends the first `started` workers.
  void end(std::uint32_t started);

  const std::uint32_t threads_;
  const bool crowded_;  // more threads than processors
  const std::unique_ptr<Worker[]> workers_;
  Job job_;                    // written before it is offered, read by who has taken a share of it
  Generation generation_ = 0;  // even
  bool running_ = false;
  std::atomic<bool> out_of_memory_{false};  // in a task of the job
};

}  // namespace orrery
