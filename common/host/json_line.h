// Owns the way from what is wrong with a scene back to the line of the JSON that says it.
#pragma once

#include <optional>
#include <string_view>

namespace orrery {

// The line, from 1, of what `message` is about: a message of decode_scene(), such as "body 3: mass
// must ..." or "gravity must ...". Nothing if the text does not mention it. The text is JSON that
// was parsed before.
std::optional<int> line_of_problem(std::string_view json, std::string_view message);

}  // namespace orrery
