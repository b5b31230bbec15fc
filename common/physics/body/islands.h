// Groups connected bodies into islands.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "common/core/assert.h"

namespace orrery::physics {

// Disjoint sets (union-find, B. Galler and M. Fischer, 1964) with path halving. The root of an
// island is its lowest slot, in whatever order the slots were joined.
class Islands {
 public:
  // Makes every slot below `slots` a separate island.
  void reset(std::uint32_t slots) {
    parent_.resize(slots);
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  // Merges the islands of two slots.
  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t root_a = find(a);
    const std::uint32_t root_b = find(b);
    if (root_a < root_b) {
      parent_[root_b] = root_a;
    } else {
      parent_[root_a] = root_b;
    }
  }

  // Returns the lowest slot of the island of a slot.
  std::uint32_t find(std::uint32_t slot) {
    ORRERY_ASSERT(slot < parent_.size());
    while (parent_[slot] != slot) {
      parent_[slot] = parent_[parent_[slot]];
      slot = parent_[slot];
    }
    return slot;
  }

 private:
  std::vector<std::uint32_t> parent_;  // for each slot, itself or a lower slot of its island
};

}  // namespace orrery::physics
