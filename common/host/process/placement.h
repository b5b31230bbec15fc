// Keeps the workers of a pool off the processor of the thread that gives them work.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <cstdint>
#include <span>

namespace orrery::host {

// Restricts workers to the processors that their caller may use, except the one it runs on. The
// scheduler of Linux often wakes a worker on the processor of its caller, although another one is
// idle. A tick of a session ends before the scheduler moves the worker.
//
// The workers share the other processors. If each worker had a fixed processor, workers of two
// servers on a machine could have the same one.
class Placement {
 public:
  // Counts the processors that the calling thread may use.
  Placement();

  // Returns that number, or 0 on a system with more than 1,024 processors.
  std::uint32_t processors() const { return processors_; }

  // Moves the workers off the processor of the calling thread, if that is another one than in the
  // last call. Reads again which processors this thread may use, because another program can change
  // that (`taskset -a -p`). Leaves workers where they are if there are fewer processors than
  // threads. If the system refuses, the next 10,000 calls that would move workers do nothing.
  // REQUIRES: the threads run, and are the same in each call.
  void follow_caller(std::span<const pthread_t> workers);
  // Does the same for a calling thread that runs on `processor`.
  void keep_off(int processor, std::span<const pthread_t> workers);

 private:
  std::uint32_t processors_ = 0;
  int caller_ = -1;         // the caller's processor when it was last followed; -1: none
  std::uint32_t skip_ = 0;  // calls to skip, because the system refused
};

// Returns the number of threads for each of `jobs` jobs that run at the same time and ask for
// `threads`. All jobs together have at most one thread for each processor, but each job has at
// least one. If the number of processors is 0, which means unknown, each job has what it asks for.
// REQUIRES: threads >= 1, jobs >= 1.
std::uint32_t threads_of_each(std::uint32_t threads, std::uint32_t jobs, std::uint32_t processors);

}  // namespace orrery::host
