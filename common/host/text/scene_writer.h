// Writes scenes as the JSON that people read and edit (schema/scenes.md).
#pragma once

#include <string>

#include "common/world/scenes/scene.h"

namespace orrery::host {

// Returns the scene as JSON, with each list item on one line. Leaves out default values, except
// references to bodies. Writes each number as the shortest text that reads back as the same
// binary64, so load_scene() returns the same scene, bit for bit. (load_scene() refuses texts of
// more than limits::kSceneTextBytesMax bytes.) REQUIRES: the scene is valid (validate).
std::string json_of_scene(const Scene& scene);

}  // namespace orrery::host
