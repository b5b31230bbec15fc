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

  // step() calls begin_tick() before each tick and end_tick() after it. width() may change only in
  // these two functions.
  virtual void begin_tick() {}
  virtual void end_tick() {}
};

// An executor that runs everything on the calling thread.
class SerialExecutor final : public Executor {
 public:
  std::uint32_t width() const override { return 1; }
  void run(std::uint32_t count, void (*task)(void*, std::uint32_t), void* context) override {
    for (std::uint32_t i = 0; i < count; ++i) task(context, i);
  }
};

// A split of [0, size) into at most `width` contiguous ranges. No range is shorter than `least`
// items, unless it is the only one. REQUIRES: width >= 1, least >= 1.
struct Split {
  Split(std::uint32_t width, std::uint32_t size_in, std::uint32_t least)
      : size(size_in), parts(std::max(1u, std::min(width, size_in / least))) {}
  // Returns the beginning of range i, or the end of the last range. REQUIRES: i <= parts.
  std::uint32_t bound(std::uint32_t i) const {
    return static_cast<std::uint32_t>(std::uint64_t{size} * i / parts);
  }
  std::uint32_t size;
  std::uint32_t parts;  // number of ranges
};

// Splits [0, size) into contiguous ranges and calls body(begin, end) for each. There are at most
// executor.width() ranges. None is shorter than `least` items, unless a single range covers
// everything.
//
// Handing a range to another thread costs less than a microsecond while that thread polls for work,
// and some microseconds while it sleeps. Choose `least` so that the work on `least` items takes a
// few microseconds. REQUIRES: least >= 1.
template <class Body>
void parallel_ranges(Executor& executor, std::uint32_t size, std::uint32_t least, Body body) {
  ORRERY_ASSERT(least >= 1);
  const Split split(executor.width(), size, least);
  if (split.parts == 1) return body(std::uint32_t{0}, size);
  struct Context {
    Body& body;
    const Split& split;
  } context{body, split};
  executor.run(
      split.parts,
      [](void* pointer, std::uint32_t i) {
        const Context& c = *static_cast<Context*>(pointer);
        ORRERY_ASSERT(c.split.bound(i) < c.split.bound(i + 1));
        c.body(c.split.bound(i), c.split.bound(i + 1));
      },
      &context);
}

// Calls body(part, begin, end) for each range of `split`, on several threads as parallel_ranges()
// does. Parts are numbered from 0. With these numbers, the caller can combine results of the ranges
// in a fixed order.
template <class Body>
void parallel_parts(Executor& executor, const Split& split, Body body) {
  parallel_ranges(executor, split.parts, 1, [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t i = first; i < last; ++i) body(i, split.bound(i), split.bound(i + 1));
  });
}

}  // namespace orrery
