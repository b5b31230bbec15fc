// Tests the search for pairs in spatial trees against brute force, for every instruction set.
#include "common/physics/broad/pair_search.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "common/core/rng.h"

namespace orrery {
namespace {

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

Vec3 draw(SplitMix64& random, double scale) {
  Vec3 v;
  v.x = scale * random.symmetric();
  v.y = scale * random.symmetric();
  v.z = scale * random.symmetric();
  return v;
}

physics::Proxy box_at(const Vec3& centre, const Vec3& half) {
  physics::Proxy proxy;
  proxy.box = {centre - half, centre + half};
  return proxy;
}

physics::Proxy ball_at(const Vec3& centre, double radius) {
  physics::Proxy proxy = box_at(centre, {radius, radius, radius});
  proxy.radius = radius;
  return proxy;
}

// Assigns slots in the order of the list, with gaps.
std::vector<physics::Proxy> numbered(std::vector<physics::Proxy> proxies) {
  for (std::uint32_t i = 0; i < proxies.size(); ++i) proxies[i].slot = 3 * i + i % 2;
  return proxies;
}

struct Case {
  std::string name;
  std::vector<physics::Proxy> proxies;
};

Case random_boxes(std::uint32_t count, double world, double size, std::uint64_t seed) {
  SplitMix64 random(seed);
  Case result{"random boxes", {}};
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vec3 centre = draw(random, world);
    const Vec3 half = draw(random, size);
    result.proxies.push_back(box_at(centre, physics::greater(half, -half)));
  }
  return result;
}

// Returns balls and boxes. Their radii and longest half edges are from 4 mm to 256 m.
Case mixed_sizes(std::uint64_t seed) {
  SplitMix64 random(seed);
  Case result{"mixed sizes", {}};
  for (std::uint32_t i = 0; i < 1500; ++i) {
    const double size = std::exp2(8 * random.symmetric() * random.symmetric());
    const Vec3 centre = draw(random, 40);
    result.proxies.push_back(i % 2 == 0 ? ball_at(centre, size)
                                        : box_at(centre, {size, size / 2, size / 3}));
  }
  return result;
}

// Returns six dense groups of bodies within 1e12 of the origin along each axis, and six within 1e3.
Case far_groups(std::uint64_t seed) {
  SplitMix64 random(seed);
  Case result{"far groups", {}};
  for (std::uint32_t group = 0; group < 12; ++group) {
    const Vec3 middle = draw(random, group < 6 ? 1e12 : 1e3);
    for (std::uint32_t i = 0; i < 60; ++i) {
      const Vec3 centre = middle + draw(random, 2);
      result.proxies.push_back(i % 3 == 0 ? ball_at(centre, 0.5) : box_at(centre, {0.5, 0.3, 0.2}));
    }
  }
  return result;
}

// Returns boxes and balls on a lattice. Neighbours touch exactly.
Case touching() {
  Case result{"touching", {}};
  for (int x = 0; x < 7; ++x) {
    for (int y = 0; y < 7; ++y) {
      for (int z = 0; z < 7; ++z) {
        const Vec3 centre{double(x), double(y), double(z)};
        result.proxies.push_back(y < 3 ? ball_at(centre, 0.5) : box_at(centre, {0.5, 0.5, 0.5}));
      }
    }
  }
  return result;
}

Case same_place() {
  Case result{"same place", {}};
  for (int i = 0; i < 200; ++i) result.proxies.push_back(ball_at({1, 2, 3}, 0.5));
  return result;
}

// Returns points and balls at coordinates up to the largest double, and boxes with sizes up to the
// largest double.
Case extremes() {
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  Case result{"extremes", {}};
  for (const double x : {-kMost, -1e300, -1e12, -1.0, 0.0, kLeast, 1.0, 1e12, 1e200, kMost}) {
    result.proxies.push_back(box_at({x, 0, -x}, {0, 0, 0}));
    result.proxies.push_back(ball_at({x / 2, x / 2, x / 2}, 0.5));
    result.proxies.push_back(box_at({0, 0, 0}, {std::abs(x), kLeast, 1}));
  }
  return result;
}

std::vector<Case> every_case() {
  std::vector<Case> cases{random_boxes(2000, 20, 1, 1),
                          random_boxes(1000, 1e-3, 1e-4, 2),
                          random_boxes(700, 1, 1, 3),
                          random_boxes(1000, 1e6, 1e5, 4),
                          mixed_sizes(5),
                          far_groups(6),
                          touching(),
                          same_place(),
                          extremes()};
  for (std::uint32_t count : {0u, 1u, 2u, 7u, 8u, 9u, 63u, 64u, 65u, 513u}) {
    cases.push_back(random_boxes(count, 4, 1, 100 + count));
    cases.back().name = std::to_string(count) + " boxes";
  }
  for (Case& c : cases) c.proxies = numbered(std::move(c.proxies));
  return cases;
}

bool near(const physics::Proxy& a, const physics::Proxy& b) {
  if (!physics::overlaps(a.box, b.box)) return false;
  if (std::isinf(a.radius) || std::isinf(b.radius)) return true;
  const auto middle = [](const physics::Aabb& box) {
    return Vec3{0.5 * (box.lower.x + box.upper.x), 0.5 * (box.lower.y + box.upper.y),
                0.5 * (box.lower.z + box.upper.z)};
  };
  const Vec3 between = middle(a.box) - middle(b.box);
  const double reach = a.radius + b.radius;
  return !(dot(between, between) > reach * reach);
}

physics::Pair ordered(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

std::vector<physics::Pair> in_order_found(const physics::PairFinder& finder) {
  return {finder.pairs().begin(), finder.pairs().end()};
}

std::vector<physics::Pair> sorted(const physics::PairFinder& finder) {
  std::vector<physics::Pair> pairs = in_order_found(finder);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<physics::Pair> every_pair_within(const std::vector<physics::Proxy>& bodies) {
  std::vector<physics::Pair> pairs;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      if (near(bodies[i], bodies[j])) pairs.push_back(ordered(bodies[i].slot, bodies[j].slot));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<physics::Pair> every_pair_between(const std::vector<physics::Proxy>& some,
                                              const std::vector<physics::Proxy>& others) {
  std::vector<physics::Pair> pairs;
  for (const physics::Proxy& a : some) {
    for (const physics::Proxy& b : others) {
      if (near(a, b)) pairs.push_back(ordered(a.slot, b.slot));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

physics::SpatialTree tree_of(const std::vector<physics::Proxy>& proxies) {
  physics::SpatialTree tree(static_cast<std::uint32_t>(proxies.size()));
  SerialExecutor executor;
  tree.build(proxies, executor);
  return tree;
}

std::uint32_t leaves_of(const physics::SpatialTree& tree) {
  return static_cast<std::uint32_t>(tree.leaves().size());
}

physics::PairFinder pairs_within(const physics::SpatialTree& tree) {
  physics::PairFinder finder;
  std::atomic<std::uint64_t> found{0};
  physics::find_pairs_within(tree, 0, leaves_of(tree), finder, found, kAll);
  EXPECT_EQ(found, finder.pairs().size());
  return finder;
}

void use_instruction_set(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(PairSearch, FindsWhatTryingAllPairsFinds) {
  for (const Case& c : every_case()) {
    SCOPED_TRACE(c.name);
    const std::vector<physics::Pair> expected = every_pair_within(c.proxies);
    EXPECT_EQ(sorted(pairs_within(tree_of(c.proxies))), expected);
    EXPECT_TRUE(c.proxies.size() <= 600 || expected.size() > 100);
  }
}

TEST(PairSearch, FindsThePairsOfTwoTrees) {
  const std::vector<Case> cases = every_case();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::vector<physics::Proxy>& some = cases[i].proxies;
    const std::vector<physics::Proxy>& others = cases[(i + 3) % cases.size()].proxies;
    if (others.empty()) continue;
    SCOPED_TRACE(cases[i].name);
    const physics::SpatialTree tree = tree_of(some);
    physics::PairFinder finder;
    std::atomic<std::uint64_t> found{0};
    physics::find_pairs_between(tree, 0, leaves_of(tree), tree_of(others), finder, found, kAll);
    EXPECT_EQ(sorted(finder), every_pair_between(some, others));
  }
}

TEST(PairSearch, FindsTheSameInTheSameOrderWithEveryInstructionSet) {
  const std::vector<Case> cases = every_case();
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const physics::SpatialTree tree = tree_of(c.proxies);
    const std::vector<physics::Pair> best = in_order_found(pairs_within(tree));
    for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) {
      use_instruction_set(rest & -rest);
      EXPECT_EQ(in_order_found(pairs_within(tree)), best) << hwy::TargetName(rest & -rest);
      use_instruction_set(0);
    }
  }
}

TEST(PairSearch, FindsTheSameInAnySplit) {
  const physics::SpatialTree tree = tree_of(random_boxes(3000, 20, 1, 9).proxies);
  const std::vector<physics::Pair> whole = in_order_found(pairs_within(tree));
  for (const std::uint32_t step : {1u, 7u, 100u}) {
    physics::PairFinder finder;
    std::atomic<std::uint64_t> found{0};
    for (std::uint32_t i = 0; i < leaves_of(tree); i += step) {
      physics::find_pairs_within(tree, i, std::min(i + step, leaves_of(tree)), finder, found, kAll);
    }
    EXPECT_EQ(in_order_found(finder), whole);
  }
}

TEST(PairSearch, EndsSoonAfterTheLimit) {
  constexpr std::uint32_t kBodies = 20000;
  const physics::SpatialTree tree =
      tree_of(numbered(std::vector<physics::Proxy>(kBodies, ball_at({5, 5, 5}, 0.5))));
  physics::PairFinder finder;
  std::atomic<std::uint64_t> found{0};
  physics::find_pairs_within(tree, 0, leaves_of(tree), finder, found, 1000000);
  EXPECT_GT(finder.pairs().size(), 1000000u);
  EXPECT_LE(finder.pairs().size(), 1000000u + 2 * physics::kFanOut * kBodies);
}

// One far and one huge body do not widen the leaves of other bodies. Only 80 of about 1,000 leaves
// may be 16 m long or more.
TEST(PairSearch, LeavesAreTightAmongFarAndHugeBodies) {
  std::vector<physics::Proxy> proxies = random_boxes(8000, 20, 0.3, 11).proxies;
  proxies.push_back(ball_at({1e12, -1e12, 1e11}, 0.5));
  proxies.push_back(box_at({0, 0, 0}, {500, 500, 500}));
  const physics::SpatialTree tree = tree_of(numbered(std::move(proxies)));
  std::uint32_t tight = 0;
  for (std::uint32_t i = 0; i < leaves_of(tree); ++i) {
    const physics::Aabb box = tree.bounds(0, i);
    const Vec3 size = box.upper - box.lower;
    if (size.x < 16 && size.y < 16 && size.z < 16) ++tight;
  }
  EXPECT_GE(tight + 80, leaves_of(tree));
}

}  // namespace
}  // namespace orrery
