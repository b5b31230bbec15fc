// Shows pictures of pixels with characters.
#pragma once

#include "client/cli/render/picture/canvas.h"
#include "client/cli/render/terminal/screen.h"

namespace orrery::cli {

// Pixels of a character: about square on most terminals.
inline constexpr std::uint32_t kCellWidth = 2;
inline constexpr std::uint32_t kCellHeight = 4;

// Shows a picture at the top left of a page, in two colours for each character. Of the characters
// that are blocks, it takes the one that is most like the pixels.
void show_blocks(const Canvas& canvas, Screen& screen);

// Shows a picture without colours: a dot of a braille character for each pixel that is more light
// than dark. REQUIRES: the cells of the page have the colours to use.
void show_dots(const Canvas& canvas, Screen& screen);

}  // namespace orrery::cli
