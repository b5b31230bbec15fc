// Owns the distance of two binary64 numbers, in units in the last place.
#pragma once

#include <bit>
#include <cstdint>

namespace orrery {

// Places binary64 numbers in their order: -0 and 0 have one place, neighbours follow one another.
constexpr std::int64_t place_of(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits >= 0 ? bits : std::int64_t{-0x7FFFFFFFFFFFFFFF - 1} - bits;
}

// How many steps from neighbour to neighbour there are between two finite numbers.
constexpr std::uint64_t ulps_between(double a, double b) {
  const auto place_a = static_cast<std::uint64_t>(place_of(a));
  const auto place_b = static_cast<std::uint64_t>(place_of(b));
  return place_of(a) < place_of(b) ? place_b - place_a : place_a - place_b;
}

// The next number above a finite one; above the largest it is infinite.
constexpr double next_above(double x) {
  if (x == 0) return std::bit_cast<double>(std::uint64_t{1});
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}

}  // namespace orrery
