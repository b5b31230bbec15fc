// Finds the known names that are nearest to a misspelt one, for error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orrery {

// Returns `unknown <what> "<name>"; did you mean <a>, <b> or <c>?` with up to three of the nearest
// known names. The misspelt name is made printable and shortened to fit on a line. REQUIRES:
// `known` is not empty.
std::string unknown_name(std::string_view what, std::string_view name,
                         std::span<const std::string_view> known);

// Returns the name that was probably meant, or an empty view if none is near. A known name is near
// if it differs from `name` by at most two letters, and by at most half the number of its own
// letters. If one of the two names contains the other, they count as differing by at most one
// letter, provided that `name` has at least three letters.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

// Returns "; did you mean <nearest>?". If no name is near, returns "; there are <all names>", or
// "; there is only <name>".
std::string suggestion(std::string_view name, std::span<const std::string_view> known);

}  // namespace orrery
