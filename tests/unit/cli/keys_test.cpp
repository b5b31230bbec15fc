// Tests reading keys from the bytes of a terminal.
#include "client/cli/watch/keys.h"

#include <gtest/gtest.h>

namespace orrery::cli {
namespace {

using Keys = std::vector<Key>;

TEST(Keys, LettersAndArrows) {
  KeyReader reader;
  EXPECT_EQ(reader.read("q+-\t?"),
            (Keys{Key::quit, Key::zoom_in, Key::zoom_out, Key::next, Key::help}));
  EXPECT_EQ(reader.read("\033[A\033[B\033OC\033[D"),
            (Keys{Key::up, Key::down, Key::right, Key::left}));
  EXPECT_EQ(reader.read("\033[5~\033[6~\033[Z"),
            (Keys{Key::page_up, Key::page_down, Key::previous}));
}

TEST(Keys, ASequenceMayArriveInPieces) {
  KeyReader reader;
  EXPECT_EQ(reader.read("\033"), Keys{});
  EXPECT_EQ(reader.read("["), Keys{});
  EXPECT_EQ(reader.read("Af"), (Keys{Key::up, Key::front}));
}

TEST(Keys, OtherBytesAreIgnored) {
  KeyReader reader;
  EXPECT_EQ(reader.read("xyz\x80\xff\x01"), Keys{});
  EXPECT_EQ(reader.read("\033[1;5C\033[200~\033x"), Keys{});  // other keys; the last is Alt+x
  EXPECT_EQ(reader.read("\033\033\033[A"), Keys{Key::up});
  EXPECT_EQ(reader.read("\033[" + std::string(100, '1') + "q"), Keys{Key::quit});
}

}  // namespace
}  // namespace orrery::cli
