// Writes shapes and text of pictures as SVG.
#pragma once

#include <string>
#include <string_view>

#include "client/cli/render/picture/outlines.h"

namespace orrery::cli {

// Returns text for use between tags and in double-quoted attributes: printable, with &, <, > and "
// escaped. Cuts off text beyond 4,000 bytes.
std::string svg_text(std::string_view text);

// Returns a colour as "#rrggbb".
std::string svg_colour(const Rgb& colour);

// Returns a number with two decimals.
std::string svg_number(double x);

// Returns the element of a shape. `attributes` say how it is painted, and `content` is inside the
// element.
std::string svg_shape(const FlatShape& shape, const std::string& attributes,
                      const std::string& content = "");

}  // namespace orrery::cli
