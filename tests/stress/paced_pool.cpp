// Measures how much of the work of paced ticks the worker of a pool of two threads does.
//
// A tick at 60 Hz is shorter than the time after which the scheduler moves a waiting thread. A
// worker that was woken on the processor of the caller therefore gets no turn before the caller has
// done all the work.
//
//   paced_pool           exit code 1 if the worker does less than 90 % of its half
//   paced_pool --one     the same on one processor, where the worker cannot help
//
// The best of several short runs counts. A worker on the processor of the caller does almost
// nothing in each of them. The exit code is 77 if there is only one processor, or if other programs
// used the processors in all runs and none was good enough.
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>

#include "common/host/process/clock.h"
#include "common/host/process/placement.h"
#include "common/host/process/thread_pool.h"

namespace orrery {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kTick(16'667);
constexpr std::uint32_t kJobs = 20;        // in a tick
constexpr std::uint32_t kTasks = 2;        // in a job: one for each thread
constexpr std::uint32_t kLoops = 100'000;  // of a task: some tens of microseconds
constexpr double kLeastShare = 0.9;
constexpr int kTicks = 20;  // of a run
constexpr int kRunsMax = 20;
constexpr int kCalmRunsMax = 3;
constexpr double kOthersMost =
    0.1;  // seconds of CPU time of other programs, a second, in a calm run
constexpr int kSkipped = 77;

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Returns the CPU seconds of other programs and virtual machines since the start of the machine. If
// the system does not say, counts only this process, negatively.
double seconds_of_others() {
  double busy = 0;
  if (std::FILE* file = std::fopen("/proc/stat", "r")) {
    std::array<double, 8> at{};  // user, nice, system, idle, iowait, irq, softirq, steal
    if (std::fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &at[0], &at[1], &at[2], &at[3],
                    &at[4], &at[5], &at[6], &at[7]) != 8)
      at = {};
    busy = (at[0] + at[1] + at[2] + at[5] + at[6] + at[7]) /
           static_cast<double>(::sysconf(_SC_CLK_TCK));
    std::fclose(file);
  }
  return busy - host::process_cpu_seconds();
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
  bool calm = true;  // other programs used almost no CPU time
};

Result run_paced(Executor& executor) {
  Result result;
  const double before = cpu_seconds(), others = seconds_of_others();
  Clock::time_point next = Clock::now();
  for (int tick = 0; tick < kTicks; ++tick) {
    std::this_thread::sleep_until(next += kTick);
    for (std::uint32_t i = 0; i < kJobs; ++i) {
      Job job{std::this_thread::get_id(), {}};
      executor.run(kTasks, run_task, &job);
      result.share +=
          static_cast<double>(std::count(job.was_shared.begin(), job.was_shared.end(), true));
    }
  }
  result.share /= kTicks * static_cast<int>(kJobs);
  result.cpu = cpu_seconds() - before;
  const std::chrono::duration<double> length = kTicks * kTick;
  result.calm = seconds_of_others() - others < kOthersMost * length.count();
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
  if (host::Placement().processors() == 1) {
    std::puts("skipped: there is only one processor");
    return kSkipped;
  }
  if (one) use_one_processor();
  SerialExecutor serial;
  host::ThreadPool pool(2);
  const Result alone = run_paced(serial);
  Result best;
  int runs = 0, calm = 0;
  for (; runs < kRunsMax && calm < kCalmRunsMax && best.share < kLeastShare; ++runs) {
    const Result shared = run_paced(pool);
    if (shared.calm) ++calm;
    if (shared.share > best.share) best = shared;
  }
  std::printf(
      "best of %d runs: the worker did %.1f %% of its half; the caller's CPU time is %.2f "
      "of one thread's\n",
      runs, 100 * best.share, best.cpu / alone.cpu);
  if (best.share >= kLeastShare) return 0;
  if (calm > 0) return 1;
  std::puts("skipped: other programs used the processors in all runs");
  return kSkipped;
}

}  // namespace
}  // namespace orrery

int main(int count, char** arguments) { return orrery::main_of(count, arguments); }
