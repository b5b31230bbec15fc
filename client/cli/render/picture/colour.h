// Colours of bodies.
#pragma once

#include <cstdint>

namespace orrery::cli {

// A colour of sRGB.
struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

// The colour of fixed bodies.
inline constexpr Rgb kFixedColour{146, 146, 146};

// Returns the colour of a moving body that is scene body `prototype` or copies it. The colours are
// readable on a dark and on a light background.
Rgb palette_colour(std::uint32_t prototype);

// Returns the mixture of two colours: `a` if `share` is 0, `b` if `share` is 1.
// REQUIRES: 0 <= share <= 1.
Rgb mixed(const Rgb& a, const Rgb& b, double share);

// Returns the colour with more or less light: mixed with black if `light` is below 1, and with
// white if it is above 1.
// REQUIRES: 0 <= light <= 2.
Rgb lit(const Rgb& colour, double light);

}  // namespace orrery::cli
