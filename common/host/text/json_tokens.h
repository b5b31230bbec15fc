// Splits the JSON that people write into tokens, and counts its lines.
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace orrery::host {

// A string, a bare word or number, or one of the six marks {}[],: of JSON.
struct JsonToken {
  // The token; a string without its quotes. Empty for "" and after the last token.
  std::string_view text;
  bool quoted = false;  // true: a string
  bool closed = true;   // false: a string without its second quote

  // Returns true if the token is this character, and not a quoted string.
  bool is(char c) const { return !quoted && text.size() == 1 && text.front() == c; }
};

// The tokens of one text. C++ comments and a byte order mark are skipped. REQUIRES: the text
// outlives this object and its tokens.
class JsonTokens {
 public:
  explicit JsonTokens(std::string_view text);

  // Moves to the beginning of the next token, and returns the token without moving past it.
  JsonToken peek();
  // Moves past the token that peek() returned.
  void consume() { at_ = end_; }
  // Moves past the next token if it is this character. Returns false if it is not.
  bool take(char c);

  // Return the places in the text where the token that peek() returned begins and ends.
  std::size_t begin() const { return at_; }
  std::size_t end() const { return end_; }
  // Moves to the beginning of a token.
  void go_to(std::size_t begin);

  // Returns the current line, from 1.
  int line() const;

 private:
  void skip_blank();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

// Reads a number that is the whole text. Returns false for other text, and for integers that do not
// fit. Returns true for a floating-point number beyond its range, but leaves `number` unchanged: a
// later check of the scene reports that range better (validate()).
template <class Number>
bool reads_as(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return stop == end && error != std::errc::invalid_argument &&
         (error == std::errc{} || !std::is_integral_v<Number>);
}

}  // namespace orrery::host
