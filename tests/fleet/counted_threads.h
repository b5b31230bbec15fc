// Counts how often the threads of a tick share work.
#pragma once

#include <cstdint>

#include "common/host/process/thread_pool.h"

namespace orrery::fleet {

// A thread pool that counts its parallel runs, to show that a test really used threads.
class CountedThreads final : public Executor {
 public:
  explicit CountedThreads(std::uint32_t threads) : pool_(threads) {}

  std::uint32_t width() const override { return pool_.width(); }
  void run(std::uint32_t count, void (*task)(void*, std::uint32_t), void* context) override {
    if (pool_.width() > 1) ++shared_;
    pool_.run(count, task, context);
  }
  // Returns the number of parallel runs.
  std::uint64_t shared() const { return shared_; }

 private:
  host::ThreadPool pool_;
  std::uint64_t shared_ = 0;
};

}  // namespace orrery::fleet
