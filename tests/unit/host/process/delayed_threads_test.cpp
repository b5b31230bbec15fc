// Tests that no result depends on which thread runs when.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "common/core/hash.h"
#include "common/core/rng.h"
#include "common/host/process/thread_pool.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/source_path.h"

namespace orrery {
namespace {

constexpr std::uint64_t kTick = 100;

// A thread pool that begins each task after a random delay. The longest delays are about as long as
// a task.
class DelayingPool final : public Executor {
 public:
  DelayingPool(std::uint32_t threads, std::uint64_t seed) : pool_(threads), random_(seed) {}
  std::uint32_t width() const override { return pool_.width(); }
  void run(std::uint32_t count, void (*task)(void*, std::uint32_t), void* context) override {
    struct Delayed {
      std::uint64_t random;
      void (*task)(void*, std::uint32_t);
      void* context;
    } delayed{random_.next(), task, context};
    pool_.run(
        count,
        [](void* pointer, std::uint32_t index) {
          const Delayed& its = *static_cast<Delayed*>(pointer);
          delay(mix64(its.random + index));
          its.task(its.context, index);
        },
        &delayed);
  }

 private:
  // Every order of magnitude of the delay is equally likely.
  static void delay(std::uint64_t random) {
    const std::uint64_t loops = (random >> 8) & ((std::uint64_t{1} << random % 14) - 1);
    for (std::uint64_t i = 0; i < loops; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
    if (random >> 61 == 0) std::this_thread::yield();
  }

  host::ThreadPool pool_;
  SplitMix64 random_;
};

struct Golden {
  std::string scene;
  std::uint64_t hash;
};

// Returns the golden hashes of all scenes with contacts or joints after kTick ticks without
// commands.
std::vector<Golden> golden_hashes() {
  std::ifstream file(test::source_path("tests/golden/hashes.txt"));
  std::vector<Golden> found;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string scene, hash;
    std::uint64_t tick = 0;
    if (!(words >> scene >> tick >> hash) || tick != kTick) continue;
    const Result<Scene> known = built_in_scene(scene);  // not `+commands` and the like
    if (known && World(known.value()).collision()) {
      found.push_back({scene, std::stoull(hash, nullptr, 16)});
    }
  }
  return found;
}

class DelayedThreads : public testing::TestWithParam<std::uint32_t> {};

TEST_P(DelayedThreads, GiveTheGoldenHashes) {
  const std::vector<Golden> golden = golden_hashes();
  ASSERT_GE(golden.size(), 8u);
  for (const Golden& expected : golden) {
    World world(built_in_scene(expected.scene).value());
    DelayingPool pool(GetParam(), GetParam());
    for (std::uint64_t tick = 0; tick < kTick; ++tick) step(world, {}, pool);
    ASSERT_EQ(world.hash(), expected.hash) << expected.scene;
  }
}

// Numbers of threads. More threads than processors only make the test slow: a thread may lose its
// processor while all others wait for its share.
INSTANTIATE_TEST_SUITE_P(Threads, DelayedThreads, testing::Values(1, 2, 3, 7, 16));

// A sum of binary64 numbers in the order in which tasks end depends on the threads. The test shows
// that the delays change this order.
TEST(DelayingPool, ChangesTheOrderOfTasks) {
  DelayingPool pool(2, 1);
  bool first_ended_first = false, second_ended_first = false;
  for (int i = 0; i < 100000 && !(first_ended_first && second_ended_first); ++i) {
    std::atomic<int> first{-1};
    pool.run(
        2,
        [](void* pointer, std::uint32_t index) {
          int none = -1;
          static_cast<std::atomic<int>*>(pointer)->compare_exchange_strong(none,
                                                                           static_cast<int>(index));
        },
        &first);
    (first == 0 ? first_ended_first : second_ended_first) = true;
  }
  EXPECT_TRUE(first_ended_first);
  EXPECT_TRUE(second_ended_first);
}

}  // namespace
}  // namespace orrery
