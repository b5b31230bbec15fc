// Writes JSON. Each function returns the text of one value.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/assert.h"

namespace orrery::json {

// Returns null.
inline std::string null() { return "null"; }

// Returns true or false.
template <std::same_as<bool> Bool>
std::string of(Bool value) {
  return value ? "true" : "false";
}

// Returns the decimal digits.
template <std::unsigned_integral Integer>
requires(!std::same_as<Integer, bool>) std::string of(Integer value) {
  return std::to_string(value);
}

// Returns the shortest text that reads back as the same binary64. Returns null for infinity and
// NaN, which JSON cannot express.
inline std::string of(double value) {
  if (!std::isfinite(value)) return null();
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  ORRERY_ASSERT(end.ec == std::errc());
  return std::string(text.data(), end.ptr);
}

// Returns the text in quotes. Bytes outside printable ASCII become \u00NN, so that the result is
// always valid JSON.
inline std::string of(std::string_view value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte >= 0x20 && byte <= 0x7e) {
      out += c;
    } else {
      out += {'\\', 'u', '0', '0', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out + '"';
}

// Returns a list. REQUIRES: every item is JSON.
inline std::string array(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ", ";
    out += item;
  }
  return out + ']';
}

// A builder of an object.
class Object {
 public:
  // Adds a member. REQUIRES: `value` is JSON.
  Object& add(std::string_view key, const std::string& value) {
    text_ += text_.empty() ? "" : ", ";
    text_ += of(key) + ": " + value;
    return *this;
  }

  // Returns the object.
  std::string text() const { return '{' + text_ + '}'; }

 private:
  std::string text_;
};

}  // namespace orrery::json
