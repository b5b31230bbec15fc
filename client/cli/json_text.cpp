// Splits a JSON object or list into the texts of its members or items, without reading the values.
#include "client/cli/json_text.h"

namespace orrery::json {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Returns the index of the first comma outside of brackets, braces and quotes, or the size of the
// text if there is no such comma. Returns nothing if a bracket is closed that was not opened, or if
// a bracket or quote stays open.
std::optional<std::size_t> end_of_item(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return {};
      --depth;
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return depth == 0 && !quoted ? std::optional(text.size()) : std::nullopt;
}

// Returns the items between the brackets `open` and `close`, without commas and blanks. Returns
// nothing if the text is not such a list.
std::optional<std::vector<std::string_view>> items_in(std::string_view text, char open,
                                                      char close) {
  text = trimmed(text);
  if (text.size() < 2 || text.front() != open || text.back() != close) return {};
  text = trimmed(text.substr(1, text.size() - 2));
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const std::optional<std::size_t> end = end_of_item(text);
    if (!end || trimmed(text.substr(0, *end)).empty()) return {};
    items.push_back(trimmed(text.substr(0, *end)));
    if (*end == text.size()) break;
    text = trimmed(text.substr(*end + 1));
    if (text.empty()) return {};  // a comma at the end
  }
  return items;
}

}  // namespace

std::optional<std::vector<Member>> members_of(std::string_view object) {
  const auto items = items_in(object, '{', '}');
  if (!items) return {};
  std::vector<Member> members;
  for (const std::string_view item : *items) {
    const std::size_t end = item.front() == '"' ? item.find('"', 1) : std::string_view::npos;
    if (end == std::string_view::npos) return {};
    const std::string_view rest = trimmed(item.substr(end + 1));
    if (rest.size() < 2 || rest.front() != ':') return {};
    members.push_back({item.substr(1, end - 1), trimmed(rest.substr(1))});
  }
  return members;
}

std::optional<std::vector<std::string_view>> items_of(std::string_view array) {
  return items_in(array, '[', ']');
}

std::optional<std::string_view> plain_text_of(std::string_view value) {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  const std::string_view text = quoted ? value.substr(1, value.size() - 2) : std::string_view();
  if (!quoted || text.find_first_of("\"\\") != std::string_view::npos) return {};
  return text;
}

}  // namespace orrery::json
