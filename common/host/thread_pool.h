// Owns the threads that share a tick.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "common/core/executor.h"

namespace orrery {

// An Executor of the calling thread and `threads - 1` others. The start and the end of a tick cost
// less than a microsecond while the threads are awake: each looks at a cache line of its own for a
// few microseconds, and then sleeps until it is woken.
class ThreadPool final : public Executor {
 public:
  // threads: from 1 to limits::kThreadsMax. Throws std::system_error if the system has not so many.
  explicit ThreadPool(std::uint32_t threads);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::uint32_t width() const override { return threads_; }

  // Only one thread at a time may call it, and no task may.
  void run(std::uint32_t count, void (*task)(void* context, std::uint32_t index),
           void* context) override;

 private:
  using Generation = std::uint32_t;

  // What the caller and one worker tell each other. `start` is written by the caller alone, `done`
  // by the worker alone: the number of the latest job begun, and ended.
  struct Worker {
    alignas(64) std::atomic<Generation> start{0};
    alignas(64) std::atomic<Generation> done{0};
    std::thread thread;
  };

  struct Job {
    std::uint32_t count = 0;  // 0: end the thread
    std::uint32_t stride = 0;
    void (*task)(void*, std::uint32_t) = nullptr;
    void* context = nullptr;
  };

  void work(Worker& worker, std::uint32_t number);
  // Ends the first `started` workers.
  void end(std::uint32_t started);

  const std::uint32_t threads_;
  const bool crowded_;  // more threads than processors
  const std::unique_ptr<Worker[]> workers_;
  Job job_;  // written before `start`, read after it
  Generation generation_ = 0;
  bool running_ = false;
};

}  // namespace orrery
