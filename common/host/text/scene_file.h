// Loads the scene that a person names: a built-in scene, or a file of JSON or binary.
#pragma once

#include <string>

#include "common/core/result.h"
#include "common/world/scenes/scene.h"
#include "common/world/scenes/scene_problem.h"

namespace orrery::host {

// Returns the scene named by `spec`: "playground", "springs:1000", or a path that contains a '/' or
// '.'. The place of an Error has the spec as its file. For JSON, it also has the line and column.
// If `warning` is given and a text in JSON has a shape that no body has, sets it to such an Error.
Result<Scene> load_scene(const std::string& spec, Problem* warning = nullptr);

// Returns the scene that a text of JSON describes. The place of an Error has the line and column,
// but not for a text that is too large. Sets `warning` as load_scene() does.
Result<Scene> scene_of_json(const std::string& text, Problem* warning = nullptr);

}  // namespace orrery::host
