// Tests which bodies are in an island of joints.
#include "common/physics/joints/joint_islands.h"

#include <gtest/gtest.h>

#include <vector>

namespace orrery {
namespace {

using physics::Joint;
using physics::JointIslands;

Joint between(std::uint32_t a, std::uint32_t b, bool a_moves = true) {
  Joint joint;
  joint.a = a;
  joint.b = b;
  joint.a_moves = a_moves;
  joint.b_moves = true;
  return joint;
}

std::vector<std::uint32_t> slots_of(const JointIslands& islands, std::uint32_t island) {
  std::vector<std::uint32_t> slots;
  for (const auto& member : islands.members(island)) slots.push_back(member.slot);
  return slots;
}

// Body 0 is fixed, and two chains hang on it. The joint to body 7 is broken.
TEST(JointIslands, HaveTheBodiesThatJointsConnectAndTheFixedOnesThatTheyHangOn) {
  const std::vector<Joint> joints = {between(0, 5, false), between(5, 2), between(0, 3, false),
                                     between(3, 7)};
  JointIslands islands;
  islands.set(joints, std::vector<std::uint32_t>{0, 0, 1, JointIslands::kNone});
  EXPECT_EQ(islands.island(5), 2u);
  EXPECT_EQ(islands.island(2), 2u);
  EXPECT_EQ(islands.island(3), 3u);
  EXPECT_EQ(islands.island(7), 7u);
  EXPECT_EQ(islands.island(100), 100u);
  EXPECT_EQ(islands.group(2), 0u);
  EXPECT_EQ(islands.group(3), 1u);
  EXPECT_EQ(islands.group(0), JointIslands::kNone);
  EXPECT_EQ(islands.group(7), JointIslands::kNone);
  EXPECT_EQ(slots_of(islands, 2), (std::vector<std::uint32_t>{0, 2, 5}));
  EXPECT_EQ(slots_of(islands, 3), (std::vector<std::uint32_t>{0, 3}));
  EXPECT_TRUE(slots_of(islands, 7).empty());
}

}  // namespace
}  // namespace orrery
