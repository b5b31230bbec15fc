// Tests that a changed floating-point environment is noticed, one setting at a time.
#include "common/core/float_environment.h"

#include <gtest/gtest.h>

#include <cfenv>

namespace orrery {
namespace {

TEST(FloatEnvironment, IsSoundAtTheStart) { EXPECT_TRUE(float_environment_is_sound()); }

// Only rounding to nearest is accepted. The three other rounding directions of the C++ standard are
// refused.
TEST(FloatEnvironment, RefusesOtherRoundings) {
  for (const int direction : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(direction), 0);
    const bool sound = float_environment_is_sound();
    std::fesetround(FE_TONEAREST);
    EXPECT_FALSE(sound) << direction;
  }
  EXPECT_TRUE(float_environment_is_sound());
}

#ifdef __SSE2__
// Bits of the control register MXCSR (Intel 64 and IA-32 manual, volume 1, section 10.2.3).
TEST(FloatEnvironment, RefusesFlushedSubnormalsAndUnmaskedExceptions) {
  constexpr unsigned kDenormalsAreZero = 1u << 6;
  constexpr unsigned kMaskOfOverflow = 1u << 10;
  constexpr unsigned kFlushToZero = 1u << 15;
  const unsigned before = __builtin_ia32_stmxcsr();
  for (const unsigned changed : {kDenormalsAreZero, kMaskOfOverflow, kFlushToZero}) {
    __builtin_ia32_ldmxcsr(before ^ changed);
    const bool sound = float_environment_is_sound();
    __builtin_ia32_ldmxcsr(before);
    EXPECT_FALSE(sound) << changed;
  }
  EXPECT_TRUE(float_environment_is_sound());
}
#endif

}  // namespace
}  // namespace orrery
