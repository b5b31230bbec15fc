// Tests the logarithm against the C library's.
#include "common/codec/delta/logarithm.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::codec {
namespace {

TEST(Logarithm, IsWithinItsBound) {
  double worst = 0;
  for (double x = -0.999; x < 1e18; x = x < 4 ? x + 0.001 : x * 1.01) {
    worst = std::max(worst, std::abs(log2_of_one_plus(x) - std::log2(1 + x)));
  }
  EXPECT_LT(worst, 0.01);
  EXPECT_GT(worst, 0.001);
  EXPECT_EQ(log2_of_one_plus(0), 0);
}

}  // namespace
}  // namespace orrery::codec
