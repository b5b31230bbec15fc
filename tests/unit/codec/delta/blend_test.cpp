// Tests blends of predictions, and the scale of their residuals.
#include "common/codec/delta/blend.h"

#include <gtest/gtest.h>

namespace orrery::codec {
namespace {

Predictions<kPositionPredictors> two(float first_error, float second_error) {
  Predictions<kPositionPredictors> p;
  p.known[0] = p.known[2] = true;
  p.vectors[0] = {10, 0, 0};
  p.vectors[2] = {20, 0, 0};
  p.vectors[3] = {1e9, 0, 0};  // this prediction is not known, so it must not count
  p.errors[0] = first_error;
  p.errors[2] = second_error;
  return p;
}

TEST(Blend, FollowsThePredictionThatWasRight) {
  const auto& weights = kFittedWeights.position;
  EXPECT_NEAR(blend_of(two(0, 1e12F), weights, 0).vector.x, 10, 0.1);
  EXPECT_NEAR(blend_of(two(1e12F, 0), weights, 0).vector.x, 20, 0.1);
}

TEST(Blend, SpreadSeparatesPredictions) {
  const auto& weights = kFittedWeights.position;
  EXPECT_LT(blend_of(two(0, 1e15F), weights, 0).spread, 0.1);
  Predictions p = two(0, 0);
  p.vectors[2] = p.vectors[0];
  EXPECT_LT(blend_of(p, weights, 0).spread, 1e-20);
}

TEST(Blend, ErrorsAreThoseOfTheFirstWhereThereIsNoPrediction) {
  const auto errors = errors_of(two(0, 0), {10, 3, 0});
  EXPECT_EQ(errors[0], 9);
  EXPECT_EQ(errors[2], 109);
  EXPECT_EQ(errors[3], 9);
}

TEST(ResidualScale, FollowsTheResidualsOfTheFrame) {
  ResidualScale scale(kFittedWeights.position);
  const std::array<double, kFeatures> features{1};
  const double before = scale.logarithm(features);
  for (int i = 0; i < 1000; ++i) scale.learn(1e6, scale.logarithm(features));
  EXPECT_GT(scale.logarithm(features), before + 2);
  EXPECT_NEAR(scale.recent(), 1e6, 1);
}

TEST(AxisScale, GrowsAfterALargeResidualAndShrinksAfterASmall) {
  const AxisScale first(3, 0.5);
  EXPECT_EQ(first.quarters(), 12);
  AxisScale large = first, small = first;
  large.learn(1000);
  small.learn(0);
  EXPECT_GT(large.quarters(), first.quarters());
  EXPECT_LT(small.quarters(), first.quarters());
  EXPECT_LE(AxisScale(1e9, 0.5).quarters(), 96);
}

}  // namespace
}  // namespace orrery::codec
