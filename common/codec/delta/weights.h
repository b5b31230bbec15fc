// The numbers of the predictions that were fitted to recorded sessions.
#pragma once

#include <array>
#include <cstddef>

namespace orrery::codec {

// Numbers of predictions of a displacement, and of a rotation.
inline constexpr std::size_t kPositionPredictors = 4;
inline constexpr std::size_t kRotationPredictors = 5;

// How much a prediction counts, from its error e when the baseline was coded and the surprise s, by
// which the body changed its displacement: trust / (e^2 + doubt + surprise s^2). Lengths in steps.
struct PredictorWeights {
  double trust = 1;
  double doubt = 1;
  double surprise = 0;
};

// The features from which the scale of a residual follows: the sum of features times weights is
// its logarithm to base 2. Each feature is log2(1 + x^2) / 2 of a length x in steps, except the
// first.
enum Feature : std::size_t {
  kOne,       // 1
  kError,     // errors of the predictions when the baseline was coded, weighted as they are
  kSpread,    // differences between the predictions
  kMiss,      // rotation: how wrong the prediction of the displacement was
  kRecent,    // how wrong the last predictions in this frame were
  kSpeed,     // the motion in the last interval
  kSurprise,  // rotation: how much the displacement changed
  kFeatures
};

// The weights for displacements, or for rotations.
template <std::size_t kPredictors>
struct BlendWeights {
  std::array<PredictorWeights, kPredictors> predictors;
  std::array<double, kFeatures> scale;
  double seen;   // how much residuals of the axes before change the scale of the next axis
  double drift;  // how fast the scale follows the residuals in a frame
};

// All weights.
struct Weights {
  BlendWeights<kPositionPredictors> position;  // on, falls, rests, rides
  BlendWeights<kRotationPredictors> rotation;  // on, rests, rides, swerves, rolls
};

// The fitted weights.
inline constexpr Weights kFittedWeights{
    .position = {.predictors = {{{2.07, 2.02e-07, 0},
                                 {1.25, 0.074, 0},
                                 {3.45, 8.04e-12, 0},
                                 {2.49, 3.06, 0}}},
                 .scale = {0.072, 0.254, 0.64, 0, 0.0568, -0.119, 0},
                 .seen = 0.577,
                 .drift = 0.149},
    .rotation = {.predictors = {{{2.36, 0.0117, 4.17e-10},
                                 {3.79, 9.31e-06, 0.00123},
                                 {7.34, 2.85, 4.29e-05},
                                 {1.37, 1.45, 0.0257},
                                 {6.01, 0.00529, 8.17e-06}}},
                 .scale = {-2.48, 0.151, 0.511, 0.468, 0.0306, -0.00459, -0.017},
                 .seen = 0.447,
                 .drift = 0.0459},
};

// Returns true if every prediction can count, and no weight is infinite.
template <std::size_t kPredictors>
constexpr bool is_sound(const BlendWeights<kPredictors>& weights) {
  for (const PredictorWeights& p : weights.predictors) {
    if (!(p.trust > 0 && p.doubt > 0 && p.surprise >= 0)) return false;
  }
  return true;
}
static_assert(is_sound(kFittedWeights.position));
static_assert(is_sound(kFittedWeights.rotation));

}  // namespace orrery::codec
