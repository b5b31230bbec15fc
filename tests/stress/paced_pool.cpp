// Measures how much of the work of paced ticks the worker of a pool of two threads does.
//
// A tick at 60 Hz is shorter than the time after which the scheduler moves a waiting thread. A
// worker that was woken on the processor of the caller therefore gets no turn before the caller has
// done all the work.
//
//   paced_pool [TICKS]             exit code 1 if the worker does less than 90 % of its half
//   paced_pool --one [TICKS]       the same on one processor, where the worker cannot help
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "common/host/process/thread_pool.h"

namespace orrery {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kTick(16'667);
constexpr std::uint32_t kJobs = 20;        // in a tick
constexpr std::uint32_t kTasks = 2;        // in a job: one for each thread
constexpr std::uint32_t kLoops = 100'000;  // of a task: some tens of microseconds
constexpr double kLeastShare = 0.9;

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Job {
  std::thread::id caller;
  std::array<bool, kTasks> was_shared{};  // by task: whether a worker ran it
};

void run_task(void* context, std::uint32_t index) {
  Job& job = *static_cast<Job*>(context);
  for (std::uint32_t i = 0; i < kLoops; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
  job.was_shared[index] = std::this_thread::get_id() != job.caller;
}

struct Result {
  double share = 0;  // of the worker's half of the tasks, those that the worker ran
  double cpu = 0;    // CPU seconds of the caller
};

Result run_paced(Executor& executor, int ticks) {
  Result result;
  const double before = cpu_seconds();
  Clock::time_point next = Clock::now();
  for (int tick = 0; tick < ticks; ++tick) {
    std::this_thread::sleep_until(next += kTick);
    for (std::uint32_t i = 0; i < kJobs; ++i) {
      Job job{std::this_thread::get_id(), {}};
      executor.run(kTasks, run_task, &job);
      result.share +=
          static_cast<double>(std::count(job.was_shared.begin(), job.was_shared.end(), true));
    }
  }
  result.share /= ticks * static_cast<int>(kJobs);
  result.cpu = cpu_seconds() - before;
  return result;
}

// Restricts this thread, and those that it starts, to its present processor.
void use_one_processor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(::sched_getcpu()), &one);
  ::sched_setaffinity(0, sizeof(one), &one);
}

int main_of(int count, char** arguments) {
  const bool one = count > 1 && std::strcmp(arguments[1], "--one") == 0;
  const int number = one ? 2 : 1;
  const int ticks = count > number ? std::atoi(arguments[number]) : 120;
  if (one) use_one_processor();
  SerialExecutor serial;
  host::ThreadPool pool(2);
  const Result alone = run_paced(serial, ticks), shared = run_paced(pool, ticks);
  std::printf("the worker did %.1f %% of its half; the caller's CPU time is %.2f of one thread's\n",
              100 * shared.share, shared.cpu / alone.cpu);
  return shared.share >= kLeastShare ? 0 : 1;
}

}  // namespace
}  // namespace orrery

int main(int count, char** arguments) { return orrery::main_of(count, arguments); }
