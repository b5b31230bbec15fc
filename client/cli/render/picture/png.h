// Writes pictures of pixels as PNG.
#pragma once

#include <string>

#include "client/cli/render/picture/canvas.h"

namespace orrery::cli {

// Returns the bytes of a PNG file.
std::string png_of(const Canvas& canvas);

}  // namespace orrery::cli
