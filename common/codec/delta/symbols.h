// Codes plain values in either direction: an encoder reads the value, and a decoder sets it.
//
// Code that uses these functions is written once for both directions, so that an encoder and a
// decoder cannot differ.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "common/codec/delta/range_coder.h"

namespace orrery::codec {

// True for an encoder.
template <class Coder>
inline constexpr bool kEncodes = std::is_same_v<Coder, RangeEncoder>;

// Codes a bit with a model, which learns it.
inline void code_bit(RangeEncoder& coder, BitModel& model, bool& value) {
  coder.code(model, value);
}
// Reads a bit with a model, which learns it.
inline void code_bit(RangeDecoder& coder, BitModel& model, bool& value) {
  value = coder.bit(model);
}

// Codes the low bits of a value, at the cost of a bit each. REQUIRES: bits <= 32.
inline void code_raw(RangeEncoder& coder, std::uint32_t bits, std::uint32_t& value) {
  coder.raw(value, bits);
}
// Reads a value of a number of bits. REQUIRES: bits <= 32.
inline void code_raw(RangeDecoder& coder, std::uint32_t bits, std::uint32_t& value) {
  value = coder.raw(bits);
}

// Codes a number of any size: how many bits it has, and the bits.
template <class Coder>
void code_number(Coder& coder, std::uint32_t& value) {
  auto bits = static_cast<std::uint32_t>(std::bit_width(value));
  code_raw(coder, 6, bits);
  bits = std::min(bits, 32u);
  code_raw(coder, bits, value);
}

// Codes a number of either sign.
template <class Coder>
void code_signed(Coder& coder, std::int32_t& value) {
  const std::uint32_t sign = value < 0 ? 0xFFFFFFFF : 0;
  std::uint32_t zigzag = static_cast<std::uint32_t>(value) << 1 ^ sign;
  code_number(coder, zigzag);
  value = static_cast<std::int32_t>(zigzag >> 1 ^ (zigzag & 1 ? 0xFFFFFFFF : 0));
}

// Codes a number by its difference to another, modulo 2^32.
template <class Coder>
void code_difference(Coder& coder, std::uint32_t from, std::uint32_t& value) {
  auto difference = static_cast<std::int32_t>(value - from);
  code_signed(coder, difference);
  value = from + static_cast<std::uint32_t>(difference);
}

}  // namespace orrery::codec
