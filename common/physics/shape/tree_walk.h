// Walks a spatial tree for one query at a time.
#pragma once

#include <cstdint>

#include "common/physics/shape/spatial_tree.h"

namespace orrery::physics {

// Calls visit(slot) for the bodies in or below block `index` of `level`. Leaves out a body if
// accept(box) is false for its box, or for the box of a node between the block and the body. Equal
// trees give the same calls in the same order. `accept` may become stricter during the walk.
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
