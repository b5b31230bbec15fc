// Reads and sets the processors that threads may use.
#include "common/host/process/placement.h"

#include <algorithm>

#include "common/core/assert.h"

namespace orrery::host {
namespace {

// After the system has refused a call, this many calls do nothing: almost three minutes of ticks at
// 60 Hz.
constexpr std::uint32_t kSkipped = 10000;

}  // namespace

Placement::Placement() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  processors_ = static_cast<std::uint32_t>(CPU_COUNT(&allowed));
}

void Placement::follow_caller(std::span<const pthread_t> workers) {
  if (processors_ > 0) keep_off(::sched_getcpu(), workers);
}

void Placement::keep_off(int processor, std::span<const pthread_t> workers) {
  if (processor == caller_) return;
  if (skip_ > 0) {
    --skip_;
    return;
  }
  skip_ = kSkipped;
  cpu_set_t others;
  CPU_ZERO(&others);
  if (::sched_getaffinity(0, sizeof(others), &others) != 0) return;
  const bool enough = static_cast<std::size_t>(CPU_COUNT(&others)) > workers.size();
  if (processor >= 0 && processor < CPU_SETSIZE) CPU_CLR(static_cast<unsigned>(processor), &others);
  for (const pthread_t worker : workers) {
    if (enough && ::pthread_setaffinity_np(worker, sizeof(others), &others) != 0) return;
  }
  skip_ = 0;
  caller_ = processor;
}

std::uint32_t threads_of_each(std::uint32_t threads, std::uint32_t jobs, std::uint32_t processors) {
  ORRERY_ASSERT(threads >= 1 && jobs >= 1);
  if (processors == 0) return threads;
  return std::clamp(threads, 1u, std::max(processors / jobs, 1u));
}

}  // namespace orrery::host
