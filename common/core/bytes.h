// Owns bounded reading and writing of little-endian bytes: what logs, images and packets are made
// of.
//
// Values go through shifts, never through memory, so the bytes are the same on every machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/core/assert.h"

namespace orrery {

using Bytes = std::span<const std::uint8_t>;

// --- one integer of kCount bytes, which compilers make one load or store of ---

template <int kCount>
constexpr std::uint64_t load_little_endian(const std::uint8_t* from) {
  return [from]<int... kByte>(std::integer_sequence<int, kByte...>) {
    return ((std::uint64_t{from[kByte]} << 8 * kByte) | ...);
  }
  (std::make_integer_sequence<int, kCount>());
}

template <int kCount>
constexpr void store_little_endian(std::uint8_t* to, std::uint64_t value) {
  [ to, value ]<int... kByte>(std::integer_sequence<int, kByte...>) {
    ((to[kByte] = static_cast<std::uint8_t>(value >> 8 * kByte)), ...);
  }
  (std::make_integer_sequence<int, kCount>());
}

// Appends to a vector that the caller owns (and keeps, so that nothing is allocated after warm-up).
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::uint8_t>& out) : out_(out) {}

  void u8(std::uint8_t value) { out_.push_back(value); }
  void u16(std::uint16_t value) { little_endian<2>(value); }
  void u32(std::uint32_t value) { little_endian<4>(value); }
  void u64(std::uint64_t value) { little_endian<8>(value); }
  void f32(float value) { u32(std::bit_cast<std::uint32_t>(value)); }
  void f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }
  void bytes(Bytes data) { out_.insert(out_.end(), data.begin(), data.end()); }

  // Unsigned LEB128: seven bits a byte, low ones first.
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) u8(static_cast<std::uint8_t>(value | 0x80));
    u8(static_cast<std::uint8_t>(value));
  }

  std::size_t size() const { return out_.size(); }

 private:
  template <int kCount>
  void little_endian(std::uint64_t value) {
    std::uint8_t bytes[kCount];
    store_little_endian<kCount>(bytes, value);
    out_.insert(out_.end(), bytes, bytes + kCount);
  }

  std::vector<std::uint8_t>& out_;
};

// Reads foreign bytes. Reading past the end gives zeros and makes ok() false for good, so a decoder
// reads all that it expects and asks once.
class ByteReader {
 public:
  explicit ByteReader(Bytes in) : in_(in) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(little_endian<1>()); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(little_endian<2>()); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(little_endian<4>()); }
  std::uint64_t u64() { return little_endian<8>(); }
  float f32() { return std::bit_cast<float>(u32()); }
  double f64() { return std::bit_cast<double>(u64()); }

  Bytes bytes(std::size_t count) {
    if (!take(count)) return {};
    return in_.subspan(at_ - count, count);
  }

  // Unsigned LEB128 in as few bytes as the value takes; longer, or above 64 bits, is not ok.
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = u8();
      const bool is_longer = shift > 0 && byte == 0;
      if (is_longer || (shift == 63 && byte > 1)) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == in_.size(); }
  std::size_t offset() const { return at_; }
  // What is left to read, and what was read from an offset on.
  Bytes rest() const { return in_.subspan(at_); }
  Bytes since(std::size_t offset) const { return in_.first(at_).subspan(offset); }
  std::size_t remaining() const { return in_.size() - at_; }

 private:
  bool take(std::size_t count) {
    ORRERY_ASSERT(at_ <= in_.size());
    if (count > in_.size() - at_) ok_ = false;
    if (ok_) at_ += count;
    return ok_;
  }

  template <int kCount>
  std::uint64_t little_endian() {
    return take(kCount) ? load_little_endian<kCount>(in_.data() + at_ - kCount) : 0;
  }

  Bytes in_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace orrery
