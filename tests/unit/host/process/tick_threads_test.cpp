// Tests that ticks get several threads if these are faster, and one thread otherwise.
#include "common/host/process/tick_threads.h"

#include <gtest/gtest.h>

#include <functional>

#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

// Runs ticks. Returns how many used one thread.
int with_one(host::ThreadChoice& choice, int ticks,
             const std::function<net::Nanoseconds(std::uint32_t threads, int tick)>& time) {
  int count = 0;
  for (int tick = 0; tick < ticks; ++tick) {
    const std::uint32_t threads = choice.threads();
    if (threads == 1) ++count;
    choice.add(time(threads, tick));
  }
  return count;
}

TEST(ThreadChoice, UsesAllThreadsWhereTheyAreFaster) {
  host::ThreadChoice choice(4);
  const int one = with_one(choice, 10000, [](auto threads, int) { return threads == 1 ? 90 : 60; });
  EXPECT_GT(one, 0);
  EXPECT_LT(one, 100);
  EXPECT_EQ(choice.threads(), 4u);
}

TEST(ThreadChoice, UsesOneThreadWhereAllAreHardlyFaster) {
  host::ThreadChoice choice(4);
  const int one = with_one(choice, 10000, [](auto threads, int) { return threads == 1 ? 90 : 87; });
  EXPECT_GT(one, 9500);
  EXPECT_LT(one, 10000);
}

// Beside another program, every eighth tick waits for a thread that does not run.
TEST(ThreadChoice, UsesOneThreadWhereSomeTicksWaitLong) {
  host::ThreadChoice choice(2);
  const auto time = [](auto threads, int tick) {
    if (threads == 1) return 90;
    return tick % 8 == 0 ? 600 : 60;
  };
  EXPECT_GT(with_one(choice, 10000, time), 9500);
}

// A world grows from 1 body to many: within 2,100 ticks all threads are in use.
TEST(ThreadChoice, FollowsAWorldThatGrows) {
  host::ThreadChoice choice(2);
  EXPECT_GT(with_one(choice, 20000, [](auto threads, int) { return threads == 1 ? 5 : 9; }), 19000);
  const auto grown = [](auto threads, int) { return threads == 1 ? 900 : 500; };
  with_one(choice, 2100, grown);
  EXPECT_LT(with_one(choice, 5000, grown), 100);
}

TEST(ThreadChoice, HasNothingToChooseWithOneThread) {
  host::ThreadChoice choice(1);
  EXPECT_EQ(with_one(choice, 100, [](auto, int) { return 1; }), 100);
}

TEST(TickThreads, GiveTheBitsOfOneThread) {
  World world(built_in_scene("pyramid").value()), other(built_in_scene("pyramid").value());
  SerialExecutor serial;
  host::TickThreads threads(2);
  for (int tick = 0; tick < 60; ++tick) {
    step(world, {}, serial);
    step(other, {}, threads);
    ASSERT_EQ(world.hash(), other.hash()) << tick;
  }
}

}  // namespace
}  // namespace orrery
