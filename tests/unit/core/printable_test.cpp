// Tests how foreign text is made printable.
#include "common/core/printable.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(Printable, KeepsPrintableAsciiAndEscapesAllElse) {
  EXPECT_EQ(printable("a b~"), "a b~");
  EXPECT_EQ(printable(std::string("\x1b[31m\n\0\x7f\xff", 9)), "\\x1b[31m\\x0a\\x00\\x7f\\xff");
  for (int byte = 0; byte < 256; ++byte) {
    for (const char c : printable(std::string(1, static_cast<char>(byte)))) {
      EXPECT_TRUE(c >= 0x20 && c <= 0x7e) << byte;
    }
  }
}

TEST(Printable, CutsLongText) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcdef...");
  EXPECT_LE(printable(std::string(100000, '\n')).size(), 4 * 200 + 3u);
}

}  // namespace
}  // namespace orrery
