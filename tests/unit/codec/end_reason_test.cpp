// Tests the list of reasons for which a connection ends, and that the pages have each of them.
#include "common/codec/end_reason.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "tests/support/source_path.h"

namespace orrery {
namespace {

// Returns the text of a page between two of its lines.
std::string section(const std::string& page, const std::string& from, const std::string& to) {
  std::ifstream in(test::source_path(page));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t start = text.find("\n" + from + "\n");
  EXPECT_NE(start, std::string::npos) << page;
  return text.substr(start, text.find("\n" + to + "\n", start) - start);
}

TEST(EndReasons, EachHasWordsOfItsOwn) {
  std::set<std::string_view> words;
  for (const EndReasonInfo& info : kEndReasons) {
    EXPECT_TRUE(!info.words.empty() && words.insert(info.words).second) << info.name;
  }
}

TEST(EndReasons, ThePagesHaveEachGoodbye) {
  const std::string wire =
      section("schema/wire.md", "### 6.6 Leaving", "### 6.7 Malformed messages");
  const std::string runbook =
      section("server/OPERATING.md", "### Clients are disconnected", "### Players see bodies jump");
  for (std::size_t i = 0; i < kGoodbyeReasons; ++i) {
    const std::string name = "`" + std::string(kEndReasons[i].name) + "`";
    EXPECT_NE(wire.find("| " + std::to_string(i) + " | " + name + " |"), std::string::npos) << name;
    EXPECT_NE(runbook.find(name), std::string::npos) << name;
  }
}

TEST(EndReasons, TheSpecificationHasEachDenial) {
  const std::string wire =
      section("schema/wire.md", "### 4.7 Reasons of a denial", "### 4.8 Pieces");
  for (std::size_t i = 1; i < kDenialReasons; ++i) {
    EXPECT_NE(wire.find("\n| " + std::to_string(i) + " |"), std::string::npos) << i;
  }
}

}  // namespace
}  // namespace orrery
