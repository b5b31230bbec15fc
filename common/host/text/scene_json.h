// Reads scenes from the JSON that people write (schema/scenes.md).
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/result.h"
#include "common/host/text/json_reader.h"

namespace orrery::host {

// Converts the JSON of a scene to the bytes for decode_scene(). An Error has the line and column,
// and the key if it is about a value. It shows the right form.
Result<std::vector<std::uint8_t>> binary_of_json(const json::Document& text);

// Adds the line and column to an error about a decoded scene, and replaces the key by the path in
// the text: "body[3].mass" becomes "bodies[0].mass" if the first body has the id 3. If the text
// lacks the key, names the innermost object or list that it would be in. REQUIRES: binary_of_json()
// accepts the text.
Error located(const json::Document& text, Error error);

}  // namespace orrery::host
