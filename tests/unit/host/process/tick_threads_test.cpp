// Tests that ticks get several threads if these are faster, and one thread otherwise.
#include "common/host/process/tick_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "common/core/rng.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "server/pacer.h"

namespace orrery {
namespace {

// Runs `ticks` ticks. Returns how many of them used one thread.
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

// Another program uses a processor. With two threads, every eighth tick waits long for a thread
// that does not run.
TEST(ThreadChoice, UsesOneThreadWhereSomeTicksWaitLong) {
  host::ThreadChoice choice(2);
  const auto time = [](auto threads, int tick) {
    if (threads == 1) return 90;
    return tick % 8 == 0 ? 600 : 60;
  };
  EXPECT_GT(with_one(choice, 10000, time), 9500);
}

// After the world has grown, at most 32 + 32 + 33 ticks pass until all threads are in use. These
// are the rest of a mean that began before, a mean of 32 ticks in the grown world, and a trial of
// 33 ticks.
TEST(ThreadChoice, FollowsAWorldThatGrowsAtAnyTime) {
  for (int ticks = 5000; ticks < 10000; ticks += 100) {
    host::ThreadChoice choice(2);
    EXPECT_GT(with_one(choice, ticks, [](auto threads, int) { return threads == 1 ? 5 : 9; }),
              ticks - 400);
    const auto grown = [](auto threads, int) { return threads == 1 ? 900 : 500; };
    with_one(choice, 32 + 32 + 33, grown);
    EXPECT_LT(with_one(choice, 5000, grown), 100) << ticks;
  }
}

TEST(ThreadChoice, FollowsAWorldThatShrinksAtAnyTime) {
  for (int ticks = 5000; ticks < 10000; ticks += 100) {
    host::ThreadChoice choice(2);
    with_one(choice, ticks, [](auto threads, int) { return threads == 1 ? 900 : 500; });
    const auto shrunk = [](auto threads, int) { return threads == 1 ? 5 : 9; };
    with_one(choice, 32 + 32 + 33, shrunk);
    EXPECT_GT(with_one(choice, 5000, shrunk), 4600) << ticks;
  }
}

// A server at 60 Hz in virtual time.
struct PacedServer {
  host::ThreadChoice choice{8};
  server::Pacer pacer{60, 0};
  net::Nanoseconds now = 0;
  int one = 0;    // ticks on one thread
  int ticks = 0;  // all ticks

