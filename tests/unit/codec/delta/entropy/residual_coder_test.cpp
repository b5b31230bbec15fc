// Tests the coder of residuals: round trips of every size, and bits against the best possible.
#include "common/codec/delta/entropy/residual_coder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "common/core/rng.h"
#include "tests/support/source_path.h"

namespace orrery::codec {
namespace {

const ResidualTables kTables;

struct Sample {
  double prediction;
  std::int32_t scale;
  std::int64_t number;
};

std::size_t bytes_of(const std::vector<Sample>& samples) {
  std::vector<std::uint8_t> bytes;
  RangeEncoder encoder(bytes);
  for (const Sample& s : samples) {
    std::int64_t number = s.number;
    code_residual(encoder, kTables, s.prediction, s.scale, number);
  }
  encoder.finish();
  RangeDecoder decoder(bytes);
  for (const Sample& s : samples) {
    std::int64_t number = 0;
    code_residual(decoder, kTables, s.prediction, s.scale, number);
    EXPECT_EQ(number, s.number) << s.prediction << " at scale " << s.scale;
  }
  return bytes.size();
}

TEST(ResidualCoder, NumbersOfEverySizeComeBack) {
  SplitMix64 random(7);
  std::vector<Sample> samples;
  for (int i = 0; i < 20'000; ++i) {
    const double size = std::exp2(31 * (0.5 * random.symmetric() + 0.5));
    const auto number = static_cast<std::int64_t>((random.symmetric()) * size);
    const double prediction =
        (random.symmetric()) * std::exp2(31 * (0.5 * random.symmetric() + 0.5));
    samples.push_back({prediction, static_cast<std::int32_t>(random.below(140)) - 20, number});
  }
  bytes_of(samples);
}

TEST(ResidualCoder, PredictionsBetweenTwoNumbersWorkOnBothSides) {
  std::vector<Sample> samples;
  for (double p = -3; p <= 3; p += 0.125) {
    for (std::int64_t number = -40; number <= 40; ++number) {
      for (const std::int32_t scale : {-8, 0, 8, 9, 20}) samples.push_back({p, scale, number});
    }
  }
  bytes_of(samples);
}

// Random numbers with a normal distribution cost little more than their entropy if the coder's
// scale is right, and more if it is wrong.
TEST(ResidualCoder, BitsAreNearTheEntropy) {
  for (const double spread : {1.0, 5.0, 60.0, 4000.0}) {
    const auto bits_at = [spread](double scale) {
      SplitMix64 random(11);
      std::vector<Sample> samples;
      const auto quarters = static_cast<std::int32_t>(std::lround(4 * std::log2(scale)));
      for (int i = 0; i < 20'000; ++i) {
        double sum = 0;
        for (int k = 0; k < 12; ++k) sum += 0.5 * random.symmetric();
        const double prediction = 100 * (0.5 * random.symmetric() + 0.5);
        samples.push_back({prediction, quarters, std::lround(prediction + spread * sum)});
      }
      return 8.0 * static_cast<double>(bytes_of(samples)) / 20'000;
    };
    const double entropy = std::log2(spread * std::sqrt(2 * 3.14159265 * 2.71828183));
    const double right = bits_at(0.75 * spread);
    EXPECT_LT(right, entropy + 0.2) << spread;
    EXPECT_GT(right, entropy - 0.05) << spread;
    EXPECT_GT(bits_at(0.1 * spread), right + 0.3) << spread;
    EXPECT_GT(bits_at(8 * spread), right + 0.3) << spread;
  }
}

TEST(ResidualCoder, HostileBytesGiveBoundedNumbers) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SplitMix64 random(seed);
    std::vector<std::uint8_t> bytes(40);
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random.next());
    RangeDecoder decoder(bytes);
    for (int i = 0; i < 20; ++i) {
      std::int64_t number = 0;
      code_residual(decoder, kTables, 0.3, static_cast<std::int32_t>(random.below(140)) - 20,
                    number);
      EXPECT_LT(std::abs(static_cast<double>(number)), std::exp2(62));
    }
  }
}

// The tables of schema/residuals.txt, from which other programs decode.
TEST(ResidualTables, AreThoseOfTheFile) {
  std::ifstream file(test::source_path("schema/residuals.txt"));
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  const ResidualTables tables;
  int count = 0;
  std::int32_t scale = 0;
  std::uint32_t fraction = 0;
  while (file >> scale >> fraction) {
    ASSERT_TRUE(scale >= ResidualTables::kScaleMin && scale <= ResidualTables::kDirectMax);
    ASSERT_LT(fraction, ResidualTables::kFractions);
    for (const std::uint16_t expected : tables.table(scale, fraction)) {
      std::uint32_t number = 0;
      ASSERT_TRUE(file >> number);
      ASSERT_EQ(number, expected) << "scale " << scale << " part " << fraction;
    }
    ++count;
  }
  EXPECT_EQ(count, 17 * 4);
}

}  // namespace
}  // namespace orrery::codec
