// Splits a JSON object or list into the texts of its members or items, without reading the values.
//
// FlatBuffers can read JSON too, but client/cli may not use FlatBuffers. Its parser also accepts
// texts that are not JSON: keys without quotes, comments, sin(1).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace orrery::json {

// A member of an object, as views of the text.
struct Member {
  std::string_view key;  // without the quotes
  std::string_view value;
};

// Return the members of an object, or the items of an array. Return nothing if the text is not an
// object or array. The functions look only for the ends of the values. The caller must check the
// values.
std::optional<std::vector<Member>> members_of(std::string_view object);
std::optional<std::vector<std::string_view>> items_of(std::string_view array);

// Returns the text between the quotes; nothing if the value is not a string or contains escapes.
std::optional<std::string_view> plain_text_of(std::string_view value);

}  // namespace orrery::json
