// Tests the thread pool: every task runs once, and results do not depend on the number of threads.
#include "common/host/process/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <set>
#include <vector>

#include "common/core/limits.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const std::uint32_t threads : {1u, 2u, 3u, 7u, 16u}) {
    host::ThreadPool pool(threads);
    EXPECT_EQ(pool.width(), threads);
    for (const std::uint32_t count : {0u, 1u, 2u, 5u, 16u, 100u}) {
      std::vector<std::atomic<int>> calls(count + 1);
      pool.run(
          count,
          [](void* context, std::uint32_t i) {
            ++(*static_cast<std::vector<std::atomic<int>>*>(context))[i];
          },
          &calls);
      for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(calls[i], 1) << threads << " " << i;
      EXPECT_EQ(calls[count], 0);
    }
  }
}

// Plain memory is synchronized: run() sees the writes of tasks, and tasks see the caller's earlier
// writes. The thread sanitizer reports violations.
TEST(ThreadPool, HandsMemoryToAndFro) {
  host::ThreadPool pool(4);
  struct Sum {
    std::uint64_t in = 0;
    std::uint64_t out[4] = {};
  } sum;
  std::uint64_t expected = 0;
  for (std::uint64_t round = 1; round <= 5000; ++round) {
    sum.in = round;
    pool.run(
        4,
        [](void* context, std::uint32_t i) {
          Sum& s = *static_cast<Sum*>(context);
          s.out[i] += s.in * (i + 1);
        },
        &sum);
    expected += round * 10;
    ASSERT_EQ(sum.out[0] + sum.out[1] + sum.out[2] + sum.out[3], expected);
  }
}

TEST(ThreadPool, EndsWithoutEverHavingRun) {
  for (int i = 0; i < 20; ++i) host::ThreadPool pool(8);
}

// Memory may run out in any task on any thread. The caller gets the error after all tasks ended.
TEST(ThreadPool, TellsTheCallerThatMemoryRanOut) {
  host::ThreadPool pool(3);
  struct Job {
    std::uint32_t fails = 0;
    std::atomic<std::uint32_t> running{0};
  };
  for (std::uint32_t fails = 0; fails < 9; ++fails) {
    for (int round = 0; round < 200; ++round) {
      Job job{fails};
      const auto task = [](void* context, std::uint32_t i) {
        Job& its = *static_cast<Job*>(context);
        ++its.running;
        const bool is_out = i == its.fails;
        --its.running;
        if (is_out) throw std::bad_alloc();
      };
      EXPECT_THROW(pool.run(9, task, &job), std::bad_alloc);
      EXPECT_EQ(job.running, 0u);
    }
  }
  std::atomic<std::uint32_t> calls{0};
  pool.run(
      9, [](void* context, std::uint32_t) { ++*static_cast<std::atomic<std::uint32_t>*>(context); },
      &calls);
  EXPECT_EQ(calls, 9u);
}

TEST(ThreadPool, StepsToTheSameStateWithAnyNumberOfThreads) {
  World reference(built_in_scene("free:1500").value());
  SerialExecutor serial;
  for (int i = 0; i < 50; ++i) step(reference, {}, serial);
  for (std::uint32_t threads = 1; threads <= 16; ++threads) {
    World world(built_in_scene("free:1500").value());
    host::ThreadPool pool(threads);
    for (int i = 0; i < 50; ++i) step(world, {}, pool);
    EXPECT_EQ(world.hash(), reference.hash()) << threads << " threads";
  }
}

TEST(ThreadPoolDeathTest, RefusesNoThreadsAndTooMany) {
  EXPECT_DEATH(host::ThreadPool(0), "threads >= 1");
  EXPECT_DEATH(host::ThreadPool(limits::kThreadsMax + 1), "threads <= limits::kThreadsMax");
}

}  // namespace
}  // namespace orrery
