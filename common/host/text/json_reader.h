// Reads JSON into a tree whose values know their places. PEGTL parses the text.
//
// Additions to JSON: comments (// and /* */), a comma after the last item, keys without quotes, and
// strings in single quotes.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/core/result.h"

namespace orrery::json {

// A word is all that is none of the others: a number, true, false, null, or a key without quotes.
enum class Kind : std::uint8_t { object, list, string, word };

class Document;
struct Member;

// A value of a document. REQUIRES: the document outlives it, and does not move.
class Value {
 public:
  // Returns the kind, which says which of the functions below may be called.
  Kind kind() const;

  // Returns a word as it is written, or a string without its quotes and escapes. REQUIRES: the kind
  // is word or string.
  std::string_view text() const;

  // Returns the members of an object, or the items of a list, in the order of the text. A key may
  // occur several times. REQUIRES: the value is of that kind.
  std::vector<Member> members() const;
  std::vector<Value> items() const;

  // Returns the line and column where the value begins.
  Place place() const;

  // Returns an excerpt of the text for errors: a string in double quotes, a word, or a bracket.
  std::string shown() const;

 private:
  friend class Document;
  Value(const Document& document, std::uint32_t node) : document_(&document), node_(node) {}

  const Document* document_;
  std::uint32_t node_;
};

// A member of an object.
struct Member {
  Value key;
  Value value;
};

// The tree of a text. It takes 20 bytes for each value.
class Document {
 public:
  // Reads a text. An Error has the code syntax, and the line and column. Values may be nested at
  // most 64 deep. REQUIRES: the text outlives the document and has less than 4 GiB.
  static Result<Document> read(std::string_view text);

  // Returns the outermost value.
  Value root() const { return {*this, 0}; }

  // A value in the order of the text, in which an object or a list precedes its contents.
  struct Node {
    Kind kind;
    std::uint32_t begin;  // offset of its first byte, such as the quote of a string
    std::uint32_t end;    // offset after its last byte
    std::uint32_t next;   // the first node after the value and its contents
    // index in `unescaped_` of a string with escapes, from 1; 0: without escapes
    std::uint32_t unescaped;
  };

 private:
  friend class Value;

  Document(std::string_view text, std::vector<Node> nodes, std::vector<std::string> unescaped)
      : text_(text), nodes_(std::move(nodes)), unescaped_(std::move(unescaped)) {}

  std::string_view text_;
  std::vector<Node> nodes_;
  std::vector<std::string> unescaped_;
};

// Returns an error about a value, with its line and column.
Error error_at(const Value& value, std::string message);

// Reads a number that is a whole word. Returns false for other values, and for numbers that do not
// fit. But a number beyond the range of binary64 becomes infinite or 0.
bool reads_as(const Value& value, double& number);
template <class Number>
requires std::is_arithmetic_v<Number>
bool reads_as(const Value& value, Number& number) {
  if (value.kind() != Kind::word) return false;
  const std::string_view text = value.text();
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && stop == text.data() + text.size();
}

}  // namespace orrery::json
