// Reads scenes from the JSON that people write (schema/scenes.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"

namespace orrery::host {

// Converts the JSON of a scene to the bytes for decode_scene(). An Error names the line if it
// is about one. An Error about a value also names its key and shows the right form.
Result<std::vector<std::uint8_t>> binary_of_json(const std::string& text);

// Puts the line of the text in front of a message of decode_scene(): "body 3: mass must ..."
// becomes "line 12: body 3: mass must ...". Returns the message unchanged if the text has no line
// about the subject of the message. REQUIRES: binary_of_json() accepts the text.
std::string with_line(std::string_view text, const std::string& message);

}  // namespace orrery::host
