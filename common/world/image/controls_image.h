// Writes and reads the state that commands change: parameters, clients, thrusts and the occupation
// of slots. Images and state hashes contain it (schema/image.md 1.1 and 1.3 have the layout).
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/world/world.h"

namespace orrery {

// Appends the Controls of a world (common/world/world.h), and one bit per slot that says whether
// the slot is occupied.
void encode_controls(const World& world, std::vector<std::uint8_t>& out);

// Reads controls for the first `slots` slots of a world of the same scene. Appends to `alive` one
// bit per slot, 64 to a word: whether the slot is occupied. Returns false if a value is out of
// bounds or a list is out of order. The caller checks that the bodies of grabs and thrusts exist.
// REQUIRES: `controls` has no clients and no thrusts, and `alive` is empty.
bool decode_controls(ByteReader& in, const World& world, Tick tick, std::uint32_t slots,
                     Controls& controls, std::vector<std::uint64_t>& alive);

// Replaces control and owners of all slots by those that decode_controls() read.
void take_owners(Controls& to, Controls& from);

}  // namespace orrery
