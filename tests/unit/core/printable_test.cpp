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

std::string readable_of(const std::string& text) {
  return readable(Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

TEST(Printable, ReadableTextKeepsPrintableUtf8Only) {
  const std::string sound = "a b~ \u00a0\u00e9\u20ac\U0001f680";
  EXPECT_EQ(readable_of(sound), sound);
  EXPECT_EQ(readable_of(std::string("\x1b[31m\n\0\x7f", 8)), "?[31m???");
  EXPECT_EQ(readable_of("\xc2\x9b"
                        "a"),
            "??a")
      << "a control of two bytes";
  EXPECT_EQ(readable_of("\xc0\xaf\xe0\x80\xaf"), "?????") << "not in its shortest form";
  EXPECT_EQ(readable_of("\xed\xa0\x80\xf4\x90\x80\x80\xff"), "????????");
  EXPECT_EQ(readable_of("\u20ac"
                        "\xe2\x82"),
            "\u20ac??")
      << "cut";
  EXPECT_EQ(readable_of("\u202etxt\u200b\u2066\ufeff"), "???txt?????????")
      << "characters that reorder or hide others";
}

}  // namespace
}  // namespace orrery
