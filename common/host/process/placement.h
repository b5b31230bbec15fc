// Keeps the workers of a pool off the processor of the thread that gives them work.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <cstdint>
#include <span>

namespace orrery::host {

// Restricts workers to the processors that the constructing thread may use, less the one on which
// their caller runs. The scheduler of Linux often wakes a worker on the processor of its caller,
// although another one is idle. A tick of a session ends before the scheduler moves the worker.
//
// The workers share the other processors. If each had one for itself, the workers of two servers on
// a machine would meet on the same processors.
class Placement {
 public:
  // Reads the processors that the calling thread may use.
  Placement();

  // Returns how many processors these are, or 0 on a system with more than 1,024.
  std::uint32_t processors() const { return processors_; }

  // Moves the workers off the processor of the calling thread, if that is another one than in the
  // last call. Does nothing if there are fewer processors than threads.
  // REQUIRES: the threads run, and are the same in each call.
  void follow_caller(std::span<const pthread_t> workers);

 private:
  cpu_set_t allowed_;
  std::uint32_t processors_ = 0;
  int caller_ = -1;  // the caller's processor in the last call; -1: none
};

}  // namespace orrery::host
