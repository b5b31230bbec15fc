// Owns islands: which bodies hang together, by whatever joins them.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "common/core/assert.h"

namespace orrery::physics {

// A forest of disjoint sets (B. Galler and M. Fischer, 1964) with path halving. An island is named
// by its lowest slot, whatever the order in which its bodies were joined.
class Islands {
 public:
  // Makes every slot below `slots` an island of its own.
  void reset(std::uint32_t slots) {
    parent_.resize(slots);
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t root_a = find(a);
    const std::uint32_t root_b = find(b);
    if (root_a < root_b) {
      parent_[root_b] = root_a;
    } else {
      parent_[root_a] = root_b;
    }
  }

  // The lowest slot of the island that the slot belongs to.
  std::uint32_t find(std::uint32_t slot) {
    ORRERY_ASSERT(slot < parent_.size());
    while (parent_[slot] != slot) {
      parent_[slot] = parent_[parent_[slot]];
      slot = parent_[slot];
    }
    return slot;
  }

 private:
  std::vector<std::uint32_t> parent_;  // never higher than the slot itself
};

}  // namespace orrery::physics
