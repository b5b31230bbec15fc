// Writes a count with its noun: "1 body", "2 bodies".
#pragma once

#include <cstdint>
#include <string>

namespace orrery {

// Returns the count with `one` or `many` after it.
inline std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

// Returns the count with `one`, or with `one` and an s.
inline std::string counted(std::uint64_t count, const std::string& one) {
  return counted(count, one, one + 's');
}

}  // namespace orrery
