// Colours of bodies.
#include "client/cli/render/picture/colour.h"

#include <array>

#include "common/core/assert.h"

namespace orrery::cli {
namespace {

// Colours of middle lightness, which are readable on a dark and on a light background.
constexpr std::array<Rgb, 10> kPalette{{{74, 134, 199},
                                        {226, 125, 38},
                                        {86, 161, 76},
                                        {206, 76, 81},
                                        {144, 103, 187},
                                        {46, 166, 160},
                                        {209, 109, 168},
                                        {193, 155, 35},
                                        {158, 118, 92},
                                        {98, 118, 213}}};

}  // namespace

Rgb palette_colour(std::uint32_t prototype) {
  // Multiplicative hashing by the golden ratio gives neighbouring prototypes different colours.
  const std::uint32_t hash = prototype * 2654435769u;
  return kPalette[static_cast<std::size_t>((std::uint64_t{hash} * kPalette.size()) >> 32)];
}

Rgb mixed(const Rgb& a, const Rgb& b, double share) {
  ORRERY_ASSERT(share >= 0 && share <= 1);
  const auto mix = [share](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(from + share * (to - from) + 0.5);
  };
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

Rgb lit(const Rgb& colour, double light) {
  return light < 1 ? mixed({0, 0, 0}, colour, light) : mixed(colour, {255, 255, 255}, light - 1);
}

}  // namespace orrery::cli
