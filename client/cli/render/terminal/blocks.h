// Shows pictures of pixels with characters.
#pragma once

#include "client/cli/render/picture/canvas.h"
#include "client/cli/render/terminal/screen.h"

namespace orrery::cli {

// Pixels per character. On most terminals such a pixel is about square.
inline constexpr std::uint32_t kCellWidth = 2;
inline constexpr std::uint32_t kCellHeight = 4;

// Shows a picture at the top left of a page, with two colours for each character. For each
// character it chooses the block that is most like the pixels.
void show_blocks(const Canvas& canvas, Screen& screen);

// Shows a picture without colours at the top left of a page. Each pixel is one dot of a braille
// character, set if the pixel is more light than dark. Keeps the colours of the cells.
void show_dots(const Canvas& canvas, Screen& screen);

}  // namespace orrery::cli
