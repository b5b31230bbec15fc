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

}  // namespace orrery
