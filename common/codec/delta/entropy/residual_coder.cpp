// The tables of residuals, and their symbols.
#include "common/codec/delta/entropy/residual_coder.h"

#include <algorithm>
#include <bit>

#include "common/math/vec3.h"

namespace orrery::codec {
namespace {

constexpr std::uint32_t kTotal = 1u << kProbabilityBits;
static_assert(kTotal <= 0xFFFF);
static_assert(ResidualTables::kSymbols % 2 == 1);
static_assert(ResidualTables::kSymbols < kTotal / 64);  // the shared part is small
constexpr auto kZero = static_cast<std::int32_t>(ResidualTables::kSymbols / 2);

// The magnitudes beyond the direct ones, in three classes: first magnitude, and raw bits.
struct Class {
  std::int64_t first;
  std::uint32_t bits;
};
constexpr Class kClasses[] = {{13, 3}, {21, 5}, {53, 0}};
static_assert(kClasses[0].first == ResidualTables::kDirect + 1);
static_assert(kClasses[1].first == kClasses[0].first + (1 << kClasses[0].bits));
static_assert(kClasses[2].first == kClasses[1].first + (1 << kClasses[1].bits));

// Returns the probability that a residual of scale 1 is below x: the mean of the distribution
// functions of Student's t with 2 and with 4 degrees of freedom (Johnson, Kotz, Balakrishnan,
// "Continuous Univariate Distributions" 2, 1995, chapter 28).
double distribution(double x) {
  const double two = x / square_root(2 + x * x) / 2;
  const double u = 1 + x * x / 4;
  const double four = 0.375 * x / square_root(u) * (1 - x * x / (12 * u));
  return 0.5 + (two + four) / 2;
}

// Returns the least magnitude of the class of a symbol above the direct ones.
double bound(std::uint32_t symbol) {
  const auto at = static_cast<std::int32_t>(symbol) - kZero;
  const std::int32_t magnitude = at < 0 ? -at : at;
  const auto direct = static_cast<std::int32_t>(ResidualTables::kDirect);
  const double least =
      magnitude <= direct ? magnitude : static_cast<double>(kClasses[magnitude - direct - 1].first);
  return at < 0 ? -least : least;
}

ResidualTables::Table make_table(double scale, double fraction) {
  // Every symbol has a share of 1, so that it can be coded.
  constexpr double kShared = kTotal - ResidualTables::kSymbols;
  ORRERY_ASSERT(scale > 0);
  ORRERY_ASSERT(fraction >= 0 && fraction <= 0.5);
  ResidualTables::Table table;
  table[0] = 0;
  for (std::uint32_t i = 1; i < ResidualTables::kSymbols; ++i) {
    // The border between symbol i - 1 and symbol i. Classes end where the next begins.
    const double border =
        static_cast<std::int32_t>(i) <= kZero - static_cast<std::int32_t>(ResidualTables::kDirect)
            ? bound(i - 1) + 0.5
            : bound(i) - 0.5;
    const double share = distribution((border - fraction) / scale);
    table[i] = static_cast<std::uint16_t>(static_cast<std::uint32_t>(share * kShared) + i);
  }
  table[ResidualTables::kSymbols] = static_cast<std::uint16_t>(kTotal);
  ORRERY_ASSERT(std::is_sorted(table.begin(), table.end()));
  return table;
}

// How a residual is coded: its sign may be flipped, and its low bits may be raw.
struct Shape {
  std::int64_t middle;
  bool flips;
  std::uint32_t shift;
  const ResidualTables::Table& table;
};

Shape shape_of(const ResidualTables& tables, double prediction, std::int32_t scale) {
  ORRERY_ASSERT(prediction >= -kPredictionMax && prediction <= kPredictionMax);
  const auto middle = static_cast<std::int64_t>(prediction + (prediction < 0 ? -0.5 : 0.5));
  const double fraction = prediction - static_cast<double>(middle);
  const std::int32_t bounded =
      std::clamp(scale, ResidualTables::kScaleMin, ResidualTables::kScaleMax);
  const std::int32_t shift =
      bounded > ResidualTables::kDirectMax ? (bounded - ResidualTables::kDirectMax + 3) / 4 : 0;
  const double magnitude = fraction < 0 ? -fraction : fraction;
  const auto part = std::min(static_cast<std::uint32_t>(magnitude * 2 * ResidualTables::kFractions),
                             ResidualTables::kFractions - 1);
  return {middle, fraction < 0, static_cast<std::uint32_t>(shift),
          tables.table(bounded - 4 * shift, shift == 0 ? part : 0)};
}

std::uint32_t class_of(std::int64_t magnitude) {
  if (magnitude < kClasses[1].first) return 0;
  return magnitude < kClasses[2].first ? 1 : 2;
}

}  // namespace

ResidualTables::ResidualTables() {
  // Four scales in an octave, the middle of each.
  constexpr double kQuarter = 1.189207115002721;  // 2^(1/4)
  static_assert(kScaleMin == -8 && kDirectMax % 4 == 0);
  double scale = 0.25;
  std::size_t at = 0;
  for (std::int32_t i = kScaleMin; i <= kDirectMax; ++i, scale *= kQuarter) {
    for (std::uint32_t part = 0; part < kFractions; ++part) {
      tables_[at++] = make_table(scale, (part + 0.5) / (2 * kFractions));
    }
  }
}

void code_residual(RangeEncoder& coder, const ResidualTables& tables, double prediction,
                   std::int32_t scale, std::int64_t& number) {
  const Shape shape = shape_of(tables, prediction, scale);
  const std::int64_t difference = number - shape.middle;
  const std::int64_t residual = shape.flips ? -difference : difference;
  const std::int64_t half = shape.shift == 0 ? 0 : std::int64_t{1} << (shape.shift - 1);
  const std::int64_t coarse = (residual + half) >> shape.shift;
  const std::int64_t magnitude = coarse < 0 ? -coarse : coarse;
  const bool is_direct = magnitude <= std::int64_t{ResidualTables::kDirect};
  const std::uint32_t beyond = is_direct ? 0 : class_of(magnitude);
  const std::int64_t step =
      is_direct ? magnitude : std::int64_t{ResidualTables::kDirect} + 1 + beyond;
  const auto symbol = static_cast<std::uint32_t>(kZero + (coarse < 0 ? -step : step));
  coder.code(shape.table[symbol],
             static_cast<std::uint32_t>(shape.table[symbol + 1] - shape.table[symbol]));
  if (!is_direct) {
    const auto rest = static_cast<std::uint64_t>(magnitude - kClasses[beyond].first);
    std::uint32_t bits = kClasses[beyond].bits;
    if (beyond == 2) {
      bits = static_cast<std::uint32_t>(std::bit_width(rest));
      coder.raw(bits, 6);
    }
    if (bits > 16) coder.raw(static_cast<std::uint32_t>(rest >> 16), bits - 16);
    coder.raw(static_cast<std::uint32_t>(rest & 0xFFFF), std::min(bits, 16u));
  }
  coder.raw(static_cast<std::uint32_t>(residual + half), shape.shift);
}

void code_residual(RangeDecoder& coder, const ResidualTables& tables, double prediction,
                   std::int32_t scale, std::int64_t& number) {
  const Shape shape = shape_of(tables, prediction, scale);
  const std::uint32_t place = coder.place();
  const auto after = std::upper_bound(shape.table.begin() + 1, shape.table.end() - 1, place);
  const auto symbol = static_cast<std::uint32_t>(after - shape.table.begin()) - 1;
  coder.take(shape.table[symbol],
             static_cast<std::uint32_t>(shape.table[symbol + 1] - shape.table[symbol]));
  const std::int32_t at = static_cast<std::int32_t>(symbol) - kZero;
  std::int64_t magnitude = at < 0 ? -at : at;
  if (magnitude > std::int64_t{ResidualTables::kDirect}) {
    const auto beyond = static_cast<std::uint32_t>(magnitude - ResidualTables::kDirect - 1);
    std::uint32_t bits = kClasses[beyond].bits;
    if (beyond == 2) bits = std::min(coder.raw(6), 35u);
    std::uint64_t rest = 0;
    if (bits > 16) rest = std::uint64_t{coder.raw(bits - 16)} << 16;
    rest |= coder.raw(std::min(bits, 16u));
    magnitude = kClasses[beyond].first + static_cast<std::int64_t>(rest);
  }
  const std::int64_t coarse = at < 0 ? -magnitude : magnitude;
  const std::int64_t half = shape.shift == 0 ? 0 : std::int64_t{1} << (shape.shift - 1);
  const std::int64_t residual =
      coarse * (std::int64_t{1} << shape.shift) + std::int64_t{coder.raw(shape.shift)} - half;
  number = shape.middle + (shape.flips ? -residual : residual);
}

}  // namespace orrery::codec
