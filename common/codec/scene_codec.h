// Encodes and decodes the binary form of scenes (schema/scene.fbs).
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/result.h"
#include "common/world/scenes/scene.h"

namespace orrery::codec {

// Replaces `out` by the bytes of the scene. Equal scenes give equal bytes, and decode_scene()
// returns exactly the same scene, bit for bit. REQUIRES: the scene is valid (validate).
//
// `known` holds the shapes of the scene (make_shapes). If it is given, mass, inertia and half
// extents that a body gets from its shape are left out. Otherwise they are written, so that no
// reader has to compute them again.
void encode_scene(const Scene& scene, std::vector<std::uint8_t>& out,
                  const physics::ShapeSet* known = nullptr);

// Decodes a scene from untrusted bytes. Checks size and structure first, then validates the scene,
// so the result is always valid. The bodies are in the order of their ids.
Result<Scene> decode_scene(Bytes bytes);

// Returns true if the bytes start like an encoded scene. Does not check the rest.
bool looks_like_scene(Bytes bytes);

}  // namespace orrery::codec
