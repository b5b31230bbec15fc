// Shows pictures of pixels with characters.
#include "client/cli/render/terminal/blocks.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

namespace orrery::cli {
namespace {

constexpr std::size_t kPixels = kCellWidth * kCellHeight;
using Pixels = std::array<Rgb, kPixels>;  // of a cell, row by row

// A block character. Bit 2 y + x of the mask is set if the glyph covers pixel (x, y) of its cell.
struct Block {
  char32_t glyph;
  unsigned mask;
};
constexpr std::array<Block, 9> kBlocks{{{U'▂', 0b11000000},
                                        {U'▄', 0b11110000},
                                        {U'▆', 0b11111100},
                                        {U'▌', 0b01010101},
                                        {U'▘', 0b00000101},
                                        {U'▝', 0b00001010},
                                        {U'▖', 0b01010000},
                                        {U'▗', 0b10100000},
                                        {U'▚', 0b10100101}}};

Pixels pixels_of(const Canvas& canvas, std::uint32_t column, std::uint32_t row) {
  Pixels pixels;
  for (std::uint32_t i = 0; i < kPixels; ++i) {
    pixels[i] = canvas.at(kCellWidth * column + i % kCellWidth, kCellHeight * row + i / kCellWidth);
  }
  return pixels;
}

// Sums over some pixels.
struct Sums {
  int count = 0;
  int red = 0;
  int green = 0;
  int blue = 0;

  void add(const Rgb& c) {
    ++count;
    red += c.red;
    green += c.green;
    blue += c.blue;
  }
  // Returns the mean colour. Rounds each component to a multiple of 8, at most 255, so that small
  // changes of colour do not redraw a cell.
  Rgb mean() const {
    const auto share = [this](int sum) {
      return static_cast<std::uint8_t>(std::min((sum / count + 4) / 8 * 8, 255));
    };
    return {share(red), share(green), share(blue)};
  }
};

int squared_distance(const Rgb& a, const Rgb& b) {
  const int red = a.red - b.red;
  const int green = a.green - b.green;
  const int blue = a.blue - b.blue;
  return red * red + green * green + blue * blue;
}

Cell cell_of(const Pixels& pixels) {
  if (std::adjacent_find(pixels.begin(), pixels.end(), std::not_equal_to<>()) == pixels.end()) {
    Sums all;
    all.add(pixels[0]);
    return {U' ', all.mean(), all.mean()};
  }
  Cell best;
  int best_error = std::numeric_limits<int>::max();
  for (const Block& block : kBlocks) {
    Sums inside;
    Sums outside;
    for (std::size_t i = 0; i < kPixels; ++i) {
      (block.mask >> i & 1 ? inside : outside).add(pixels[i]);
    }
    const Cell cell{block.glyph, inside.mean(), outside.mean()};
    int error = 0;
    for (std::size_t i = 0; i < kPixels; ++i) {
      error += squared_distance(pixels[i], block.mask >> i & 1 ? cell.ink : cell.ground);
    }
    if (error < best_error) {
      best_error = error;
      best = cell;
    }
  }
  if (best.ink == best.ground) best.glyph = U' ';
  return best;
}

}  // namespace

void show_blocks(const Canvas& canvas, Screen& screen) {
  for (std::uint32_t row = 0; row < canvas.height() / kCellHeight; ++row) {
    for (std::uint32_t column = 0; column < canvas.width() / kCellWidth; ++column) {
      screen.put(column, row, cell_of(pixels_of(canvas, column, row)));
    }
  }
}

void show_dots(const Canvas& canvas, Screen& screen) {
  // The bit of each dot in the braille characters U+2800 to U+28FF, row by row.
  constexpr std::array<char32_t, kPixels> kDots{0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80};
  for (std::uint32_t row = 0; row < canvas.height() / kCellHeight; ++row) {
    for (std::uint32_t column = 0; column < canvas.width() / kCellWidth; ++column) {
      const Pixels pixels = pixels_of(canvas, column, row);
      char32_t dots = 0;
      for (std::size_t i = 0; i < kPixels; ++i) {
        if (pixels[i].red + pixels[i].green + pixels[i].blue >= 3 * 128) dots |= kDots[i];
      }
      if (column >= screen.columns() || row >= screen.rows()) continue;
      Cell cell = screen.at(column, row);
      cell.glyph = dots == 0 ? U' ' : 0x2800 + dots;
      screen.put(column, row, cell);
    }
  }
}

}  // namespace orrery::cli
