// A page of characters with colours, and its text for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/render/picture/colour.h"

namespace orrery::cli {

// A character of a page. Without colours only the glyph is shown.
struct Cell {
  char32_t glyph = U' ';
  Rgb ink;
  Rgb ground;

  friend bool operator==(const Cell&, const Cell&) = default;
};

// A page of characters, row by row from the top. Writing outside of the page has no effect.
class Screen {
 public:
  // Every cell is `blank`.
  Screen(std::size_t columns, std::size_t rows, const Cell& blank);

  std::size_t columns() const { return columns_; }
  std::size_t rows() const { return rows_; }
  // REQUIRES: the cell exists.
  const Cell& at(std::size_t column, std::size_t row) const {
    return cells_[row * columns_ + column];
  }

  void put(std::size_t column, std::size_t row, const Cell& cell);
  // Writes printable ASCII. The cells keep their background colours.
  void write(std::size_t column, std::size_t row, std::string_view text, const Rgb& ink);
  // Gives all cells of a row this background colour.
  void shade(std::size_t row, const Rgb& ground);

 private:
  std::size_t columns_;
  std::size_t rows_;
  std::vector<Cell> cells_;
};

// The colours that a terminal can show.
enum class Colours : std::uint8_t { none, palette, all };

// Returns the text that changes a terminal from the page `before` to the page `now`. It draws only
// the cells that differ. If the sizes differ, it clears the terminal and draws all cells.
std::string changes(const Screen& before, const Screen& now, Colours colours);

// Returns the page as lines, with a newline after each. Without colours, spaces at the end of a
// line are left out.
std::string lines_of(const Screen& screen, Colours colours);

}  // namespace orrery::cli
