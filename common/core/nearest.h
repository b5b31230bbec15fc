// Owns the search for the names nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orrery {

// "unknown <what> \"<name>\"; did you mean <a>, <b> or <c>?", the name made printable and cut to a
// length that fits a line. `known` is not empty.
std::string unknown_name(std::string_view what, std::string_view name,
                         std::span<const std::string_view> known);

// The one that was probably meant: at most two letters off, and no more than half of its own. Empty
// if there is none.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

// "; did you mean <nearest>?", or, if none is near, "; there are <all of them>".
std::string suggestion(std::string_view name, std::span<const std::string_view> known);

}  // namespace orrery
