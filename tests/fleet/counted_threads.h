// Owns the threads of a run's ticks, and how often they shared some work.
#pragma once

#include <cstdint>

#include "common/host/process/thread_pool.h"

namespace orrery::fleet {

class CountedThreads final : public Executor {
 public:
  explicit CountedThreads(std::uint32_t threads) : pool_(threads) {}

  std::uint32_t width() const override { return pool_.width(); }
  void run(std::uint32_t count, void (*task)(void*, std::uint32_t), void* context) override {
    if (pool_.width() > 1) ++shared_;
    pool_.run(count, task, context);
  }
  std::uint64_t shared() const { return shared_; }

 private:
  host::ThreadPool pool_;
  std::uint64_t shared_ = 0;
};

}  // namespace orrery::fleet
