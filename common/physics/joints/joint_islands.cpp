// Finds the islands of bodies that joints connect.
#include "common/physics/joints/joint_islands.h"

#include <algorithm>

#include "common/core/assert.h"
#include "common/physics/body/islands.h"

namespace orrery::physics {

void JointIslands::set(std::span<const Joint> joints, std::span<const std::uint32_t> group_of) {
  ORRERY_ASSERT(group_of.size() == joints.size());
  std::uint32_t slots = 0;
  for (const Joint& joint : joints) slots = std::max({slots, joint.a + 1, joint.b + 1});
  Islands islands;
  islands.reset(slots);
  places_.assign(slots, {0, kNone});
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Joint& joint = joints[i];
    if (group_of[i] == kNone) continue;
    if (joint.a_moves && joint.b_moves) islands.join(joint.a, joint.b);
    if (joint.a_moves) places_[joint.a].group = group_of[i];
    if (joint.b_moves) places_[joint.b].group = group_of[i];
  }
  for (std::uint32_t slot = 0; slot < slots; ++slot) places_[slot].island = islands.find(slot);
  members_.clear();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Joint& joint = joints[i];
    if (group_of[i] == kNone) continue;
    const std::uint32_t root = island(joint.a_moves ? joint.a : joint.b);
    members_.insert(members_.end(), {{root, joint.a}, {root, joint.b}});
  }
  std::sort(members_.begin(), members_.end());
  members_.erase(std::unique(members_.begin(), members_.end()), members_.end());
}

std::span<const JointIslands::Member> JointIslands::members(std::uint32_t island) const {
  const auto begin = std::lower_bound(members_.begin(), members_.end(), Member{island, 0});
  const auto end = std::find_if(begin, members_.end(),
                                [&](const Member& member) { return member.island != island; });
  return {begin, end};
}

}  // namespace orrery::physics
