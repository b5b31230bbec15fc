// Owns how a person names a scene: built in, or a file of JSON or binary.
#pragma once

#include <string>

#include "common/core/result.h"
#include "common/world/scene.h"

namespace orrery {

// The scene of `spec`: "playground", "springs:1000", or a path with a '/' or '.' in it. An Error is
// one line that starts with the spec, and for JSON with the line in it.
Result<Scene> load_scene(const std::string& spec);

}  // namespace orrery
