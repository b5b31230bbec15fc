// Owns the writing of scenes as the JSON that people read and change (schema/scenes.md).
#pragma once

#include <string>

#include "common/world/scene.h"

namespace orrery {

// Returns the scene as JSON, one item of a list a line. Leaves out what has its default. Numbers
// are the shortest text of the same binary64, so load_scene() reads back the same scene, every bit,
// if the text has at most limits::kSceneTextBytesMax bytes. REQUIRES: the scene is sound
// (validate).
std::string json_of_scene(const Scene& scene);

}  // namespace orrery
