// Loads the scene that a person names: a built-in scene, or a file of JSON or binary.
#pragma once

#include <string>

#include "common/core/result.h"
#include "common/world/scenes/scene.h"

namespace orrery::host {

// Returns the scene named by `spec`: "playground", "springs:1000", or a path that contains a '/' or
// '.'. An Error is one line that starts with the spec. For JSON, it also names the line at fault.
// If `warning` is given and a text in JSON has a shape that no body has, sets it to such a line.
Result<Scene> load_scene(const std::string& spec, std::string* warning = nullptr);

// Returns the scene that a text of JSON describes. An Error is one line that names the line of the
// text at fault. For a text that is too large, it names no line. Sets `warning` as load_scene()
// does.
Result<Scene> scene_of_json(const std::string& text, std::string* warning = nullptr);

}  // namespace orrery::host
