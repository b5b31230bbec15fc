// Stresses the thread pool with jobs and random pauses.
//
// The pauses between and in the jobs make the threads fall asleep while others wake them.
//
//   thread_pool_stress JOBS [SEED]   exit code 1 if a job did too few or too many tasks, a job did
//                                    not end, or threads slept too seldom
//   thread_pool_stress --plant       run a task that nobody wakes, to show that it is detected
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>

#include "common/core/hash.h"
#include "common/core/rng.h"
#include "common/host/process/placement.h"
#include "common/host/process/thread_pool.h"

namespace orrery {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kThreads[] = {2, 3, 5};  // 5: more than the processors of a small machine
constexpr std::uint64_t kJobsOfPool = 2000;      // jobs before the pool is replaced by a new one

std::atomic<std::uint64_t> jobs_done{0};
std::atomic<std::int64_t> watchdog_sleeps{0};

// Returns how often a thread or the process gave up its processor to wait.
std::int64_t sleeps_of(int threads) {
  rusage used{};
  ::getrusage(threads, &used);
  return used.ru_nvcsw;
}

// Ends the program if no job ends for a long time, because a thread has missed its wake-up.
void watch(const std::stop_token& stop, std::chrono::seconds bound, std::uint64_t seed) {
  std::uint64_t seen = jobs_done;
  Clock::time_point since = Clock::now();
  while (!stop.stop_requested()) {
    watchdog_sleeps = sleeps_of(RUSAGE_THREAD) + 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::uint64_t now = jobs_done;
    if (now != seen) {
      seen = now;
      since = Clock::now();
    } else if (Clock::now() - since > bound) {
      std::printf("A LOST WAKE-UP: job %" PRIu64 " has not ended for %d s, seed %" PRIu64 "\n", now,
                  static_cast<int>(bound.count()), seed);
      std::fflush(stdout);
      ::_exit(1);
    }
  }
}

// Keeps the processor busy for a random number of loops, at most 524,287. A waiting thread polls at
// most 100,000 times before it sleeps. Every order of magnitude of loops is equally likely.
void pause(std::uint64_t random) {
  const std::uint64_t bits = random % 20;
  const std::uint64_t looks = (random >> 8) & ((std::uint64_t{1} << bits) - 1);
  for (std::uint64_t i = 0; i < looks; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

struct Job {
  std::uint64_t random = 0;
  std::atomic<std::uint32_t> tasks{0};  // completed tasks
};

// Returns how often threads slept, without the watchdog.
std::int64_t sleeps() { return sleeps_of(RUSAGE_SELF) - watchdog_sleeps; }

// Runs jobs on one pool, and counts in `slept` those with a thread that slept before or in it.
// Returns false if a job did too few or too many tasks.
bool run_jobs(std::uint32_t threads, std::uint64_t jobs, SplitMix64& random, std::uint64_t& slept) {
  host::ThreadPool pool(threads);
  std::int64_t seen = sleeps();
  for (std::uint64_t i = 0; i < jobs; ++i) {
    pause(random.next());
    Job job{random.next()};
    const std::uint32_t count = 1 + random.below(2 * threads);
    pool.run(
        count,
        [](void* context, std::uint32_t index) {
          Job& its = *static_cast<Job*>(context);
          pause(mix64(its.random + index));
          its.tasks.fetch_add(1, std::memory_order_relaxed);
        },
        &job);
    ++jobs_done;
    const std::int64_t before = std::exchange(seen, sleeps());
    if (before < seen) ++slept;
    if (job.tasks == count) continue;
    std::printf("%u of %u tasks were done\n", job.tasks.load(), count);
    return false;
  }
  return true;
}

bool stress(std::uint64_t jobs, std::uint64_t seed) {
  std::printf("%" PRIu64 " jobs for each number of threads, seed %" PRIu64 "\n", jobs, seed);
  std::fflush(stdout);
  SplitMix64 random(seed);
  std::uint64_t slept = 0;
  for (const std::uint32_t threads : kThreads) {
    for (std::uint64_t left = jobs; left > 0; left -= std::min(left, kJobsOfPool)) {
      if (!run_jobs(threads, std::min(left, kJobsOfPool), random, slept)) return false;
    }
  }
  // If other programs keep the processors busy, the caller does the work of the other threads, and
  // these seldom sleep. More jobs are then needed.
  constexpr int kMorePools = 1000;
  for (int i = 0; i < kMorePools && slept <= jobs / 200; ++i) {
    if (!run_jobs(2, std::min(jobs, kJobsOfPool), random, slept)) return false;
  }
  std::printf("a thread slept in %" PRIu64 " jobs\n", slept);
  // With more threads than processors, threads seldom sleep: they mostly yield the processor.
  if (slept > jobs / 200 || host::Placement().processors() == 1) return true;
  std::printf("that is too seldom: the test tests nothing\n");
  return false;
}

// Runs a job with a task that waits for a notification that never comes.
bool plant() {
  host::ThreadPool pool(2);
  std::atomic<std::uint32_t> never{0};
  pool.run(
      2,
      [](void* context, std::uint32_t index) {
        if (index == 1) static_cast<std::atomic<std::uint32_t>*>(context)->wait(0);
      },
      &never);
  return false;
}

int main_of(int count, char** arguments) {
  const bool planted = count == 2 && std::strcmp(arguments[1], "--plant") == 0;
  if (count != 2 && count != 3) {
    std::fprintf(stderr, "usage: thread_pool_stress JOBS [SEED] | --plant\n");
    return 2;
  }
  const std::uint64_t jobs = std::strtoull(arguments[1], nullptr, 10);
  const std::uint64_t seed =
      count == 3 ? std::strtoull(arguments[2], nullptr, 10) : std::random_device()();
  const std::chrono::seconds bound(planted ? 1 : 60);
  std::jthread watchdog([=](const std::stop_token& stop) { watch(stop, bound, seed); });
  return (planted ? plant() : stress(jobs, seed)) ? 0 : 1;
}

}  // namespace
}  // namespace orrery

int main(int count, char** arguments) { return orrery::main_of(count, arguments); }
