// Tests the tree of JSON text: its values, their places, and errors.
#include "common/host/text/json_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace orrery {
namespace {

using json::Kind;

// Returns a value in one line, with each word and string at its line and column.
std::string written(const json::Value& value) {
  std::string text;
  if (value.kind() == Kind::object) {
    for (const auto& [key, member] : value.members()) {
      text += (text.empty() ? "" : ", ") + std::string(key.text()) + ": " + written(member);
    }
    return '{' + text + '}';
  }
  if (value.kind() == Kind::list) {
    for (const json::Value& item : value.items()) {
      text += (text.empty() ? "" : ", ") + written(item);
    }
    return '[' + text + ']';
  }
  const Place place = value.place();
  return value.shown() + '@' + std::to_string(place.line) + ':' + std::to_string(place.column);
}

std::string read(const std::string& text) {
  const Result<json::Document> document = json::Document::read(text);
  return document ? written(document.value().root()) : document.error().text();
}

TEST(JsonReader, KnowsThePlaceOfEachValue) {
  EXPECT_EQ(read("{\"a\": 1,\n \"b\": [true, \"x\"]}"), "{a: 1@1:7, b: [true@2:8, \"x\"@2:14]}");
  EXPECT_EQ(read("[[], {}]"), "[[], {}]");
  EXPECT_EQ(read("\xef\xbb\xbf 1"), "1@1:5");  // a byte order mark
}

TEST(JsonReader, TakesTheAdditionsOfScenes) {
  EXPECT_EQ(read("// one\n{a: 'x', /* two\n */ 'b': [1, 2,],}"),
            "{a: \"x\"@2:5, b: [1@3:11, 2@3:14]}");
  EXPECT_EQ(read("1/**/"), "1@1:1");
  EXPECT_EQ(read("{\"a\": 1, \"a\": 2}"), "{a: 1@1:7, a: 2@1:15}");
}

TEST(JsonReader, DecodesEscapes) {
  const Result<json::Document> document =
      json::Document::read("[\"a\\n\\\"\\u00e9\\ud83d\\ude00\", 'it\\'s', \"\"]");
  ASSERT_TRUE(document) << document.error().text();
  const std::vector<json::Value> items = document.value().root().items();
  EXPECT_EQ(items[0].text(), "a\n\"\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(items[1].text(), "it's");
  EXPECT_EQ(items[2].text(), "");
}

TEST(JsonReader, NamesThePlaceOfAMistake) {
  const struct {
    std::string text, problem;
  } cases[] = {
      {"", "line 1, column 1: expected a value, not the end of the text"},
      {"/* a", "line 1, column 5: expected */, the end of the comment, not the end of the text"},
      {"{\n} {}", "line 2, column 3: expected nothing after the value, not {"},
      {"{\"a\" 1}", "line 1, column 6: expected ':' after the key, not 1"},
      {"{\"a\": }", "line 1, column 7: expected a value, not }"},
      {"[1 2]", "line 1, column 4: expected ',' or ']', not 2"},
      {"[1,,2]", "line 1, column 4: expected a value or ']', not ,"},
      {"[,1]", "line 1, column 2: expected a value or ']', not ,"},
      {"[1,", "line 1, column 4: expected a value or ']', not the end of the text"},
      {"{,}", "line 1, column 2: expected a key or '}', not ,"},
      {"{\"a\": 1, []}", "line 1, column 10: expected a key or '}', not ["},
      {"{\"a\": 1", "line 1, column 8: expected ',' or '}', not the end of the text"},
      {"\"ab\nc\"",
       "line 1, column 4: expected the closing quote in this line, not the end of the line"},
      {"\"\\x\"",
       "line 1, column 3: expected an escape of JSON, such as \\n, \\\\ or \\u0041, not x"},
      {"[\x1b]", "line 1, column 2: expected a value or ']', not \\x1b"},
      {"\"a\tb\"", "line 1, column 3: expected the closing quote in this line, not \\x09b"},
  };
  for (const auto& [text, problem] : cases) EXPECT_EQ(read(text), problem);
}

TEST(JsonReader, BoundsTheDepth) {
  const auto nested = [](std::size_t depth) {
    return json::Document::read(std::string(depth, '[') + std::string(depth, ']'));
  };
  EXPECT_TRUE(nested(64));
  ASSERT_FALSE(nested(65));
  EXPECT_EQ(nested(65).error().code, ErrorCode::syntax);
  EXPECT_EQ(nested(65).error().place.column, 65u);
  EXPECT_FALSE(nested(1'000'000));
}

TEST(JsonReader, ReadsNumbersThatAreTheWholeWord) {
  const auto as = [](const std::string& text, auto number) {
    const Result<json::Document> document = json::Document::read(text);
    return document && json::reads_as(document.value().root(), number) ? std::optional(number)
                                                                       : std::nullopt;
  };
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(as("4294967295", std::uint32_t{}), kMost);
  for (const char* text : {"4294967296", "-1", "1.0", "0x1", "+1", "\"1\"", "[1]", "one"}) {
    EXPECT_FALSE(as(text, std::uint32_t{})) << text;
  }
  EXPECT_EQ(as("-2.5e-3", 0.0), -2.5e-3);
  EXPECT_EQ(as("1e999", 0.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(as("1e-999", 1.0), 0);
  EXPECT_FALSE(as("1e", 0.0));
  EXPECT_FALSE(as("1e999", 0.0f));
  // The nearest float, and not the nearest to the nearest double.
  EXPECT_EQ(as("1.00000017881393432617187499", 0.0f), 1.0000001f);
}

}  // namespace
}  // namespace orrery
