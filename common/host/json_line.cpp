// Owns a scanner that knows where the keys and items of a scene stand.
#include "common/host/json_line.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>
#include <vector>

#include "common/core/assert.h"

namespace orrery {
namespace {

// A key of the scene ("gravity"), an item of one of its lists (bodies, 3), or a key of an item
// (bodies, 3, "mass").
struct Place {
  std::string_view list;
  int index = -1;
  std::string_view key;
  std::string_view value;  // the text from the value on
  int line = 1;
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Place> places() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'' || is_word(c)) {
        word();
      } else if (!blank()) {
        ++at_;
        if (c == '{' || c == '[') open(c);
        if (c == '}' || c == ']') --depth_;
      }
    }
    return std::move(places_);
  }

 private:
  // Skips one blank or comment; false if there is none.
  bool blank() {
    const std::string_view rest = text_.substr(at_);
    std::size_t size = 0;
    if (rest.starts_with("//")) {
      size = std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      size = std::min(rest.find("*/", 2), rest.size() - 2) + 2;
    } else if (rest.starts_with('\n') || rest.starts_with(' ') || rest.starts_with('\r') ||
               rest.starts_with('\t')) {
      size = 1;
    }
    for (const char c : rest.substr(0, size)) line_ += c == '\n' ? 1 : 0;
    at_ += size;
    return size != 0;
  }

  void open(char bracket) {
    ++depth_;
    if (depth_ == 2) index_ = -1;
    if (depth_ == 3 && bracket == '{') places_.push_back({list_, ++index_, {}, {}, line_});
  }

  // A string or a bare word; with a colon behind it, it is a key.
  void word() {
    const char quote = text_[at_];
    std::size_t begin = at_;
    std::size_t end = at_;
    if (is_word(quote)) {
      while (end < text_.size() && is_word(text_[end])) ++end;
      at_ = end;
    } else {
      begin = ++end;
      while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
      end = std::min(end, text_.size());
      at_ = std::min(end + 1, text_.size());
    }
    const std::string_view key = text_.substr(begin, end - begin);
    const int line = line_;
    while (at_ < text_.size() && blank()) {
    }
    if (at_ == text_.size() || text_[at_] != ':') return;
    ++at_;
    if (depth_ == 1) {
      list_ = key;
      places_.push_back({{}, -1, key, text_.substr(at_), line});
    } else if (depth_ == 3) {
      places_.push_back({list_, index_, key, text_.substr(at_), line});
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int depth_ = 0;
  int index_ = -1;
  std::string_view list_;
  std::vector<Place> places_;
};

int number_at(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\"'"), text.size()));
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string_view first_word(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && is_word(text[size])) ++size;
  return text.substr(0, size);
}

// The place in the list of the body with this id.
int place_of_body(const std::vector<Place>& places, int id) {
  for (const Place& place : places) {
    if (place.list == "bodies" && place.key == "id" && number_at(place.value) == id) {
      return place.index;
    }
  }
  return id;
}

std::optional<int> line_of(const std::vector<Place>& places, std::string_view list, int index,
                           std::string_view key) {
  std::optional<int> line;
  for (const Place& place : places) {
    if (place.list != list || place.index != index) continue;
    if (place.key.empty()) line = place.line;
    if (place.key == key) return place.line;
  }
  return line;
}

}  // namespace

std::optional<int> line_of_problem(std::string_view json, std::string_view message) {
  const std::vector<Place> places = Scanner(json).places();
  const std::string_view what = first_word(message);
  ORRERY_ASSERT(what.size() <= message.size());
  const std::size_t colon = message.find(": ");
  const std::string_view key =
      colon == std::string_view::npos ? std::string_view() : first_word(message.substr(colon + 2));
  const std::string_view number = message.substr(std::min(what.size() + 1, message.size()));
  if (message.starts_with("bodies[")) return line_of(places, "bodies", number_at(number), key);
  if (message.starts_with("body ")) {
    return line_of(places, "bodies", place_of_body(places, number_at(number)), key);
  }
  if (message.starts_with("shape ")) return line_of(places, "shapes", number_at(number), key);
  if (message.starts_with("spring ")) return line_of(places, "springs", number_at(number), key);
  if (message.starts_with("tether ")) return line_of(places, "tethers", number_at(number), key);
  if (message.starts_with("joint ")) return line_of(places, "joints", number_at(number), key);
  return line_of(places, {}, -1, what);
}

}  // namespace orrery
