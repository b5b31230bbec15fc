// Owns an executor that runs tasks in another order than any other.
#pragma once

#include "common/core/executor.h"

namespace orrery::test {

// Claims to be wide, and runs its tasks one after the other, the last one first.
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
