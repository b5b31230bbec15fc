// Tests how processor time is shared among the connections of the web side.
#include "server/web/work_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace orrery::server::web {
namespace {

constexpr net::Nanoseconds kStart = 1000 * net::kSecond;
constexpr net::Nanoseconds kRate = 50'000;  // 5 % of a core
constexpr net::Nanoseconds kBurst = 500'000;

std::shared_ptr<Share> member() { return std::make_shared<Share>(); }

// Takes turns until the queue is empty, each with the same work. Returns the order.
std::string order_of(WorkQueue& queue, std::string& said, net::Nanoseconds work) {
  while (!queue.empty()) {
    WorkQueue::Turn turn = queue.take();
    turn.step.run();
    queue.charge(*turn.share, work);
  }
  return said;
}

TEST(WorkQueue, StepsOfOneMemberKeepTheirOrder) {
  WorkQueue queue(kRate, kBurst);
  std::string said;
  const auto only = member();
  for (const char name : {'a', 'b', 'c'}) {
    queue.add(only, Step([&said, name] { said += name; }));
  }
  EXPECT_EQ(order_of(queue, said, 1000), "abc");
}

TEST(WorkQueue, AMemberThatUsedLessComesFirst) {
  WorkQueue queue(kRate, kBurst);
  const auto greedy = member(), modest = member();
  std::string said;
  int left = 100;
  const auto again = [&](auto& self) -> void {
    said += 'g';
    if (--left > 0) queue.add(greedy, Step([&self] { self(self); }));
    if (left == 90) queue.add(modest, Step([&said] { said += 'm'; }));
  };
  queue.add(greedy, Step([&again] { again(again); }));
  order_of(queue, said, 1000);
  EXPECT_EQ(said.find('m'), 10u);  // at once
}

TEST(WorkQueue, MembersThatAlwaysWaitGetEqualTimes) {
  WorkQueue queue(kRate, kBurst);
  struct Greedy {
    std::shared_ptr<Share> share = member();
    net::Nanoseconds work = 0;
    net::Nanoseconds used = 0;
  };
  Greedy all[3];
  all[0].work = 1'000;
  all[1].work = 10'000;
  all[2].work = 100'000;
  for (Greedy& each : all) queue.add(each.share, Step([] {}));
  for (int i = 0; i < 10'000; ++i) {
    WorkQueue::Turn turn = queue.take();
    Greedy* const mine = std::find_if(all, all + 3, [&](auto& g) { return g.share == turn.share; });
    mine->used += mine->work;
    queue.charge(*turn.share, mine->work);
    queue.add(turn.share, Step([] {}));
  }
  for (const Greedy& each : all) {
    EXPECT_NEAR(static_cast<double>(each.used), static_cast<double>(all[0].used), 200'000.0);
  }
}

TEST(WorkQueue, AMemberWithAWeightGetsMore) {
  WorkQueue queue(kRate, kBurst);
  const auto heavy = member(), light = member();
  heavy->weight = 3;
  int turns = 0;
  for (const auto& each : {heavy, light}) queue.add(each, Step([] {}));
  for (int i = 0; i < 4'000; ++i) {
    WorkQueue::Turn turn = queue.take();
    turns += turn.share == heavy;
    queue.charge(*turn.share, 900);
    queue.add(turn.share, Step([] {}));
  }
  EXPECT_NEAR(turns, 3'000, 5);
}

TEST(WorkQueue, APauseSavesNothingForLater) {
  WorkQueue queue(kRate, kBurst);
  const auto busy = member(), idle = member();
  queue.add(idle, Step([] {}));
  queue.take();
  for (int i = 0; i < 1000; ++i) {
    queue.add(busy, Step([] {}));
    queue.charge(*queue.take().share, 1000);
  }
  for (int i = 0; i < 2; ++i) queue.add(busy, Step([] {}));
  queue.add(idle, Step([] {}));
  queue.charge(*queue.take().share, 10'000);  // of either
  queue.add(idle, Step([] {}));
  EXPECT_LE(busy->used, idle->used + 1'000'000);
  EXPECT_GE(idle->used, 990'000u);
}

TEST(WorkQueue, TheBucketHoldsABurstAndFillsAtItsRate) {
  WorkQueue queue(kRate, kBurst);
  EXPECT_EQ(queue.pause(kStart), 0u);
  queue.spend(kBurst);
  // the pause lasts until a quarter of a burst is there
  EXPECT_EQ(queue.pause(kStart), kBurst / 4 * net::kMillisecond / kRate);
  EXPECT_EQ(queue.pause(kStart + net::kMillisecond), 0u);
  queue.spend(kRate + 2 * kBurst);
  EXPECT_EQ(queue.pause(kStart + net::kMillisecond),
            (kBurst / 4 + 2 * kBurst) * net::kMillisecond / kRate);
  EXPECT_EQ(queue.pause(kStart + 3600 * net::kSecond), 0u);
  queue.spend(kBurst);  // an hour saved no more than a burst
  EXPECT_GT(queue.pause(kStart + 3600 * net::kSecond), 0u);
}

TEST(WorkQueue, WorkKeepsToTheRate) {
  WorkQueue queue(kRate, kBurst);
  net::Nanoseconds now = kStart, work = 0;
  while (now < kStart + 10 * net::kSecond) {
    if (const net::Nanoseconds pause = queue.pause(now)) {
      now += pause;
      continue;
    }
    queue.spend(7'000);
    work += 7'000;
    now += 7'000;
  }
  EXPECT_NEAR(static_cast<double>(work), 0.05 * 10e9, 0.01 * 0.05 * 10e9 + kBurst);
}

}  // namespace
}  // namespace orrery::server::web
