// Owns the interface through which a tick may use more than one thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/core/assert.h"

namespace orrery {

// Runs independent tasks, in any order, on any threads, and returns when all are done. What the
// tasks compute must not depend on how many there are: results never depend on the thread count.
class Executor {
 public:
  virtual ~Executor() = default;

  // How many tasks can run at one time; at least 1.
  virtual std::uint32_t width() const = 0;

  // Calls task(context, i) once for each i below count.
  virtual void run(std::uint32_t count, void (*task)(void* context, std::uint32_t index),
                   void* context) = 0;
};

// Runs everything on the calling thread.
class SerialExecutor final : public Executor {
 public:
  std::uint32_t width() const override { return 1; }
  void run(std::uint32_t count, void (*task)(void*, std::uint32_t), void* context) override {
    for (std::uint32_t i = 0; i < count; ++i) task(context, i);
  }
};

// Splits [0, size) into contiguous ranges, at most one a thread and none of fewer than `least`
// items, and calls body(begin, end) for each. To hand a range to a thread and to hear of its end
// takes a microsecond or two, and several more if it sleeps: `least` items should take as long.
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
