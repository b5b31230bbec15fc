// Splits the JSON that people write into tokens, and counts its lines.
#include "common/host/text/json_tokens.h"

#include <algorithm>

#include "common/core/assert.h"

namespace orrery::host {

JsonTokens::JsonTokens(std::string_view text) : text_(text) {
  if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // a byte order mark
}

JsonToken JsonTokens::peek() {
  skip_blank();
  const std::string_view rest = text_.substr(at_);
  end_ = at_;
  if (rest.empty()) return {};
  const char first = rest.front();
  std::size_t size = 1;
  if (first == '"' || first == '\'') {
    while (size < rest.size() && rest[size] != first && rest[size] != '\n') {
      size += rest[size] == '\\' ? 2 : 1;
    }
    const bool closed = size < rest.size() && rest[size] == first;
    end_ += std::min(size + 1, rest.size());
    return {rest.substr(1, size - 1), true, closed};
  }
  if (std::string_view("{}[],:").find(first) == std::string_view::npos) {
    size = std::min(rest.find_first_of(" \t\r\n{}[],:\"'/", 1), rest.size());
  }
  end_ += size;
  return {rest.substr(0, size)};
}

bool JsonTokens::take(char c) {
  if (!peek().is(c)) return false;
  consume();
  return true;
}

void JsonTokens::go_to(std::size_t begin) {
  ORRERY_ASSERT(begin <= text_.size());
  at_ = begin;
}

int JsonTokens::line() const {
  const std::string_view before = text_.substr(0, at_);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

void JsonTokens::skip_blank() {
  while (at_ < text_.size()) {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//")) {
      at_ += std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      at_ += std::min(rest.find("*/", 2), rest.size() - 2) + 2;
    } else if (std::string_view(" \t\r\n").find(rest.front()) != std::string_view::npos) {
      ++at_;
    } else {
      return;
    }
  }
}

}  // namespace orrery::host
