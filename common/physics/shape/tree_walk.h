// Walks a spatial tree for one query at a time.
#pragma once

#include <cstdint>

#include "common/physics/shape/spatial_tree.h"

namespace orrery::physics {

// Calls visit(slot) for every body below block `index` of `level`, if `accept` is true for its box
// and for all boxes around it in the tree. Equal trees give the same order of calls. `accept` may
// become stricter during the walk.
template <class Accept, class Visit>
void walk(const SpatialTree& tree, std::uint32_t level, std::uint32_t index, const Accept& accept,
          const Visit& visit) {
  const BoxBlock& block = tree.block(level, index);
  for (std::uint32_t lane = 0; lane < kFanOut; ++lane) {
    if (!(block.lower[0][lane] <= block.upper[0][lane])) break;  // the remaining lanes are empty
    if (!accept(block.box(lane))) continue;
    if (level == 0) {
      visit(tree.leaves()[index].slot[lane]);
    } else {
      walk(tree, level - 1, kFanOut * index + lane, accept, visit);
    }
  }
}

// Walks the whole tree, which may be empty.
template <class Accept, class Visit>
void walk(const SpatialTree& tree, const Accept& accept, const Visit& visit) {
  if (!tree.empty()) walk(tree, tree.levels() - 1, 0, accept, visit);
}

}  // namespace orrery::physics
