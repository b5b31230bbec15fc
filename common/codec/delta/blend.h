// Blends the predictions of a motion, and estimates how wrong the blend may be.
#pragma once

#include <array>
#include <cstdint>

#include "common/codec/delta/logarithm.h"
#include "common/codec/delta/weights.h"
#include "common/math/vec3.h"

namespace orrery::codec {

// Predictions of one vector, in steps, with the squares of their errors when the baseline
// was coded.
template <std::size_t kPredictors>
struct Predictions {
  std::array<Vec3, kPredictors> vectors;
  std::array<float, kPredictors> errors{};
  std::array<bool, kPredictors> known{};  // whether there is such a prediction
};

static_assert(kFittedWeights.position.seen >= 0 && kFittedWeights.position.seen < 1);
static_assert(kFittedWeights.rotation.seen >= 0 && kFittedWeights.rotation.seen < 1);

// The blend of predictions, in steps.
struct Blend {
  Vec3 vector;
  double error = 0;   // weighted mean of the squares of errors
  double spread = 0;  // weighted mean of the squares of distances to the blend
};

// Returns the blend. `surprise` is the square of a change of motion. REQUIRES: one is known.
template <std::size_t kPredictors>
Blend blend_of(const Predictions<kPredictors>& p, const BlendWeights<kPredictors>& weights,
               double surprise) {
  std::array<double, kPredictors> w{};
  double sum = 0;
  Vec3 vector;
  double error = 0;
  for (std::size_t i = 0; i < kPredictors; ++i) {
    if (!p.known[i]) continue;
    const PredictorWeights& k = weights.predictors[i];
    const double e = double{p.errors[i]};
    w[i] = k.trust / (e + k.doubt + k.surprise * surprise);
    sum += w[i];
    vector += w[i] * p.vectors[i];
    error += w[i] * e;
  }
  const double scale = 1 / sum;
  vector = scale * vector;
  double spread = 0;
  for (std::size_t i = 0; i < kPredictors; ++i) {
    const Vec3 away = p.vectors[i] - vector;
    spread += w[i] * dot(away, away);
  }
  return {vector, scale * error, scale * spread};
}

// The scale of residuals, which follows the features of a body and the residuals in the frame.
class ResidualScale {
 public:
  template <std::size_t kPredictors>
  explicit ResidualScale(const BlendWeights<kPredictors>& weights)
      : scale_(weights.scale), drift_(weights.drift) {}

  // Returns the logarithm to base 2 of the scale. Features are squares of lengths in steps; the
  // first is a number.
  double logarithm(const std::array<double, kFeatures>& features) const {
    double sum = bias_ + scale_[kOne] * features[kOne];
    for (std::size_t i = kOne + 1; i < kFeatures; ++i) {
      sum += 0.5 * scale_[i] * log2_of_one_plus(features[i]);
    }
    return sum;
  }

  // Returns the square of how wrong the last predictions of this frame were, in steps.
  double recent() const { return recent_; }

  // Learns the square of the length by which a prediction missed, and the logarithm of its scale.
  void learn(double miss, double logarithm) {
    recent_ += 0.125 * (miss - recent_);
    bias_ += drift_ * (0.5 * log2_of_one_plus(miss) - logarithm - 1);
    bias_ = bias_ < -4 ? -4 : bias_ > 4 ? 4 : bias_;
  }

 private:
  std::array<double, kFeatures> scale_;
  double drift_;
  double bias_ = 0;
  double recent_ = 0;
};

// The scale of the axes of one vector. A large residual of one axis makes the scale of the next
// larger.
class AxisScale {
 public:
  // `logarithm` is the logarithm of the scale to base 2, and `weight` how much the axes before
  // count.
  AxisScale(double logarithm, double weight)
      : logarithm_(logarithm < -24  ? -24
                   : logarithm > 24 ? 24
                                    : logarithm),
        weight_(weight) {
    const auto whole = static_cast<std::int32_t>(logarithm_ + 64) - 64;
    inverse_ = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - whole) << 52);
  }

  // Returns the scale of the next axis in quarter octaves.
  std::int32_t quarters() const {
    double logarithm = logarithm_;
    if (axes_ > 0) {
      const double seen = sum_ * inverse_ / axes_;
      logarithm += log2_of_one_plus(weight_ * ((seen < 3 ? seen : 3) - 1));
    }
    return static_cast<std::int32_t>(4 * logarithm + 4096.5) - 4096;
  }

  // Learns how far the coded number of an axis was from its prediction.
  void learn(double residual) {
    sum_ += residual < 0 ? -residual : residual;
    ++axes_;
  }

 private:
  double logarithm_;
  double weight_;       // REQUIRES: 0 <= weight < 1
  double inverse_ = 1;  // about 1 / scale
  double sum_ = 0;
  int axes_ = 0;
};

// Returns the squares of the errors of predictions. One that is not known has the error of the
// first.
template <std::size_t kPredictors>
std::array<float, kPredictors> errors_of(const Predictions<kPredictors>& p, const Vec3& vector) {
  std::array<float, kPredictors> errors{};
  for (std::size_t i = 0; i < kPredictors; ++i) {
    const Vec3 away = p.vectors[p.known[i] ? i : 0] - vector;
    errors[i] = static_cast<float>(dot(away, away));
  }
  return errors;
}

}  // namespace orrery::codec
