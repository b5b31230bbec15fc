// Numbers the slots of joints without gaps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/assert.h"
#include "common/physics/solve/joint.h"

namespace orrery::physics {

// The slots of the bodies of joints, numbered from 0 in ascending order. A table with these numbers
// as indices grows with the number of joints, and not with the highest slot.
class SlotNumbers {
 public:
  explicit SlotNumbers(std::span<const Joint> joints) {
    slots_.reserve(2 * joints.size());
    for (const Joint& joint : joints) slots_.insert(slots_.end(), {joint.a, joint.b});
    std::sort(slots_.begin(), slots_.end());
    slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
  }

  // Returns how many slots there are.
  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  // Returns the number of a slot. REQUIRES: it belongs to a body of a joint.
  std::uint32_t of(std::uint32_t slot) const {
    const auto at = std::lower_bound(slots_.begin(), slots_.end(), slot);
    ORRERY_ASSERT(at != slots_.end() && *at == slot);
    return static_cast<std::uint32_t>(at - slots_.begin());
  }

 private:
  std::vector<std::uint32_t> slots_;  // ascending
};

}  // namespace orrery::physics
