// Writes a count with its noun: "1 body", "2 bodies".
#pragma once

#include <cstdint>
#include <string>

namespace orrery {

// Returns the count and then the noun: `one` (singular) if the count is 1, else `many` (plural).
inline std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

// Returns the count and then the noun `one`, with an s appended unless the count is 1.
inline std::string counted(std::uint64_t count, const std::string& one) {
  return counted(count, one, one + 's');
}

}  // namespace orrery
