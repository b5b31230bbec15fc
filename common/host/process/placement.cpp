// Reads and sets the processors that threads may use.
#include "common/host/process/placement.h"

namespace orrery::host {

Placement::Placement() {
  CPU_ZERO(&allowed_);
  if (::sched_getaffinity(0, sizeof(allowed_), &allowed_) != 0) return;
  processors_ = static_cast<std::uint32_t>(CPU_COUNT(&allowed_));
}

// A call that fails leaves the worker where it is: processors may have been taken from the process.
void Placement::follow_caller(std::span<const pthread_t> workers) {
  if (processors_ <= workers.size()) return;
  const int caller = ::sched_getcpu();
  if (caller == caller_) return;
  caller_ = caller;
  cpu_set_t others = allowed_;
  if (caller >= 0 && caller < CPU_SETSIZE) CPU_CLR(static_cast<unsigned>(caller), &others);
  for (const pthread_t worker : workers) ::pthread_setaffinity_np(worker, sizeof(others), &others);
}

}  // namespace orrery::host
