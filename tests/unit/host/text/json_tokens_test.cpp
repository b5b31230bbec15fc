// Tests the tokens of JSON text: their kinds, places and lines.
#include "common/host/text/json_tokens.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace orrery {
namespace {

using host::JsonToken;
using host::JsonTokens;

std::vector<std::string> texts_of(std::string_view text) {
  std::vector<std::string> texts;
  JsonTokens tokens(text);
  for (JsonToken token = tokens.peek(); !token.text.empty(); token = tokens.peek()) {
    texts.emplace_back(token.text);
    tokens.consume();
  }
  return texts;
}

TEST(JsonTokens, AreBracketsWordsAndStrings) {
  const std::vector<std::string> expected = {"{", "mass", ":",   "-1.5e3", ",", "x",
                                             ":", "[",    "a b", "]",      "}"};
  EXPECT_EQ(texts_of(R"({mass: -1.5e3, "x":['a b']})"), expected);
  EXPECT_EQ(texts_of("\xef\xbb\xbftrue"), std::vector<std::string>{"true"});
  EXPECT_TRUE(texts_of(" \t\r\n").empty());
}

TEST(JsonTokens, SkipComments) {
  const std::vector<std::string> expected = {"1", "2"};
  EXPECT_EQ(texts_of("1 // one\n/* two\n*/ 2"), expected);
  EXPECT_EQ(texts_of("1/**/2"), expected);
  EXPECT_TRUE(texts_of("/* without an end").empty());
  EXPECT_TRUE(texts_of("/*").empty());
}

TEST(JsonTokens, KeepEscapesAndSeeMissingQuotes) {
  JsonTokens closed(R"("a\"b" c)");
  EXPECT_EQ(closed.peek().text, R"(a\"b)");
  EXPECT_TRUE(closed.peek().quoted);
  EXPECT_TRUE(closed.peek().closed);
  for (const char* text : {"\"ab", "\"ab\n\"", "\"ab\\"}) {
    JsonTokens open(text);
    EXPECT_TRUE(open.peek().quoted) << text;
    EXPECT_FALSE(open.peek().closed) << text;
  }
  JsonTokens brace("\"{\"");
  EXPECT_FALSE(brace.peek().is('{'));
}

TEST(JsonTokens, KnowTheirPlaceAndLine) {
  JsonTokens tokens("{\n  key: 'v'\n}");
  EXPECT_TRUE(tokens.take('{'));
  EXPECT_FALSE(tokens.take('}'));
  EXPECT_EQ(tokens.peek().text, "key");
  EXPECT_EQ(tokens.line(), 2);
  EXPECT_EQ(tokens.begin(), 4u);
  EXPECT_EQ(tokens.end(), 7u);
  tokens.consume();
  EXPECT_TRUE(tokens.take(':'));
  EXPECT_EQ(tokens.peek().text, "v");
  tokens.consume();
  EXPECT_TRUE(tokens.take('}'));
  EXPECT_EQ(tokens.line(), 3);
  tokens.go_to(4);
  EXPECT_EQ(tokens.peek().text, "key");
}

TEST(JsonTokens, ReadNumbersThatAreTheWholeText) {
  std::uint32_t whole = 0;
  EXPECT_TRUE(host::reads_as("4294967295", whole));
  EXPECT_EQ(whole, std::numeric_limits<std::uint32_t>::max());
  for (const char* text : {"", "4294967296", "-1", "1.0", "1 ", "0x1"}) {
    EXPECT_FALSE(host::reads_as(text, whole)) << text;
  }
  double real = 0;
  EXPECT_TRUE(host::reads_as("-2.5e-3", real));
  EXPECT_EQ(real, -2.5e-3);
  // This number is out of range. The check of the scene refuses it later.
  EXPECT_TRUE(host::reads_as("1e999", real));
  EXPECT_FALSE(host::reads_as("1e", real));
}

}  // namespace
}  // namespace orrery
