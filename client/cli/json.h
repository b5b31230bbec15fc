// Writes numbers and hashes as text, and prints JSON.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "common/core/bytes.h"
#include "common/host/text/json.h"

namespace orrery::json {

// Returns "0x" and 16 hexadecimal digits.
inline std::string hash(std::uint64_t value) {
  std::string out = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[value >> shift & 15];
  return out;
}

// Returns two hexadecimal digits for each byte.
inline std::string hex(Bytes bytes) {
  std::string out;
  for (const std::uint8_t byte : bytes) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

// Prints a line.
inline void print(const Text& value) { std::printf("%s\n", value.text.c_str()); }

}  // namespace orrery::json

namespace orrery::cli {

// Returns the shortest decimal number that reads back exactly equal.
inline std::string decimal(double value) { return json::of(value).text; }

}  // namespace orrery::cli
