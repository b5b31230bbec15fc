// A picture of pixels, and how shapes are painted on it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "client/cli/render/picture/colour.h"
#include "client/cli/render/picture/outlines.h"

namespace orrery::cli {

// A picture of pixels. Pixel (x, y) covers the square from (x, y) to (x + 1, y + 1).
class Canvas {
 public:
  // REQUIRES: width and height are from 1 to kSizeMax.
  Canvas(std::uint32_t width, std::uint32_t height, const Rgb& ground);

  static constexpr std::uint32_t kSizeMax = 16384;

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }
  // Returns the pixels, row by row from the top.
  const std::vector<Rgb>& pixels() const { return pixels_; }
  const Rgb& at(std::uint32_t x, std::uint32_t y) const { return pixels_[y * width_ + x]; }

  // Fills a shape. A pixel that is partly covered is mixed with its former colour.
  // REQUIRES: 0 < opacity <= 1, and the numbers of the shape are finite.
  void fill(const FlatShape& shape, const Rgb& colour, double opacity = 1);

  // Draws the edge of a shape as a line of this width, centred on the edge.
  void stroke(const FlatShape& shape, const Rgb& colour, double width);

  // Writes text with its top left corner at `at`, in a font of kGlyphWidth x kGlyphHeight pixels
  // times `size`. Characters that are not printable ASCII show as '?'.
  void write(const Point& at, std::string_view text, const Rgb& colour, std::uint32_t size = 1);

 private:
  void cover(double from, double to, float share);
  void blend_row(std::uint32_t y, const Rgb& colour, double opacity);

  std::uint32_t width_;
  std::uint32_t height_;
  std::vector<Rgb> pixels_;
  // For each pixel of the row that fill() is painting: the share of the pixel that the shape
  // covers, from 0 to 1. All are 0 between calls of fill().
  std::vector<float> coverage_;
  // The pixels first_ to last_ - 1 of the row have coverage.
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
};

}  // namespace orrery::cli
