// Owns the bytes of what commands change, in images and state hashes (schema/README.md has the
// layout).
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/world/world.h"

namespace orrery {

// Appends the controls, and which slots are occupied.
void encode_controls(const World& world, std::vector<std::uint8_t>& out);

// Reads them for a world of the same scene and for its first slots: an occupation bit for each in
// `alive`. False if they are out of bounds; whether the bodies that they name are there is for the
// caller to say.
bool decode_controls(ByteReader& in, const World& world, std::uint32_t slots, Controls& controls,
                     std::vector<std::uint64_t>& alive);

}  // namespace orrery
