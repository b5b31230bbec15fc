// Finds the islands of bodies that joints connect.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "common/physics/joints/joint.h"

namespace orrery::physics {

// The islands of bodies that joints connect. The number of an island is the lowest slot of its
// bodies that move. A body without joints is an island without members.
class JointIslands {
 public:
  // A body of an island. A fixed body is a member of all islands that hang on it.
  struct Member {
    std::uint32_t island;
    std::uint32_t slot;
    auto operator<=>(const Member&) const = default;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  // Finds the islands of some joints. group_of[i] is the group of joint i (JointGroup); kNone: the
  // joint is broken.
  void set(std::span<const Joint> joints, std::span<const std::uint32_t> group_of);
  // Returns the island of a body that moves.
  std::uint32_t island(std::uint32_t slot) const {
    return slot < places_.size() ? places_[slot].island : slot;
  }
  // Returns the group of a body that moves; kNone if it has no joint.
  std::uint32_t group(std::uint32_t slot) const {
    return slot < places_.size() ? places_[slot].group : kNone;
  }
  // Returns the members of an island, ascending by slot.
  std::span<const Member> members(std::uint32_t island) const;

 private:
  // The place of a body that moves.
  struct Place {
    std::uint32_t island;
    std::uint32_t group;
  };
  std::vector<Place> places_;    // by slot, up to the highest slot of a joint
  std::vector<Member> members_;  // ascending
};

}  // namespace orrery::physics
