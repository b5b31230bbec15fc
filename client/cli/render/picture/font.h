// A font of pixels for text in pictures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace orrery::cli {

inline constexpr std::size_t kGlyphWidth = 8;
inline constexpr std::size_t kGlyphHeight = 13;

// The rows of a character from the top. The highest bit of a row is its left pixel.
using Glyph = std::array<std::uint8_t, kGlyphHeight>;

// Returns the glyph of a printable ASCII character, and the glyph of '?' for every other.
const Glyph& glyph_of(char c);

}  // namespace orrery::cli
