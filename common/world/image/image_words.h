// Converts the 64-bit words of an image, which are little-endian.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/core/bytes.h"

namespace orrery {

// True if words have another byte order in memory than in images.
inline constexpr bool kSwapped = std::endian::native == std::endian::big;

// Appends words to an image.
inline void append_words(std::vector<std::uint8_t>& out, const double* words, std::size_t count) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words);
  const std::size_t at = out.size();
  out.insert(out.end(), bytes, bytes + count * sizeof(double));
  if constexpr (kSwapped) {
    for (std::size_t i = at; i < out.size(); i += 8) std::reverse(&out[i], &out[i] + 8);
  }
}

// Returns the bits of a word of an image.
inline std::uint64_t read_bits(Bytes words, std::size_t index) {
  std::uint64_t bits;
  std::memcpy(&bits, words.data() + index * sizeof bits, sizeof bits);
  return kSwapped ? __builtin_bswap64(bits) : bits;
}

// Returns a word of an image as a number.
inline double read_word(Bytes words, std::size_t index) {
  return std::bit_cast<double>(read_bits(words, index));
}

// Copies words out of an image.
inline void copy_words(Bytes words, double* out) {
  ORRERY_ASSERT(words.size() % sizeof(double) == 0);
  std::memcpy(out, words.data(), words.size());
  if constexpr (kSwapped) {
    for (std::size_t i = 0; i < words.size() / 8; ++i) out[i] = read_word(words, i);
  }
}

// Returns true if every number is finite and below 2^exponent. Adding `lacking` to the exponent
// bits sets the sign bit if the exponent is too large. The loop takes eight words at a time, which
// compilers vectorise.
inline bool all_within_reach(Bytes words, std::uint64_t exponent) {
  constexpr std::uint64_t kExponent = 0x7FF0000000000000;
  const std::uint64_t lacking = (0x800 - (1023 + exponent)) << 52;
  constexpr std::size_t kAtOnce = 8;
  const std::size_t count = words.size() / sizeof(double);
  std::uint64_t carries[kAtOnce] = {};
  std::size_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    for (std::size_t k = 0; k < kAtOnce; ++k) {
      carries[k] |= (read_bits(words, i + k) & kExponent) + lacking;
    }
  }
  for (; i < count; ++i) carries[0] |= (read_bits(words, i) & kExponent) + lacking;
  std::uint64_t any = 0;
  for (const std::uint64_t carry : carries) any |= carry;
  return any >> 63 == 0;
}

}  // namespace orrery
