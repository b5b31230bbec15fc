// Owns the check of the floating-point environment: by what it computes, so it needs no registers.
#include "common/core/float_environment.h"

#include <cstdint>

namespace orrery {

bool float_environment_is_sound() {
  // volatile: computed here and now, by the unit that will compute the tick.
  const volatile double smallest_normal = 0x1p-1022;
  const volatile double smallest = 0x1p-1074;
  const volatile double one = 1;
  const volatile double half_ulp = 0x1p-53;
  const volatile double more_than_half_ulp = 0x1.8p-53;
  const bool results_kept = smallest_normal / 2 != 0;
  const bool operands_kept = smallest * 0x1p1000 != 0;
  const bool ties_to_even = one + half_ulp == 1 && -one - half_ulp == -1;
  const bool to_nearest = one + more_than_half_ulp == 0x1.0000000000001p0 &&
                          -one - more_than_half_ulp == -0x1.0000000000001p0;
  return results_kept && operands_kept && ties_to_even && to_nearest;
}

}  // namespace orrery
