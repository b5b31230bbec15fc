// Owns the image: the exact bytes of a world's dynamic state.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/result.h"
#include "common/world/world.h"

namespace orrery {

// Replaces `out` by the image: versioned, little-endian, checksummed (schema/README.md has the
// layout). A buffer that is kept is allocated once.
void save_image(const World& world, std::vector<std::uint8_t>& out);

// True if the bytes begin as an image does. Says nothing of what comes then.
bool begins_as_image(Bytes bytes);

// Replaces the dynamic state of a world of the same scene by that of the image: stepping on equals
// never having stopped. Foreign bytes are an Error, and then the world is as it was.
Status restore_image(World& world, Bytes image);

}  // namespace orrery
