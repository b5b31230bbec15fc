// Saves and restores the image: the exact bytes of a world's dynamic state.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/result.h"
#include "common/world/world.h"

namespace orrery {

// Replaces `out` by the image: versioned, little-endian, with a checksum (schema/image.md has the
// layout). Reuse `out` to avoid allocations.
void save_image(const World& world, std::vector<std::uint8_t>& out);

// Returns true if the bytes start with the magic number of an image. It checks nothing else.
bool begins_as_image(Bytes bytes);

// Replaces the dynamic state of a world of the same scene by the image. Later steps give the same
// bits as in the world that was saved. Invalid bytes give an Error and leave the world unchanged.
Status restore_image(World& world, Bytes image);

// Restores an image that was saved under another version of the rules, and sets the state hash to
// `hash`, the one that those rules gave. Only read such a world: step() would use the wrong rules.
Status restore_image_of_other_rules(World& world, Bytes image, std::uint64_t hash);

}  // namespace orrery
