// Owns how foreign text is shown to people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery {

// The text with every byte outside printable ASCII as \xNN, cut after `length_max` bytes of it:
// what may be put in a log or on a terminal.
std::string printable(std::string_view text, std::size_t length_max = 200);

}  // namespace orrery
