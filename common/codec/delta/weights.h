// The numbers of the predictions that were fitted to recorded sessions.
#pragma once

#include <array>
#include <cstddef>

namespace orrery::codec {

// Number of predictions of a motion.
inline constexpr std::size_t kPredictors = 6;

// How much a prediction counts, from its error e when the baseline was coded and the surprise s of
// the bodies around: trust / (e^2 + doubt + surprise s^2). Lengths in steps.
struct PredictorWeights {
  double trust = 1;
  double doubt = 1;
  double surprise = 0;
};

// The features from which the scale of a residual follows: the sum of features times weights is
// its logarithm to base 2. Each feature is log2(1 + x^2) / 2 of a length x in steps, except the
// first and the last.
enum Feature : std::size_t {
  kOne,         // 1
  kError,       // errors of the predictions when the baseline was coded, weighted as they are
  kSpread,      // differences between the predictions
  kMiss,        // position: how wrong the predictions of neighbours were; rotation: of the position
  kRecent,      // how wrong the last predictions in this frame were
  kSpeed,       // the motion in the last interval
  kSurprise,    // the mean change of motion of neighbours; rotation: of this body
  kNeighbours,  // 1 if there are neighbours
  kFeatures
};

// The weights for positions, or for rotations.
struct BlendWeights {
  std::array<PredictorWeights, kPredictors> predictors;
  std::array<double, kFeatures> scale;
  double seen;   // how much residuals of the axes before change the scale of the next axis
  double drift;  // how fast the scale follows the residuals in a frame
};

// All weights.
struct Weights {
  BlendWeights position;  // predictors: on, falls, rests, rides, follows, drifts
  BlendWeights rotation;  // predictors: on, rests, rides, follows, swerves, rolls
  double reach;           // distance of neighbours, in radii
  double per_slip_near;   // 1 / the square of the slip, in steps, at which a neighbour counts less
  double per_slip_far;    // 1 / that at which it counts little
};

// The fitted weights.
inline constexpr Weights kFittedWeights{
    .position = {.predictors = {{{2.07, 2.02e-07, 1.22},
                                 {1.25, 0.074, 0.00029},
                                 {3.45, 8.04e-12, 3.29e-06},
                                 {2.49, 3.06, 0.00148},
                                 {3.47, 0.611, 0.000564},
                                 {1.53, 3.73, 0.0534}}},
                 .scale = {0.072, 0.254, 0.64, 0.283, 0.0568, -0.119, -0.202, -0.669},
                 .seen = 0.577,
                 .drift = 0.149},
    .rotation = {.predictors = {{{2.36, 0.0117, 4.17e-10},
                                 {3.79, 9.31e-06, 0.00123},
                                 {7.34, 2.85, 4.29e-05},
                                 {5.98, 1.89, 2.19e-09},
                                 {1.37, 1.45, 0.0257},
                                 {6.01, 0.00529, 8.17e-06}}},
                 .scale = {-2.48, 0.151, 0.511, 0.468, 0.0306, -0.00459, -0.017, 0.477},
                 .seen = 0.447,
                 .drift = 0.0459},
    .reach = 4.5,
    .per_slip_near = 1.0 / 28.78,
    .per_slip_far = 1.0 / 2792,
};

// Returns true if every prediction can count, and no weight is infinite.
constexpr bool is_sound(const BlendWeights& weights) {
  for (const PredictorWeights& p : weights.predictors) {
    if (!(p.trust > 0 && p.doubt > 0 && p.surprise >= 0)) return false;
  }
  return true;
}
static_assert(is_sound(kFittedWeights.position));
static_assert(is_sound(kFittedWeights.rotation));
static_assert(kFittedWeights.reach > 0);
static_assert(kFittedWeights.per_slip_near > 0 && kFittedWeights.per_slip_far > 0);

}  // namespace orrery::codec
