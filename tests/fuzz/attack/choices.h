// Makes random choices for random_scene and random_shape.
#pragma once

#include <cstdint>

#include "common/core/rng.h"

namespace orrery::attack {

inline bool coin(SplitMix64& draw) { return draw.below(2) == 0; }
inline bool one_in(SplitMix64& draw, std::uint32_t count) { return draw.below(count) == 0; }

// Returns a number in [least, most).
inline double between(SplitMix64& draw, double least, double most) {
  return least + (most - least) * (draw.symmetric() + 1) / 2;
}

}  // namespace orrery::attack
