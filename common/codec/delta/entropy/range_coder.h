// A range coder: symbols to bytes, at the cost that their probabilities imply.
//
// The encoder is that of LZMA (I. Pavlov): a low bound of 33 bits with carry, and a range that is
// renormalised by bytes. G. N. N. Martin, "Range encoding", 1979.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/core/assert.h"
#include "common/core/bytes.h"

namespace orrery::codec {

// Probabilities are multiples of 2^-kProbabilityBits.
inline constexpr std::uint32_t kProbabilityBits = 15;
inline constexpr std::uint32_t kHalf = 1u << (kProbabilityBits - 1);
static_assert(kProbabilityBits < 24);  // a range keeps more bits than that

// The probability that a bit is 1, which follows the bits that were coded with it. The first bits
// count most: the rate of adaption falls from 1/2 to 2^-kRateMax.
class BitModel {
 public:
  // `one` is the first probability of a 1, and `count` how many bits it is worth.
  // REQUIRES: 0 < one < 1 in units of 2^-kProbabilityBits.
  constexpr explicit BitModel(std::uint32_t one, std::uint32_t count) : one_(one), count_(count) {
    ORRERY_ASSERT(one > 0 && one < 1u << kProbabilityBits);
  }

  // Returns the probability of a 1, in units of 2^-kProbabilityBits.
  constexpr std::uint32_t one() const { return one_; }

  // Learns that the bit was `bit`.
  constexpr void learn(bool bit) {
    const std::int32_t target = bit ? (1 << kProbabilityBits) - kMargin : kMargin;
    one_ = static_cast<std::uint32_t>(static_cast<std::int32_t>(one_) +
                                      (target - static_cast<std::int32_t>(one_)) * kRates[count_] /
                                          (1 << 16));
    if (count_ < kCountMax) ++count_;
  }

 private:
  static constexpr std::int32_t kMargin = 32;
  static constexpr std::uint32_t kCountMax = 62;
  static constexpr auto kRates = [] {  // 1 / (count + 2), times 2^16
    std::array<std::int32_t, kCountMax + 1> rates{};
    for (std::int32_t i = 0; auto& rate : rates) rate = (1 << 16) / (i++ + 2);
    return rates;
  }();
  static_assert(kRates[0] == 1 << 15);
  static_assert(kRates[kCountMax] == 1 << 10);
  static_assert((1 << kProbabilityBits) - kMargin < 1 << kProbabilityBits);

  std::uint32_t one_;
  std::uint32_t count_;
};

// Appends coded symbols to a vector.
class RangeEncoder {
 public:
  explicit RangeEncoder(std::vector<std::uint8_t>& out) : out_(out) {}

  // Codes the symbol that has the given part of the probabilities: [begin, begin + size).
  // REQUIRES: size > 0, and begin + size <= 2^kProbabilityBits.
  void code(std::uint32_t begin, std::uint32_t size) {
    range_ >>= kProbabilityBits;
    low_ += std::uint64_t{begin} * range_;
    range_ *= size;
    while (range_ < kRangeMin) {
      range_ <<= 8;
      shift();
    }
  }

  // Codes a bit with a model, and lets the model learn it.
  void code(BitModel& model, bool bit) {
    const std::uint32_t one = model.one();
    bit ? code(0, one) : code(one, (1u << kProbabilityBits) - one);
    model.learn(bit);
  }

  // Codes the low `bits` bits of a value, each at the cost of a bit. REQUIRES: bits <= 32.
  void raw(std::uint32_t value, std::uint32_t bits) {
    ORRERY_ASSERT(bits <= 32);
    for (; bits > kProbabilityBits; bits -= kProbabilityBits) {
      code(value >> (bits - kProbabilityBits) & ((1u << kProbabilityBits) - 1), 1);
    }
    if (bits > 0) {
      code((value & ((1u << bits) - 1)) << (kProbabilityBits - bits),
           1u << (kProbabilityBits - bits));
    }
  }

