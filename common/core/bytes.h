// Reads and writes little-endian bytes, within bounds.
//
// Logs, images and packets are made of these bytes. Values are built with shifts, not by copying
// memory, so the bytes are the same on every machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/core/assert.h"

namespace orrery {

// A read-only view of bytes that someone else owns.
using Bytes = std::span<const std::uint8_t>;

// The next two functions load and store an integer of kCount bytes, 1 to 8. If the processor is
// little-endian, compilers turn each into one load or store. REQUIRES: `from` or `to` points to at
// least kCount bytes.

// Returns the unsigned integer at `from`.
template <int kCount>
constexpr std::uint64_t load_little_endian(const std::uint8_t* from) {
  return [from]<int... kByte>(std::integer_sequence<int, kByte...>) {
    return ((std::uint64_t{from[kByte]} << 8 * kByte) | ...);
  }
  (std::make_integer_sequence<int, kCount>());
}

// Writes the low kCount bytes of `value` to `to`.
template <int kCount>
constexpr void store_little_endian(std::uint8_t* to, std::uint64_t value) {
  [ to, value ]<int... kByte>(std::integer_sequence<int, kByte...>) {
    ((to[kByte] = static_cast<std::uint8_t>(value >> 8 * kByte)), ...);
  }
  (std::make_integer_sequence<int, kCount>());
}

// A writer that appends to a vector. The caller owns the vector and can reuse it. A vector that has
// grown large enough allocates nothing more.
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::uint8_t>& out) : out_(out) {}

  // Append a value of the given width. Floating-point numbers are written as their IEEE 754 bits.
  void u8(std::uint8_t value) { out_.push_back(value); }
  void u16(std::uint16_t value) { little_endian<2>(value); }
  void u32(std::uint32_t value) { little_endian<4>(value); }
  void u64(std::uint64_t value) { little_endian<8>(value); }
  void f32(float value) { u32(std::bit_cast<std::uint32_t>(value)); }
  void f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }
  // Appends the bytes as they are, without a length.
  void bytes(Bytes data) { out_.insert(out_.end(), data.begin(), data.end()); }

  // Appends an unsigned LEB128 number: seven bits a byte, low bits first.
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) u8(static_cast<std::uint8_t>(value | 0x80));
    u8(static_cast<std::uint8_t>(value));
  }

  // Returns the size of the whole vector in bytes, including bytes from before this writer.
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

// A reader for bytes from an untrusted source. Reading past the end returns zeros and makes ok()
// false permanently. A decoder can therefore read everything it expects and check ok() once.
class ByteReader {
 public:
  explicit ByteReader(Bytes in) : in_(in) {}

  // Read a value of the given width. Return 0 if too few bytes are left.
  std::uint8_t u8() { return static_cast<std::uint8_t>(little_endian<1>()); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(little_endian<2>()); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(little_endian<4>()); }
  std::uint64_t u64() { return little_endian<8>(); }
  float f32() { return std::bit_cast<float>(u32()); }
  double f64() { return std::bit_cast<double>(u64()); }

  // Returns the next `count` bytes, or none if fewer are left.
  Bytes bytes(std::size_t count) {
    if (!take(count)) return {};
    return in_.subspan(at_ - count, count);
  }

  // Reads an unsigned LEB128 number in its shortest form. A longer form, or a value above 64 bits,
  // makes ok() false.
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

  // Returns true if every read so far was within bounds and well-formed.
  bool ok() const { return ok_; }
  // Returns true if all bytes are read.
  bool at_end() const { return at_ == in_.size(); }
  // Returns the number of bytes read so far.
  std::size_t offset() const { return at_; }
  // Returns the unread bytes.
  Bytes rest() const { return in_.subspan(at_); }
  // Returns the bytes read since `offset`. REQUIRES: offset <= offset().
  Bytes since(std::size_t offset) const { return in_.first(at_).subspan(offset); }
  // Returns the number of unread bytes.
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
