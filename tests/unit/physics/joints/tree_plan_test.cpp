// Tests which joints form trees, and the plan of their elimination against a dense matrix.
#include "common/physics/joints/tree_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "common/core/rng.h"

namespace orrery {
namespace {

using physics::Joint;
using physics::JointKind;
using physics::TreeGroup;
using physics::TreePlan;

Joint joint(std::uint32_t a, std::uint32_t b, JointKind kind = JointKind::ball) {
  Joint result;
  result.kind = kind;
  result.a = a;
  result.b = b;
  return result;
}

Joint to_fixed(std::uint32_t fixed, std::uint32_t b) {
  Joint result = joint(fixed, b);
  result.a_moves = false;
  return result;
}

std::vector<TreeGroup> groups_of(const std::vector<Joint>& joints) { return group_trees(joints); }

std::set<std::uint32_t> joints_in(const std::vector<TreeGroup>& groups) {
  std::set<std::uint32_t> all;
  for (const TreeGroup& group : groups) all.insert(group.joints.begin(), group.joints.end());
  return all;
}

TEST(TreePlan, EqualTreesShareAPlan) {
  std::vector<Joint> joints;
  for (std::uint32_t doll = 0; doll < 5; ++doll) {
    const std::uint32_t first = 4 * doll;
    joints.push_back(joint(first, first + 1));
    joints.push_back(joint(first, first + 2, JointKind::hinge));
    joints.push_back(joint(first + 2, first + 3));
  }
  joints.push_back(joint(20, 21));
  const std::vector<TreeGroup> groups = groups_of(joints);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].trees, 5u);
  EXPECT_EQ(groups[0].plan.rows, 11u);
  EXPECT_EQ(groups[0].plan.bodies, 4u);
  EXPECT_EQ(groups[0].joints.size(), 15u);
  EXPECT_EQ(groups[1].trees, 1u);
  // The plan of a single joint has one symmetric block of 3 x 3, which has six different entries.
  EXPECT_EQ(groups[1].plan.entry_rows.size(), 6u);
}

// The slots of `high` are four billion or more. A table with an element for each lower slot would
// need gigabytes.
TEST(TreePlan, DoesNotDependOnTheNumbersOfSlots) {
  constexpr std::uint32_t kFirst = 4'000'000'000, kApart = 10'000'000;
  const std::vector<Joint> low = {joint(3, 1), joint(1, 0), to_fixed(2, 3),
                                  joint(4, 5), joint(5, 6), joint(6, 4)};
  std::vector<Joint> high = low;
  for (Joint& j : high) {
    j.a = kFirst + kApart * j.a;
    j.b = kFirst + kApart * j.b;
  }
  const std::vector<TreeGroup> expected = groups_of(low), found = groups_of(high);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].plan.links, expected[i].plan.links);
    EXPECT_EQ(found[i].plan.updated, expected[i].plan.updated);
    EXPECT_EQ(found[i].joints, expected[i].joints);
    ASSERT_EQ(found[i].slots.size(), expected[i].slots.size());
    for (std::size_t k = 0; k < found[i].slots.size(); ++k) {
      EXPECT_EQ(found[i].slots[k], kFirst + kApart * expected[i].slots[k]);
    }
  }
}

// Returns how many links of a plan close loops.
std::ptrdiff_t closing(const TreePlan& plan) {
  return std::count_if(plan.links.begin(), plan.links.end(),
                       [](const auto& l) { return l.closes; });
}

