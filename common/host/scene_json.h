// Owns scenes as the JSON that people write (schema/scenes.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"

namespace orrery {

// The bytes for decode_scene(). What is not of the format is an Error that says the line, the key
// and what would be right.
Result<std::vector<std::uint8_t>> binary_of_json(const std::string& text);

// A message of decode_scene(), such as "body 3: mass must ..." or "gravity must ...", behind the
// line of the text that it is about: "line 12: body 3: mass must ...". Without it if the text,
// which binary_of_json() took, does not mention that.
std::string with_line(std::string_view text, const std::string& message);

}  // namespace orrery
