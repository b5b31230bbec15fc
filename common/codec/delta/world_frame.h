// Makes frames of the delta codec from a world.
#pragma once

#include <cstdint>
#include <vector>

#include "common/codec/delta/delta_codec.h"
#include "common/world/world.h"

namespace orrery::codec {

// Returns the body of a slot, rounded to a grid. REQUIRES: the slot has a body.
QuantisedBody quantise(const World& world, const Grid& grid, std::uint32_t slot);

// Rounds every body of a world to a grid. `frame` keeps its memory.
void quantise(const World& world, const Grid& grid, QuantisedFrame& frame);

// Replaces `out` by the slots of the bodies that somebody moves: those that clients grab or thrust,
// and those that scripts move. Ascending.
void find_references(const World& world, std::vector<std::uint32_t>& out);

}  // namespace orrery::codec