TEST(TreePlan, ALoopIsANet) {
  const std::vector<TreeGroup> ring = groups_of({joint(0, 1), joint(1, 2), joint(2, 0)});
  ASSERT_EQ(ring.size(), 1u);
  EXPECT_EQ(joints_in(ring), (std::set<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(closing(ring[0].plan), 1);
  EXPECT_TRUE(ring[0].plan.closes);
  // A chain that hangs at both ends closes a loop through the fixed bodies.
  const std::vector<TreeGroup> bridge = groups_of({to_fixed(0, 1), joint(1, 2), to_fixed(3, 2)});
  ASSERT_EQ(bridge.size(), 1u);
  EXPECT_EQ(joints_in(bridge), (std::set<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(closing(bridge[0].plan), 1);
  // Two pendulums on one fixed body are two trees.
  const std::vector<TreeGroup> two = groups_of({to_fixed(0, 1), to_fixed(0, 2)});
  EXPECT_EQ(joints_in(two), (std::set<std::uint32_t>{0, 1}));
  EXPECT_EQ(closing(two[0].plan), 0);
  // Two joints hold the same two bodies.
  const std::vector<TreeGroup> door = groups_of({joint(0, 1), joint(0, 1)});
  ASSERT_EQ(door.size(), 1u);
  EXPECT_EQ(door[0].plan.couplings.size(), 2u);
}

// Returns the joints of a square net of bodies.
std::vector<Joint> square_net(std::uint32_t side) {
  std::vector<Joint> joints;
  for (std::uint32_t i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) joints.push_back(joint(i, i + 1));
    if (i + side < side * side) joints.push_back(joint(i, i + side));
  }
  return joints;
}

// 36 joints with three rows each close the loops of a net of 7 x 7, and 49 those of one of 8 x 8.
TEST(TreePlan, NetsAreLimitedByTheRowsThatCloseLoops) {
  const std::vector<Joint> small = square_net(7), large = square_net(8);
  const std::vector<TreeGroup> net = groups_of(small), trees = groups_of(large);
  ASSERT_EQ(net.size(), 1u);
  EXPECT_TRUE(net[0].plan.closes);
  EXPECT_FALSE(net[0].plan.loose);
  EXPECT_EQ(joints_in(net).size(), small.size());
  ASSERT_EQ(trees.size(), 1u);
  EXPECT_FALSE(trees[0].plan.closes);
  EXPECT_TRUE(trees[0].plan.loose);
  EXPECT_EQ(joints_in(trees).size(), 8u * 8 - 1);
}

// Loose trees are solved otherwise, so they never share a plan with others.
TEST(TreePlan, LooseTreesHaveAPlanOfTheirOwn) {
  std::vector<Joint> joints = square_net(8);
  const std::set<std::uint32_t> held = joints_in(groups_of(joints));
  const std::size_t first = joints.size();
  for (std::uint32_t i = 0; i < first; ++i) {
    if (held.contains(i)) joints.push_back(joint(joints[i].a + 64, joints[i].b + 64));
  }
  const std::vector<TreeGroup> groups = groups_of(joints);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].plan.links, groups[1].plan.links);
  EXPECT_NE(groups[0].plan.loose, groups[1].plan.loose);
}

TEST(TreePlan, LeavesOutLooseJoints) {
  const std::vector<Joint> joints = {joint(0, 1), joint(1, 2), joint(2, 3, JointKind::distance)};
  std::vector<Joint> loose = joints;
  loose[2].limited = true;
  EXPECT_EQ(joints_in(groups_of(joints)), (std::set<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(joints_in(groups_of(loose)), (std::set<std::uint32_t>{0, 1}));
}

TEST(TreePlan, ABodyHasAtMostEightJointsInTrees) {
  std::vector<Joint> joints;
  for (std::uint32_t i = 1; i <= 20; ++i) joints.push_back(joint(0, i));
  EXPECT_EQ(joints_in(groups_of(joints)).size(), physics::kDirectJointsMax);
}

// A joint to a fixed body is eliminated last, whatever its place in the list.
TEST(TreePlan, TheRootIsTheFixedBody) {
  const std::vector<TreeGroup> groups = groups_of({joint(1, 2), joint(2, 3), to_fixed(0, 3)});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].joints, (std::vector<std::uint32_t>{0, 1, 2}));
}

std::vector<Joint> random_tree(SplitMix64& random, std::uint32_t bodies) {
  std::vector<Joint> joints;
  std::map<std::uint32_t, int> count;
  for (std::uint32_t b = 1; b < bodies; ++b) {
    std::uint32_t a = static_cast<std::uint32_t>(random.below(b));
    while (count[a] >= 7) a = static_cast<std::uint32_t>(random.below(b));
    ++count[a], ++count[b];
    const auto kind = static_cast<JointKind>(random.below(physics::kJointKinds));
    joints.push_back(random.below(2) == 0 ? joint(a, b, kind) : joint(b, a, kind));
  }
  return joints;
}

// Eliminates a random matrix with the plan's entries, and compares L D L^T with the matrix. Every
// second plan is for a net.
TEST(TreePlan, EliminationNeedsNoEntriesButThoseOfThePlan) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SplitMix64 random(seed);
    const bool net = seed % 2 == 0;
    const std::vector<Joint> joints = net ? square_net(2 + static_cast<std::uint32_t>(seed % 6))
                                          : random_tree(random, 2 + random.below(30));
    const std::vector<TreeGroup> groups = groups_of(joints);
    ASSERT_EQ(groups.size(), 1u) << "seed " << seed;
    ASSERT_EQ(groups[0].plan.closes, net);
    const TreePlan& plan = groups[0].plan;
    const std::uint32_t n = plan.rows;
    std::vector<double> dense(n * n, 0), entries(plan.entry_rows.size());
    for (std::uint32_t c = 0; c < n; ++c) {
      for (std::uint32_t k = plan.columns[c]; k < plan.columns[c + 1]; ++k) {
        const std::uint32_t r = plan.entry_rows[k];
        entries[k] = r == c ? 1.0 * n : random.symmetric();
        dense[r * n + c] = dense[c * n + r] = entries[k];
      }
    }
    std::size_t first_updated = 0;
    for (const physics::TreeLink& link : plan.links) {
      std::size_t next = 0;
      for (std::uint32_t c = link.first_row; c < link.first_row + link.rows; ++c) {
        const std::uint32_t first = plan.columns[c], end = plan.columns[c + 1];
        const std::uint32_t own_end = first + (link.first_row + link.rows - c);
        next = first_updated;
        for (std::uint32_t k = first + 1; k < end; ++k) {
          for (std::uint32_t l = k; l < end; ++l) {
            const std::uint32_t own = plan.columns[std::min(c + (k - first), n)] + (l - k);
            entries[k < own_end ? own : plan.updated[next++]] -=
                entries[k] * entries[l] / entries[first];
          }
        }
      }
      first_updated = next;
    }
    ASSERT_EQ(first_updated, plan.updated.size());
    std::vector<double> product(n * n, 0);
    for (std::uint32_t c = 0; c < n; ++c) {
      const std::uint32_t first = plan.columns[c];
      for (std::uint32_t k = first; k < plan.columns[c + 1]; ++k) {
        for (std::uint32_t l = first; l < plan.columns[c + 1]; ++l) {
          product[plan.entry_rows[k] * n + plan.entry_rows[l]] +=
              entries[k] * entries[l] / entries[first];
        }
      }
    }
    for (std::size_t i = 0; i < product.size(); ++i) {
      ASSERT_NEAR(product[i], dense[i], 1e-9 * n) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace orrery
