// Codes the difference between a number and its prediction, given how wrong predictions tend to be.
#pragma once

#include <array>
#include <cstdint>

#include "common/codec/delta/entropy/range_coder.h"

namespace orrery::codec {

// The tables of the residual coder. A residual has the mean of two Student t distributions, with 2
// and 4 degrees of freedom. Their scale is one of a few, in steps of a quarter octave. Residuals
// of a larger scale are divided by a power of two, and the remainder is coded raw.
class ResidualTables {
 public:
  static constexpr std::int32_t kScaleMin = -8;  // scale 2^(-8 / 4), in quarter octaves
  static constexpr std::int32_t kScaleMax = 96;  // scale 2^24
  static constexpr std::int32_t kDirectMax = 8;  // scale 4: above it, residuals are divided
  static constexpr std::uint32_t kDirect = 12;   // magnitudes up to this have a symbol each
  static constexpr std::uint32_t kSymbols = 2 * (kDirect + 3) + 1;
  static constexpr std::uint32_t kFractions = 4;

  // The cumulated probabilities of the symbols, which are in the order of the residuals.
  using Table = std::array<std::uint16_t, kSymbols + 1>;

  ResidualTables();

  // Returns the table of a scale and of a part of a half. REQUIRES: kScaleMin <= scale <=
  // kDirectMax, and fraction < kFractions.
  const Table& table(std::int32_t scale, std::uint32_t fraction) const {
    return tables_[static_cast<std::size_t>(scale - kScaleMin) * kFractions + fraction];
  }

 private:
  std::array<Table, (kDirectMax - kScaleMin + 1) * kFractions> tables_;
};

// Codes residuals with the tables of a scale. `prediction` is a number, and the coded number an
// integer. `scale` is in quarter octaves. REQUIRES: |prediction| <= kPredictionMax, and the number
// is in the range of 32 bits.
inline constexpr double kPredictionMax = 1u << 31;
void code_residual(RangeEncoder& coder, const ResidualTables& tables, double prediction,
                   std::int32_t scale, std::int64_t& number);
// Reads a number. It can be any number of about 34 bits: the caller checks it.
void code_residual(RangeDecoder& coder, const ResidualTables& tables, double prediction,
                   std::int32_t scale, std::int64_t& number);

}  // namespace orrery::codec
