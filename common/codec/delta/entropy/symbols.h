// Codes plain values in either direction: an encoder reads the value, and a decoder sets it.
//
// Code that uses these functions is written once for both directions, so that an encoder and a
// decoder cannot differ.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "common/codec/delta/entropy/bit_coder.h"
#include "common/codec/delta/entropy/range_coder.h"

namespace orrery::codec {

// True for an encoder.
template <class Coder>
inline constexpr bool kEncodes =
    std::is_same_v<Coder, RangeEncoder> || std::is_same_v<Coder, BitWriter>;

// Codes a bit with a model, which learns it in the range coder.
template <class Coder>
void code_bit(Coder& coder, BitModel& model, bool& value) {
  if constexpr (kEncodes<Coder>) {
    coder.code(model, value);
  } else {
    value = coder.bit(model);
  }
}

// Codes the low bits of a value, at the cost of a bit each. REQUIRES: bits <= 32.
template <class Coder>
void code_raw(Coder& coder, std::uint32_t bits, std::uint32_t& value) {
  if constexpr (kEncodes<Coder>) {
    coder.raw(value, bits);
  } else {
    value = coder.raw(bits);
  }
}

// Writes a number of either sign with the Golomb-Rice code of parameter k. REQUIRES: k <= kRiceMax.
inline void code_rice(BitWriter& coder, std::uint32_t k, std::int32_t& value) {
  coder.rice(k, value);
}
// Reads a number of the Golomb-Rice code of parameter k. REQUIRES: k <= kRiceMax.
inline void code_rice(BitReader& coder, std::uint32_t k, std::int32_t& value) {
  value = coder.rice(k);
}

// Codes a number of any size: how many bits it has, and the bits.
void code_number(auto& coder, std::uint32_t& value) {
  auto bits = static_cast<std::uint32_t>(std::bit_width(value));
  code_raw(coder, 6, bits);
  bits = std::min(bits, 32u);
  code_raw(coder, bits, value);
}

// Codes a number of either sign.
void code_signed(auto& coder, std::int32_t& value) {
  std::uint32_t number = zigzag(value);
  code_number(coder, number);
  value = unzigzag(number);
}

// Codes a number by its difference to another, modulo 2^32.
void code_difference(auto& coder, std::uint32_t from, std::uint32_t& value) {
  auto difference = static_cast<std::int32_t>(value - from);
  code_signed(coder, difference);
  value = from + static_cast<std::uint32_t>(difference);
}

}  // namespace orrery::codec
