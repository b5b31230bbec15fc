// Runs the tasks of an executor in reverse order.
#pragma once

#include "common/core/executor.h"

namespace orrery::test {

// An executor that reports a width above 1 but runs its tasks one after another, last one first.
// Results must not depend on the order of tasks. A test with this executor detects such a
// dependence without threads.
class BackwardExecutor final : public Executor {
 public:
  explicit BackwardExecutor(std::uint32_t width) : width_(width) {}
  std::uint32_t width() const override { return width_; }
  void run(std::uint32_t count, void (*task)(void*, std::uint32_t), void* context) override {
    for (std::uint32_t i = count; i-- > 0;) task(context, i);
  }

 private:
  std::uint32_t width_;
};

}  // namespace orrery::test
