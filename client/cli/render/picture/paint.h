// Paints a picture of bodies on a canvas or as SVG.
#pragma once

#include <string>
#include <vector>

#include "client/cli/render/picture/canvas.h"
#include "client/cli/render/picture/picture.h"

namespace orrery::cli {

// The colours of a picture, except those of the bodies.
struct Theme {
  Rgb ground;
  Rgb text;
  Rgb fastest;
  Rgb selected;
};
inline constexpr Theme kLightTheme{{251, 251, 248}, {45, 47, 52}, {230, 130, 0}, {0, 0, 0}};
inline constexpr Theme kDarkTheme{{24, 24, 24}, {222, 222, 216}, {255, 196, 70}, {255, 255, 255}};

// Paints the bodies of a picture and its marks, with edges `edge` pixels wide. Does not paint the
// labels.
void paint_bodies(const Picture& picture, const Theme& theme, double edge, Canvas& canvas);

// Paints the edges of the bodies in white on a dark canvas, for a picture without colours. A body
// that can move is filled, so it hides what is farther away. The fastest and the selected body are
// filled with white, others with black. A fixed body is not filled.
void paint_lines(const Picture& picture, Canvas& canvas);

// Size of a picture with a caption below it, in pixels.
struct PageSize {
  std::uint32_t width = 960;
  std::uint32_t height = 600;
};

// Returns the facts of a caption as lines of at most `width` pixels in the font of Canvas. Cuts a
// fact that is longer than a line.
std::vector<std::string> caption_lines(const std::vector<std::string>& facts, std::uint32_t width);

// Returns the height of a caption in pixels.
std::uint32_t caption_height(const std::vector<std::string>& lines);

// Return a picture with labels and a caption, on a light background. REQUIRES: `picture.view` is as
// wide as `size`, and as high as `size` less the height of the caption.
Canvas paint_page(const Picture& picture, const std::vector<std::string>& caption,
                  const PageSize& size);
std::string svg_page(const Picture& picture, const std::vector<std::string>& caption,
                     const PageSize& size);

}  // namespace orrery::cli
