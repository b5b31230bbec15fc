// The interface through which a tick may use several threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/core/assert.h"

namespace orrery {

// The interface of a thread pool. It runs independent tasks on any threads, in any order. The
// caller's results must not depend on the number of threads or tasks.
class Executor {
 public:
  virtual ~Executor() = default;

  // Returns how many tasks can run at the same time: at least 1.
  virtual std::uint32_t width() const = 0;

  // Calls task(context, i) once for each i below `count`, and returns when all calls are done.
  virtual void run(std::uint32_t count, void (*task)(void* context, std::uint32_t index),
                   void* context) = 0;
};

// An executor that runs everything on the calling thread.
class SerialExecutor final : public Executor {
 public:
  std::uint32_t width() const override { return 1; }
  void run(std::uint32_t count, void (*task)(void*, std::uint32_t), void* context) override {
    for (std::uint32_t i = 0; i < count; ++i) task(context, i);
  }
};

// Splits [0, size) into contiguous ranges and calls body(begin, end) for each. There are at most
// executor.width() ranges. None is shorter than `least` items, unless a single range covers
// everything.
//
// Handing a range to another thread costs a few microseconds, and more if the thread sleeps. Choose
// `least` so that the work on `least` items takes at least as long. REQUIRES: least >= 1.
template <class Body>
void parallel_ranges(Executor& executor, std::uint32_t size, std::uint32_t least, Body body) {
  ORRERY_ASSERT(least >= 1);
  const std::uint32_t parts = std::min(executor.width(), size / least);
  if (parts <= 1) return body(std::uint32_t{0}, size);
  struct Context {
    Body& body;
    std::uint32_t size;
    std::uint32_t parts;
  } context{body, size, parts};
  executor.run(
      parts,
      [](void* pointer, std::uint32_t i) {
        const Context& c = *static_cast<Context*>(pointer);
        const auto bound = [&c](std::uint32_t part) {
          return static_cast<std::uint32_t>(std::uint64_t{c.size} * part / c.parts);
        };
        ORRERY_ASSERT(bound(i) < bound(i + 1));
        c.body(bound(i), bound(i + 1));
      },
      &context);
}

}  // namespace orrery
