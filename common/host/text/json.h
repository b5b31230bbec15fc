// Writes JSON.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/assert.h"
#include "common/core/ids.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"

namespace orrery::json {

// The text of one value.
struct Text {
  std::string text;
};

// Returns null.
inline Text null() { return {"null"}; }

// Returns true or false, or the decimal digits.
Text of(std::integral auto value) {
  if constexpr (std::same_as<decltype(value), bool>) {
    return {value ? "true" : "false"};
  } else {
    return {std::to_string(value)};
  }
}

// Returns the shortest text that reads back as the same binary64. Returns null for infinity and
// NaN, which JSON cannot express.
inline Text of(double value) {
  if (!std::isfinite(value)) return null();
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  ORRERY_ASSERT(end.ec == std::errc());
  return {std::string(text.data(), end.ptr)};
}

// Returns the text in quotes. Bytes outside printable ASCII become \u00NN, so that the result is
// always valid JSON.
inline Text of(std::string_view value) {
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
  return {out + '"'};
}
// Returns the text in quotes.
inline Text of(const std::string& value) { return of(std::string_view(value)); }
// Returns the text in quotes.
inline Text of(const char* value) { return of(std::string_view(value)); }

// Returns the text as it is.
inline Text of(const Text& value) { return value; }

// Returns the number.
template <class Tag, class Value>
Text of(Id<Tag, Value> id) {
  return of(id.value);
}

// Returns null for nothing.
template <class Value>
Text of(const std::optional<Value>& value) {
  return value ? of(*value) : null();
}

// Returns a list.
inline Text array(const std::vector<Text>& items) {
  std::string out = "[";
  for (const Text& item : items) {
    if (out.size() > 1) out += ", ";
    out += item.text;
  }
  return {out + ']'};
}

// Returns a list of the components.
inline Text of(const Vec3& v) { return array({of(v.x), of(v.y), of(v.z)}); }
// Returns a list of the components.
inline Text of(const Quat& q) { return array({of(q.x), of(q.y), of(q.z), of(q.w)}); }

// A member of an object.
struct Pair {
  Pair(std::string_view name, const auto& content) : key(name), value(of(content)) {}

  std::string_view key;
  Text value;
};

// A builder of an object.
class Object {
 public:
  // Adds a member.
  Object& add(std::string_view key, const auto& value) { return add({Pair(key, value)}); }
  // Adds members.
  Object& add(std::initializer_list<Pair> members) {
    for (const Pair& member : members) {
      text_ += text_.empty() ? "" : ", ";
      text_ += of(member.key).text + ": " + member.value.text;
    }
    return *this;
  }

  // Returns the object.
  Text text() const { return {'{' + text_ + '}'}; }

 private:
  std::string text_;
};

// Returns an object.
inline Text object(std::initializer_list<Pair> members) { return Object().add(members).text(); }

}  // namespace orrery::json
