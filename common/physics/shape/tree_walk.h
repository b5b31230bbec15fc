// Owns the walk through a spatial tree for one question at a time.
#pragma once

#include <cstdint>

#include "common/physics/shape/spatial_tree.h"

namespace orrery::physics {

// Calls visit(slot) for every body whose box, and all of those around it in the tree, `accept`. The
// order is the same for equal trees. `accept` may become narrower as it goes.
template <class Accept, class Visit>
void walk(const SpatialTree& tree, std::uint32_t level, std::uint32_t index, const Accept& accept,
          const Visit& visit) {
  const BoxBlock& block = tree.block(level, index);
  for (std::uint32_t lane = 0; lane < kFanOut; ++lane) {
    if (!(block.lower[0][lane] <= block.upper[0][lane])) break;  // no more boxes
    if (!accept(block.box(lane))) continue;
    if (level == 0) {
      visit(tree.leaves()[index].slot[lane]);
    } else {
      walk(tree, level - 1, kFanOut * index + lane, accept, visit);
    }
  }
}

template <class Accept, class Visit>
void walk(const SpatialTree& tree, const Accept& accept, const Visit& visit) {
  if (!tree.empty()) walk(tree, tree.levels() - 1, 0, accept, visit);
}

}  // namespace orrery::physics
