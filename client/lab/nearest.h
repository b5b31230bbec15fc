// Owns the search for the names nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orrery::lab {

// "unknown <what> \"<name>\"; did you mean <a>, <b> or <c>?", the name made printable and cut to a
// length that fits a line.
std::string unknown_name(std::string_view what, std::string_view name,
                         std::span<const std::string_view> known);

}  // namespace orrery::lab
