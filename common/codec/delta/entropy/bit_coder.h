// Bits to bytes and back without probabilities, for level cheap. The functions have the names of
// those of the range coder, so that code can use either.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/codec/delta/entropy/range_coder.h"
#include "common/core/assert.h"
#include "common/core/bytes.h"

namespace orrery::codec {

// Returns 0, 1, 2, 3, 4 ... for 0, -1, 1, -2, 2 ...
constexpr std::uint32_t zigzag(std::int32_t value) {
  return static_cast<std::uint32_t>(value) << 1 ^ (value < 0 ? 0xFFFFFFFF : 0);
}
// Returns the number whose zigzag() is `value`.
constexpr std::int32_t unzigzag(std::uint32_t value) {
  return static_cast<std::int32_t>(value >> 1 ^ (value & 1 ? 0xFFFFFFFF : 0));
}

// The Golomb-Rice code of parameter k (R. F. Rice, 1979). With z = zigzag(v) and q = z >> k, the
// code of a number v of either sign is q one bits, a zero bit, and the low k bits of z. If q is at
// least kRiceEscape, it is kRiceEscape one bits, the width of z in 6 bits, and z.
inline constexpr std::uint32_t kRiceEscape = 10;
inline constexpr std::uint32_t kRiceMax = 20;  // largest k
static_assert(kRiceEscape + kRiceMax <= 32);   // a code without escape fits in one write

// Appends bits to a vector, the first in the lowest bit of a byte.
class BitWriter {
 public:
  explicit BitWriter(std::vector<std::uint8_t>& out) : out_(out), end_(out.size()) {}

  // Writes the low `bits` bits of a value. REQUIRES: bits <= 32.
  void raw(std::uint32_t value, std::uint32_t bits) {
    ORRERY_ASSERT(bits <= 32);
    const std::uint64_t kept = value & ((std::uint64_t{1} << bits) - 1);
    const std::uint64_t window = window_ | kept << count_;
    const std::uint32_t count = count_ + bits;
    if (end_ + 8 > out_.size()) out_.resize(end_ + kGrowth);
    store_little_endian<8>(out_.data() + end_, window);
    end_ += count / 8;
    window_ = window >> (count & ~7u);
    count_ = count % 8;
  }

  // Writes a bit. The model is for the range coder.
  void code(const BitModel& /*model*/, bool bit) { raw(bit ? 1 : 0, 1); }

  // Writes a number in the Golomb-Rice code. REQUIRES: k <= kRiceMax.
  void rice(std::uint32_t k, std::int32_t value) {
    ORRERY_ASSERT(k <= kRiceMax);
    const std::uint32_t number = zigzag(value);
    const std::uint32_t ones = number >> k;
    if (ones < kRiceEscape) {
      const std::uint32_t low = number & ((1u << k) - 1);
      return raw(low << (ones + 1) | ((1u << ones) - 1), ones + 1 + k);
    }
    const auto bits = static_cast<std::uint32_t>(std::bit_width(number));
    raw((1u << kRiceEscape) - 1, kRiceEscape);
    raw(bits, 6);
    raw(number, bits);
  }

  // Writes the last bits. Nothing may be written after it.
  void finish() { out_.resize(end_ + (count_ == 0 ? 0 : 1)); }

 private:
  static constexpr std::size_t kGrowth = 2048;

  std::vector<std::uint8_t>& out_;
  std::size_t end_;           // of the whole bytes in out_
  std::uint64_t window_ = 0;  // the bits after them
  std::uint32_t count_ = 0;   // of bits in the window, below 8
};

// Reads bits from untrusted bytes. After the end it reads zeros.
class BitReader {
 public:
  explicit BitReader(Bytes in) : in_(in) {}

  // Reads a value of `bits` bits. REQUIRES: bits <= 32.
  std::uint32_t raw(std::uint32_t bits) {
    ORRERY_ASSERT(bits <= 32);
    const std::uint64_t value = window() & ((std::uint64_t{1} << bits) - 1);
    at_ += bits;
    return static_cast<std::uint32_t>(value);
  }

  // Reads a bit. The model is for the range coder.
  bool bit(const BitModel& /*model*/) { return raw(1) != 0; }

  // Reads a number in the Golomb-Rice code. REQUIRES: k <= kRiceMax.
  std::int32_t rice(std::uint32_t k) {
    ORRERY_ASSERT(k <= kRiceMax);
    const std::uint64_t next = window();
    const auto ones = static_cast<std::uint32_t>(std::countr_one(next));
    if (ones < kRiceEscape) {
      at_ += ones + 1 + k;
      const auto low = static_cast<std::uint32_t>(next >> (ones + 1)) & ((1u << k) - 1);
      return unzigzag(ones << k | low);
    }
    at_ += kRiceEscape;
    const std::uint32_t bits = raw(6);
    return unzigzag(raw(bits < 32 ? bits : 32));
  }

  // Returns true if all bytes were read, and the bits after the last one are 0.
  // REQUIRES: all values were read.
  bool at_end() const { return (at_ + 7) / 8 == in_.size() && window() == 0; }

 private:
  // Returns the next bits, at least 57 of them.
  std::uint64_t window() const {
    const std::size_t byte = at_ / 8;
    if (byte + 8 <= in_.size()) return load_little_endian<8>(in_.data() + byte) >> at_ % 8;
    std::uint64_t last = 0;
    for (std::size_t i = byte; i < in_.size(); ++i) last |= std::uint64_t{in_[i]} << 8 * (i - byte);
    return last >> at_ % 8;
  }

  Bytes in_;
  std::size_t at_ = 0;  // bits that were read
};

}  // namespace orrery::codec
