// Measures how much of the work of paced ticks the worker of a pool of two threads does.
//
// A tick at 60 Hz is shorter than the time after which the scheduler moves a waiting thread to
// another processor. If a worker is woken on the processor of its caller, it therefore gets no turn
// before the caller has done all the work.
//
// The exit code is 1 in three cases. The worker does less than half of its half. The caller needs
// more than 85 % of the CPU time of one thread (not 50 %, because it polls while it waits for the
// worker). Or the measure fails its own test: a worker on the processor of the caller passes.
//
// Usually the worker does more than 90 % of its half. It does 75 % if the host of a virtual machine
// withholds a processor without a report, and 1 % on the processor of its caller.
//
// The best of several short runs counts, because other programs disturb some of them. The exit code
// is 77 if there is only one processor, or if other programs disturbed all runs.
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
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
constexpr double kLeastShare = 0.5;        // of the worker's half of the work
constexpr double kMostCpu = 0.85;  // CPU time of the caller, divided by that with one thread
constexpr int kTicks = 20;         // of a run
constexpr int kRunsMax = 20;
constexpr int kControlRunsMax = 5;
constexpr int kCalmRunsMax = 3;
// CPU seconds that other programs use at most in each second of a calm run.
constexpr double kOthersMost = 0.1;
constexpr int kSkipped = 77;

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Returns the CPU seconds of other programs and virtual machines since the start of the machine. If
// the system does not report its CPU time, returns that of this process with a negative sign.
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

// The best of several runs of a pool and of one thread by turns.
struct Best {
  double share = 0;
  double cpu = std::numeric_limits<double>::infinity();
  double cpu_of_one = std::numeric_limits<double>::infinity();
  int runs = 0;
  int calm_runs = 0;

  double cpu_share() const { return cpu / cpu_of_one; }
  bool passes() const { return share >= kLeastShare && cpu_share() <= kMostCpu; }
};

Best measure(Executor& pool, int runs_max) {
  SerialExecutor serial;
  Best best;
  while (best.runs < runs_max && best.calm_runs < kCalmRunsMax && !best.passes()) {
    best.cpu_of_one = std::min(best.cpu_of_one, run_paced(serial).cpu);
    const Result shared = run_paced(pool);
    best.share = std::max(best.share, shared.share);
    best.cpu = std::min(best.cpu, shared.cpu);
    ++best.runs;
    if (shared.calm) ++best.calm_runs;
  }
  return best;
}

void print(const char* name, const Best& best) {
  std::printf(
      "%s: the worker did %.1f %% of its half, and the caller's CPU time was %.2f of one "
      "thread's (best of %d runs)\n",
      name, 100 * best.share, best.cpu_share(), best.runs);
}

// Restricts both threads of the pool to the present processor of the caller.
void use_one_processor(Executor& pool) {
  struct Move {
    cpu_set_t one;
    std::atomic<bool> is_done{false};
  } move;
  CPU_ZERO(&move.one);
  CPU_SET(static_cast<unsigned>(::sched_getcpu()), &move.one);
  const auto task = [](void* context, std::uint32_t index) {
    Move& its = *static_cast<Move*>(context);
    if (index == 0) return its.is_done.wait(false);  // so that the worker takes the other task
    ::sched_setaffinity(0, sizeof(its.one), &its.one);
    its.is_done = true;
    its.is_done.notify_one();
  };
  pool.run(2, task, &move);
  ::sched_setaffinity(0, sizeof(move.one), &move.one);
}

int main_of() {
  if (host::Placement().processors() == 1) {
    std::puts("skipped: there is only one processor");
    return kSkipped;
  }
  host::ThreadPool pool(2);
  const Best best = measure(pool, kRunsMax);
  print("pool", best);
  use_one_processor(pool);
  const Best control = measure(pool, kControlRunsMax);
  print("control on one processor", control);
  if (control.passes()) return 1;
  if (best.passes()) return 0;
  if (best.calm_runs > 0) return 1;
  std::puts("skipped: other programs used the processors in all runs");
  return kSkipped;
}

}  // namespace
}  // namespace orrery

int main() { return orrery::main_of(); }
