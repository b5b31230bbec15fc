// Tests that narrow() rounds each component of a vector to binary32, also in optimised code.
#include "common/math/vec3f.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

// A compiler may vectorise three adjacent conversions. Some compilers then omit the rounding.
__attribute__((noinline)) void round_trip(Vec3* out, const Vec3* in) { *out = widen(narrow(*in)); }

TEST(Vec3f, NarrowRoundsEachComponent) {
  const Vec3 thirds{1.0 / 3, 1.0 / 7, 1.0 / 11};
  Vec3 rounded;
  round_trip(&rounded, &thirds);
  EXPECT_EQ(rounded.x, 0x1.555556p-2);
  EXPECT_EQ(rounded.y, 0x1.24924ap-3);
  EXPECT_EQ(rounded.z, 0x1.745d18p-4);
}

}  // namespace
}  // namespace orrery
