// A page of characters with colours, and its text for a terminal.
#include "client/cli/render/terminal/screen.h"

#include <algorithm>
#include <optional>

#include "common/core/assert.h"

namespace orrery::cli {
namespace {

// Appends a character as UTF-8. Pages use no characters beyond U+FFFF.
void append(std::string& out, char32_t glyph) {
  ORRERY_ASSERT(glyph <= 0xffff);
  const auto byte = [&](char32_t value) { out += static_cast<char>(value); };
  if (glyph < 0x80) {
    byte(glyph);
  } else if (glyph < 0x800) {
    byte(0xc0 | glyph >> 6);
    byte(0x80 | (glyph & 0x3f));
  } else {
    byte(0xe0 | glyph >> 12);
    byte(0x80 | (glyph >> 6 & 0x3f));
    byte(0x80 | (glyph & 0x3f));
  }
}

// Returns the index of a colour among the 256 colours of xterm's palette: in its 24 greys, or in
// its cube of 6 x 6 x 6 colours.
int palette_index(const Rgb& colour) {
  const auto [least, most] = std::minmax({colour.red, colour.green, colour.blue});
  if (most - least < 20 && most >= 18 && most < 238) return 232 + (most - 8) / 10;
  const auto step = [](std::uint8_t value) {  // the cube has the levels 0, 95, 135, 175, 215, 255
    return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
  };
  return 16 + 36 * step(colour.red) + 6 * step(colour.green) + step(colour.blue);
}

std::string colour_code(int kind, const Rgb& colour, Colours colours) {
  const std::string code = std::to_string(kind);
  if (colours == Colours::palette) return code + ";5;" + std::to_string(palette_index(colour));
  return code + ";2;" + std::to_string(colour.red) + ';' + std::to_string(colour.green) + ';' +
         std::to_string(colour.blue);
}

// Writes cells one after the other, and sets colours only where they change.
class Pen {
 public:
  Pen(std::string& out, Colours colours) : out_(out), colours_(colours) {}

  void draw(const Cell& cell) {
    if (colours_ != Colours::none && !(ink_ == cell.ink && ground_ == cell.ground)) {
      out_ += "\033[" + colour_code(38, cell.ink, colours_) + ';' +
              colour_code(48, cell.ground, colours_) + 'm';
      ink_ = cell.ink;
      ground_ = cell.ground;
    }
    append(out_, cell.glyph);
  }

  // Returns to the terminal's own colours.
  void lift() {
    if (ink_) out_ += "\033[m";
    ink_.reset();
    ground_.reset();
  }

 private:
  std::string& out_;
  const Colours colours_;
  std::optional<Rgb> ink_;
  std::optional<Rgb> ground_;
};

}  // namespace

Screen::Screen(std::size_t columns, std::size_t rows, const Cell& blank)
    : columns_(columns), rows_(rows), cells_(columns * rows, blank) {}

void Screen::put(std::size_t column, std::size_t row, const Cell& cell) {
  if (column < columns_ && row < rows_) cells_[row * columns_ + column] = cell;
}

void Screen::write(std::size_t column, std::size_t row, std::string_view text, const Rgb& ink) {
  for (const char c : text) {
    if (column >= columns_ || row >= rows_) return;
    put(column, row, {static_cast<char32_t>(c), ink, at(column, row).ground});
    ++column;
  }
}

void Screen::shade(std::size_t row, const Rgb& ground) {
  for (std::size_t column = 0; column < columns_ && row < rows_; ++column) {
    cells_[row * columns_ + column].ground = ground;
  }
}

std::string changes(const Screen& before, const Screen& now, Colours colours) {
  std::string out;
  Pen pen(out, colours);
  const bool same_size = before.columns() == now.columns() && before.rows() == now.rows();
  if (!same_size) out += "\033[2J";
  for (std::size_t row = 0; row < now.rows(); ++row) {
    bool at_place = false;  // the cursor is at the cell
    for (std::size_t column = 0; column < now.columns(); ++column) {
      const Cell& cell = now.at(column, row);
      if (same_size && before.at(column, row) == cell) {
        at_place = false;
        continue;
      }
      if (!at_place) {
        out += "\033[" + std::to_string(row + 1) + ';' + std::to_string(column + 1) + 'H';
      }
      pen.draw(cell);
      at_place = true;
    }
  }
  pen.lift();
  return out;
}

std::string lines_of(const Screen& screen, Colours colours) {
  std::string out;
  Pen pen(out, colours);
  for (std::size_t row = 0; row < screen.rows(); ++row) {
    std::size_t end = screen.columns();
    while (colours == Colours::none && end > 0 && screen.at(end - 1, row).glyph == U' ') --end;
    for (std::size_t column = 0; column < end; ++column) pen.draw(screen.at(column, row));
    pen.lift();
    out += '\n';
  }
  return out;
}

}  // namespace orrery::cli