  // Runs until `end`. `with_all` and `with_one` are the times of a tick with all threads and with
  // one.
  void run(net::Nanoseconds end, net::Nanoseconds with_all, net::Nanoseconds with_one) {
    while (now < end) {
      const std::uint32_t due = pacer.due(now);
      if (due == 0) now = pacer.next();
      for (std::uint32_t i = 0; i < due; ++i) {
        const bool is_one = choice.threads() == 1;
        const net::Nanoseconds time = is_one ? with_one : with_all;
        add(time);
      }
    }
  }
  // Makes the ticks that are due next.
  void run_next(net::Nanoseconds with_all, net::Nanoseconds with_one) {
    run(std::max(now, pacer.next()) + 1, with_all, with_one);
  }
  // Makes a tick of a given length.
  void add(net::Nanoseconds time) {
    one += choice.threads() == 1 ? 1 : 0;
    ++ticks;
    choice.add(time);
    now += time;
  }
};

// 60 ticks of 30 ms each on one thread take 1.8 s. At 60 Hz, 108 ticks are due in this time.
TEST(ThreadChoice, ReactsToAGrownWorldBeforeManyTicksAreLost) {
  using net::kMillisecond, net::kSecond;
  for (net::Nanoseconds grows = 100 * kSecond; grows < 200 * kSecond; grows += 5 * kSecond) {
    PacedServer server;
    server.run(grows, kMillisecond / 8, kMillisecond / 10);
    EXPECT_GT(server.one, 5000);
    EXPECT_EQ(server.pacer.slowed(), 0u);
    server.one = 0;
    server.run(grows + 30 * kSecond, 10 * kMillisecond, 30 * kMillisecond);
    EXPECT_LT(server.one, 80) << grows;
    EXPECT_LT(server.pacer.slowed(), 60u) << grows;
  }
}

// With all threads the server keeps up with 60 ticks per second; with one thread it does not.
TEST(ThreadChoice, TrialsOfOneThreadLoseNoTicks) {
  using net::kMillisecond, net::kSecond;
  struct Times {
    net::Nanoseconds all, one;
  };
  for (const Times times : {Times{8, 48}, {12, 24}, {12, 36}, {12, 48}, {12, 72}, {15, 80}}) {
    PacedServer server;
    server.run(300 * kSecond, times.all * kMillisecond, times.one * kMillisecond);
    EXPECT_EQ(server.pacer.slowed(), 0u) << times.all << " " << times.one;
    EXPECT_GT(server.one, 0) << times.all << " " << times.one;
    EXPECT_EQ(server.choice.threads(), 8u);
  }
}

// A tick on one thread is so long that a trial of one thread loses ticks. At most ten ticks may be
// lost in an hour.
TEST(ThreadChoice, TrialsThatLoseTicksAreRare) {
  using net::kMillisecond, net::kSecond;
  PacedServer server;
  server.run(3600 * kSecond, 12 * kMillisecond, 96 * kMillisecond);
  EXPECT_GT(server.one, 0);
  EXPECT_LE(server.pacer.slowed(), 10u);
}

// A tick of five seconds, for example because a virtual machine stood still or because the first
// tick is slow. The server loses 297 ticks by the pause itself.
TEST(ThreadChoice, APauseCostsOnlyItsOwnTicks) {
  using net::kMillisecond, net::kSecond;
  for (const int pauses : {1, 4}) {
    for (int before = 0; before < 5000; before += 7) {
      PacedServer server;
      while (server.ticks < before) server.run_next(12 * kMillisecond, 150 * kMillisecond);
      const std::uint64_t slowed = server.pacer.slowed();
      const int one = server.one;
      for (int pause = 0; pause < pauses; ++pause) {
        server.add(5 * kSecond);
        server.run_next(12 * kMillisecond, 150 * kMillisecond);
      }
      server.run(server.now + 30 * kSecond, 12 * kMillisecond, 150 * kMillisecond);
      EXPECT_LE(server.one - one, 2) << before;
      EXPECT_LE(server.pacer.slowed() - slowed, 300u * static_cast<unsigned>(pauses) + 10)
          << before;
    }
  }
}

// The load of other programs, or of players, may come and go. While it is high, each trial of one
// thread loses ticks.
TEST(ThreadChoice, TrialsThatLoseTicksAreRareInAWorldThatSwings) {
  using net::kMillisecond, net::kSecond;
  for (const int period : {32, 64, 96, 128, 320}) {
    PacedServer server;
    while (server.now < 3600 * kSecond) {
      const bool is_slow = server.ticks % period < period / 2;
      server.run_next((is_slow ? 12 : 5) * kMillisecond, (is_slow ? 96 : 40) * kMillisecond);
    }
    EXPECT_LE(server.one, 60) << period;
    EXPECT_LE(server.pacer.slowed(), 60u) << period;
  }
}

// One thread and all threads are about equally fast, so noise can reverse a comparison. Switches
// must be few, because each moves memory between threads.
TEST(ThreadChoice, KeepsToOneWayWhereBothAreAboutAsFast) {
  for (const int all : {930, 940, 950, 960, 980, 1000, 1020}) {
    host::ThreadChoice choice(8);
    SplitMix64 random(static_cast<std::uint64_t>(all));
    int switches = 0;
    std::uint32_t last = 0;
    for (int tick = 0; tick < 200000; ++tick) {
      const bool is_one = choice.threads() == 1;
      if (choice.threads() != last) ++switches;
      last = choice.threads();
      choice.add((is_one ? 1000u : static_cast<unsigned>(all)) + random.below(100));
    }
    EXPECT_LE(switches, 300) << all;
  }
}

// Other programs stop, or the machine gets faster: only the time of one thread falls.
TEST(ThreadChoice, TriesOneThreadAgainAfterSomeMinutes) {
  host::ThreadChoice choice(8);
  with_one(choice, 1'000'000, [](auto threads, int) { return threads == 1 ? 96 : 12; });
  EXPECT_EQ(choice.threads(), 8u);
  with_one(choice, 10 * 60 * 60, [](auto threads, int) { return threads == 1 ? 8 : 12; });
  EXPECT_EQ(choice.threads(), 1u);
}

// Other programs use the processors: all threads now take longer than one did.
TEST(ThreadChoice, LeavesAllThreadsAtOnceWhenTheyBecomeSlowerThanOneWas) {
  host::ThreadChoice choice(8);
  with_one(choice, 100'000, [](auto threads, int) { return threads == 1 ? 96 : 12; });
  const auto busy = [](auto threads, int) { return threads == 1 ? 100 : 400; };
  with_one(choice, 32 + 32 + 5, busy);
  EXPECT_GT(with_one(choice, 1000, busy), 900);
}

// A trial of all threads is lost when its ticks take longer in total than 0.95 times 32 ticks on
// one thread. Here a tick takes 14 on one thread and 40 on all threads. Eleven ticks are then
// enough, because 11 * 40 > 0.95 * 32 * 14. The first tick of a trial does not count, so a trial
// has at most twelve ticks.
TEST(ThreadChoice, ATrialOfAllThreadsEndsWhenItIsLost) {
  host::ThreadChoice choice(2);
  int longest = 0, all = 0;
  for (int tick = 0; tick < 10000; ++tick) {
    all = choice.threads() == 1 ? 0 : all + 1;
    if (tick > 100) longest = std::max(longest, all);
    choice.add(choice.threads() == 1 ? 14 : 40);
  }
  EXPECT_GE(longest, 1);
  EXPECT_LE(longest, 12);
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
