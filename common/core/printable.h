// Makes text from an untrusted source safe to show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/core/bytes.h"

namespace orrery {

// Length of the excerpt of an input that an error shows, in bytes.
inline constexpr std::size_t kShownMax = 40;

// Returns the text with every byte outside printable ASCII written as \xNN, so that it is safe in a
// log and on a terminal. Shows at most `length_max` bytes of the text and appends "..." if it is
// longer. REQUIRES: length_max >= 1.
std::string printable(std::string_view text, std::size_t length_max = 200);

// Returns a text with `?` for every byte that is not part of a printable character of UTF-8. The
// result is no longer than the text.
std::string readable(Bytes text);

}  // namespace orrery
