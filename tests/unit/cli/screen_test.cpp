// Tests pages of characters, and the text that shows them on a terminal.
#include "client/cli/render/terminal/screen.h"

#include <gtest/gtest.h>

#include "client/cli/render/terminal/blocks.h"

namespace orrery::cli {
namespace {

constexpr Rgb kBlack{0, 0, 0};
constexpr Rgb kWhite{255, 255, 255};
constexpr Rgb kRed{200, 0, 0};
constexpr Cell kBlank{U' ', kWhite, kBlack};

TEST(Screen, WritingOutsideHasNoEffect) {
  Screen screen(4, 2, kBlank);
  screen.write(2, 0, "abc", kWhite);
  screen.write(0, 5, "abc", kWhite);
  screen.put(4, 0, {U'x', kWhite, kBlack});
  EXPECT_EQ(lines_of(screen, Colours::none), "  ab\n\n");
}

TEST(Screen, OnlyChangedCellsAreWritten) {
  Screen before(10, 3, kBlank);
  Screen now = before;
  EXPECT_EQ(changes(before, now, Colours::all), "");
  now.write(3, 1, "hi", kRed);
  EXPECT_EQ(changes(before, now, Colours::all), "\033[2;4H\033[38;2;200;0;0;48;2;0;0;0mhi\033[m");
  EXPECT_EQ(changes(before, now, Colours::palette), "\033[2;4H\033[38;5;160;48;5;16mhi\033[m");
  EXPECT_EQ(changes(before, now, Colours::none), "\033[2;4Hhi");
}

TEST(Screen, AnotherSizeClearsTheTerminal) {
  const std::string text = changes(Screen(0, 0, kBlank), Screen(2, 1, kBlank), Colours::none);
  EXPECT_EQ(text, "\033[2J\033[1;1H  ");
}

TEST(Screen, WithoutColoursThereIsNoEscapeSequence) {
  Screen screen(5, 1, kBlank);
  screen.put(1, 0, {0x28ff, kRed, kWhite});
  EXPECT_EQ(lines_of(screen, Colours::none), " \xe2\xa3\xbf\n");
}

TEST(Blocks, ShowHalvesAndQuarters) {
  Canvas canvas(8, 4, kBlack);
  canvas.fill({{{0, 0}, {2, 0}, {2, 2}, {0, 2}}, 0}, kRed);  // the upper half of cell 0
  canvas.fill({{{2, 0}, {3, 0}, {3, 4}, {2, 4}}, 0}, kRed);  // the left half of cell 1
  canvas.fill({{{5, 2}, {6, 2}, {6, 4}, {5, 4}}, 0}, kRed);  // the lower right of cell 2
  Screen screen(4, 1, kBlank);
  show_blocks(canvas, screen);
  EXPECT_EQ(screen.at(0, 0), (Cell{U'▄', kBlack, kRed}));
  EXPECT_EQ(screen.at(1, 0), (Cell{U'▌', kRed, kBlack}));
  EXPECT_EQ(screen.at(2, 0), (Cell{U'▗', kRed, kBlack}));
  EXPECT_EQ(screen.at(3, 0).glyph, U' ');
}

TEST(Blocks, DotsAreWhereThePictureIsLight) {
  Canvas canvas(4, 4, kBlack);
  canvas.fill({{{0, 0}, {1, 0}, {1, 4}, {0, 4}}, 0}, kWhite);
  Screen screen(2, 1, kBlank);
  show_dots(canvas, screen);
  EXPECT_EQ(screen.at(0, 0).glyph, char32_t{0x2847});  // Braille dots 1, 2, 3 and 7
  EXPECT_EQ(screen.at(1, 0).glyph, U' ');
}

}  // namespace
}  // namespace orrery::cli
