// Owns the binary form of scenes (schema/scene.fbs).
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/result.h"
#include "common/world/scene.h"

namespace orrery {

// Replaces `out` by the scene's bytes: the same bytes for the same scene, and decode_scene() gives
// back the same scene, every bit. The scene is sound (validate). With `known`, the shapes of the
// scene (make_shapes), leaves out mass, inertia and half extents that a body has from its shape;
// without, writes them, and no build has to compute them again.
void encode_scene(const Scene& scene, std::vector<std::uint8_t>& out,
                  const ShapeSet* known = nullptr);

// Reads foreign bytes: bounded, verified, and then validated; what it returns is sound. Bodies come
// in the order of their ids.
Result<Scene> decode_scene(Bytes bytes);

// True if the bytes start as those of a scene do; says nothing about the rest.
bool looks_like_scene(Bytes bytes);

}  // namespace orrery
