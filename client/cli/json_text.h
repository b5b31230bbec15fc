// Owns the declaration of how JSON text is taken apart: into the texts of its values. The library
// at hand that reads JSON, FlatBuffers, takes more than that (keys without quotes, comments,
// sin(1)), makes all numbers binary64, and stays behind common/codec.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace orrery::json {

// A member of an object: views of its text.
struct Member {
  std::string_view key;  // without its quotes
  std::string_view value;
};

// What an object or an array holds; nothing if the text is not one. Values are looked into only to
// find where they end: whoever reads one judges it.
std::optional<std::vector<Member>> members_of(std::string_view object);
std::optional<std::vector<std::string_view>> items_of(std::string_view array);

// What stands between the quotes, if it is text without escapes.
std::optional<std::string_view> plain_text_of(std::string_view value);

}  // namespace orrery::json