  // Writes the bytes that the decoder needs to finish. Zeros at the end are left out, because the
  // decoder reads zeros there.
  void finish() {
    ORRERY_ASSERT(range_ >= kRangeMin);
    ORRERY_ASSERT(out_.size() >= begin_);
    const std::size_t begin = begin_;
    // Choose the value in the range with the most zeros at its end.
    const std::uint64_t high = low_ + range_ - 1;
    for (int zeros = 32; zeros >= 0; --zeros) {
      const std::uint64_t value = high >> zeros << zeros;
      if (value >= low_) {
        low_ = value;
        break;
      }
    }
    for (int i = 0; i < 5; ++i) shift();
    while (out_.size() > begin && out_.back() == 0) out_.pop_back();
  }

 private:
  static constexpr std::uint32_t kRangeMin = 1u << 24;

  // Moves the top byte of the bound out. A byte waits until it is known whether a carry reaches it.
  void shift() {
    if (low_ < 0xFF000000u || low_ >> 32 != 0) {
      const auto carry = static_cast<std::uint8_t>(low_ >> 32);
      if (has_byte_) out_.push_back(static_cast<std::uint8_t>(byte_ + carry));
      for (; waiting_ > 0; --waiting_) out_.push_back(static_cast<std::uint8_t>(0xFF + carry));
      byte_ = static_cast<std::uint8_t>(low_ >> 24);
      has_byte_ = true;
    } else {
      ++waiting_;
    }
    low_ = (low_ & 0x00FFFFFF) << 8;
  }

  std::vector<std::uint8_t>& out_;
  std::size_t begin_ = out_.size();
  std::uint64_t low_ = 0;
  std::uint32_t range_ = 0xFFFFFFFF;
  std::size_t waiting_ = 0;  // bytes of 0xFF between byte_ and the bound
  std::uint8_t byte_ = 0;
  bool has_byte_ = false;
};

// Reads symbols from untrusted bytes. After the end it reads zeros.
class RangeDecoder {
 public:
  explicit RangeDecoder(Bytes in) : in_(in) {
    for (int i = 0; i < 4; ++i) code_ = code_ << 8 | next();
  }

  // Returns the place of the next symbol in the probabilities, below 2^kProbabilityBits. The caller
  // finds the symbol that has it, and then calls take().
  std::uint32_t place() {
    range_ >>= kProbabilityBits;
    const std::uint32_t at = code_ / range_;
    return at < 1u << kProbabilityBits ? at : (1u << kProbabilityBits) - 1;
  }

  // Takes the symbol of [begin, begin + size) that contains the last place().
  void take(std::uint32_t begin, std::uint32_t size) {
    code_ -= begin * range_;
    range_ *= size;
    while (range_ < kRangeMin) {
      range_ <<= 8;
      code_ = code_ << 8 | next();
    }
  }

  // Reads a bit with a model, and lets the model learn it.
  bool bit(BitModel& model) {
    const std::uint32_t one = model.one();
    const bool bit = place() < one;
    bit ? take(0, one) : take(one, (1u << kProbabilityBits) - one);
    model.learn(bit);
    return bit;
  }

  // Reads a value of `bits` bits. REQUIRES: bits <= 32.
  std::uint32_t raw(std::uint32_t bits) {
    ORRERY_ASSERT(bits <= 32);
    std::uint32_t value = 0;
    for (; bits > kProbabilityBits; bits -= kProbabilityBits) {
      const std::uint32_t at = place();
      take(at, 1);
      value = value << kProbabilityBits | at;
    }
    if (bits > 0) {
      const std::uint32_t low = kProbabilityBits - bits;
      const std::uint32_t at = place() >> low;
      take(at << low, 1u << low);
      value = value << bits | at;
    }
    return value;
  }

  // Returns true if all bytes were read. REQUIRES: all symbols were read.
  bool at_end() const { return at_ >= in_.size(); }

 private:
  static constexpr std::uint32_t kRangeMin = 1u << 24;

  std::uint8_t next() {
    const std::uint8_t byte = at_ < in_.size() ? in_[at_] : std::uint8_t{0};
    ++at_;
    return byte;
  }

  Bytes in_;
  std::size_t at_ = 0;
  std::uint32_t code_ = 0;
  std::uint32_t range_ = 0xFFFFFFFF;
};

}  // namespace orrery::codec
