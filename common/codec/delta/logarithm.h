// A logarithm that is exact enough for the scale of a residual, and the same on every machine.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace orrery::codec {

static_assert(std::numeric_limits<double>::is_iec559 && sizeof(double) == 8);

// Returns log2(1 + x) to within 0.01. REQUIRES: -1 < x, and 1 + x is normal and finite.
inline double log2_of_one_plus(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(1 + x);
  const auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  const double m =
      std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) | 0x3FF0000000000000) - 1;  // [0, 1)
  return exponent + m * (1.3465 - 0.3465 * m);
}

}  // namespace orrery::codec
