// Tests that trees hold every body once, in boxes that nest, for every executor.
#include "common/physics/shape/spatial_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "common/host/process/thread_pool.h"
#include "common/physics/shape/tree_walk.h"
#include "tests/support/colliding_bodies.h"

namespace orrery {
namespace {

using physics::Aabb;

// Returns cubes with half edges from a millimetre to a kilometre.
std::vector<physics::Proxy> random_proxies(std::uint32_t count, std::uint64_t seed) {
  SplitMix64 random(seed);
  std::vector<physics::Proxy> proxies(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vec3 centre = test::draw(random, 100);
    const double half = std::exp2(10 * random.symmetric());
    proxies[i].box = physics::enlarged({centre, centre}, half);
    proxies[i].slot = 2 * i + 1;
  }
  return proxies;
}

std::vector<std::uint32_t> overlapping(const physics::SpatialTree& tree, const Aabb& box) {
  std::vector<std::uint32_t> slots;
  physics::walk(
      tree, [&](const Aabb& other) { return physics::overlaps(box, other); },
      [&](std::uint32_t slot) { slots.push_back(slot); });
  return slots;
}

TEST(SpatialTree, FindsWhatBruteForceFinds) {
  for (const std::uint32_t count : {0u, 1u, 8u, 9u, 64u, 65u, 700u}) {
    const std::vector<physics::Proxy> proxies = random_proxies(count, count);
    SerialExecutor executor;
    physics::SpatialTree tree(1024);
    tree.build(proxies, executor);
    EXPECT_EQ(tree.empty(), count == 0);
    for (const physics::Proxy& query : random_proxies(50, 99)) {
      std::multiset<std::uint32_t> expected;
      for (const physics::Proxy& proxy : proxies) {
        if (physics::overlaps(proxy.box, query.box)) expected.insert(proxy.slot);
      }
      const std::vector<std::uint32_t> found = overlapping(tree, query.box);
      EXPECT_EQ(std::multiset<std::uint32_t>(found.begin(), found.end()), expected) << count;
    }
  }
}

TEST(SpatialTree, BoundsEachBlockByTheLaneAbove) {
  const std::vector<physics::Proxy> proxies = random_proxies(700, 5);
  SerialExecutor executor;
  physics::SpatialTree tree(704);
  tree.build(proxies, executor);
  ASSERT_EQ(tree.levels(), 4u);  // 88 leaves, 11 nodes, 2 nodes, the root
  ASSERT_EQ(tree.leaves().size(), 88u);
  Aabb all = proxies[0].box;
  for (const physics::Proxy& proxy : proxies) all = physics::united(all, proxy.box);
  EXPECT_EQ(tree.bounds(3, 0), all);
  for (std::uint32_t i = 0; i < 88; ++i) {
    EXPECT_EQ(tree.block(1, i / 8).box(i % 8), tree.bounds(0, i)) << i;
  }
}

// The tree sorts 700 keys in one task, but 30,000 keys in several tasks on an executor of width 5.
TEST(SpatialTree, IsTheSameForEveryExecutorAndAfterEveryTree) {
  SerialExecutor serial;
  test::BackwardExecutor backward(5);
  for (const std::uint32_t count : {700u, 30'000u}) {
    const std::vector<physics::Proxy> proxies = random_proxies(count, 6);
    physics::SpatialTree tree(30'000), used(30'000);
    tree.build(proxies, serial);
    used.build(random_proxies(300, 7), serial);
    used.build(proxies, backward);
    const Aabb everything{{-1e9, -1e9, -1e9}, {1e9, 1e9, 1e9}};
    EXPECT_EQ(overlapping(tree, everything), overlapping(used, everything));  // also in order
    EXPECT_EQ(overlapping(tree, everything).size(), count);
  }
}

// Sorts on real threads, so that the thread sanitizer can find races.
TEST(SpatialTree, SortsKeysOnThreads) {
  SerialExecutor serial;
  const std::vector<physics::Proxy> proxies = random_proxies(30'000, 8);
  const Aabb everything{{-1e9, -1e9, -1e9}, {1e9, 1e9, 1e9}};
  physics::SpatialTree tree(30'000);
  tree.build(proxies, serial);
  for (const std::uint32_t threads : {2u, 5u}) {
    host::ThreadPool pool(threads);
    physics::SpatialTree other(30'000);
    other.build(proxies, pool);
    EXPECT_EQ(overlapping(other, everything), overlapping(tree, everything)) << threads;
  }
}

}  // namespace
}  // namespace orrery
