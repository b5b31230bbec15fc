// Tests that a failed assertion names its condition and its place, and ends the process.
#include "common/core/assert.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(AssertDeathTest, NamesTheConditionAndThePlace) {
  EXPECT_DEATH(ORRERY_ASSERT(1 + 1 == 3), "1 \\+ 1 == 3 at .*assert_test\\.cpp:[0-9]+");
}

TEST(Assert, EvaluatesTheConditionOnce) {
  int evaluations = 0;
  ORRERY_ASSERT(++evaluations == 1);
  EXPECT_EQ(evaluations, 1);
}

}  // namespace
}  // namespace orrery
