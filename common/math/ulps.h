// Distances between binary64 numbers, in units in the last place (ulp).
#pragma once

#include <bit>
#include <cstdint>

namespace orrery {

// Returns the position of x in the ascending order of all binary64 numbers. Adjacent numbers have
// consecutive positions. -0 and 0 both have position 0.
constexpr std::int64_t ordinal_of(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits >= 0 ? bits : std::int64_t{-0x7FFFFFFFFFFFFFFF - 1} - bits;
}

static_assert(ordinal_of(-0.0) == 0 && ordinal_of(0.0) == 0);
static_assert(ordinal_of(-0x1p-1074) == -1 && ordinal_of(0x1p-1074) == 1);

// Returns the distance between a and b in ulps: the number of steps from one binary64 number to the
// next. REQUIRES: a and b are finite.
constexpr std::uint64_t ulps_between(double a, double b) {
  const auto place_a = static_cast<std::uint64_t>(ordinal_of(a));
  const auto place_b = static_cast<std::uint64_t>(ordinal_of(b));
  return ordinal_of(a) < ordinal_of(b) ? place_b - place_a : place_a - place_b;
}

// Returns the smallest binary64 number above x, which is infinity if x is the largest finite
// number. REQUIRES: x is finite.
constexpr double next_above(double x) {
  if (x == 0) return std::bit_cast<double>(std::uint64_t{1});
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}

}  // namespace orrery
