// Checks that floating-point arithmetic follows IEEE 754 in the calling thread.
#include "common/core/float_environment.h"

#include <cfenv>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace orrery {
namespace {

// Returns true if all floating-point exceptions are masked: an operation that raises one then sets
// a flag instead of ending the process. Reads the control register, because a test computation with
// an unmasked exception would end the process. On x86, binary64 uses SSE, and its control register
// is MXCSR. fegetexcept() reads only the register of the x87 unit.
bool exceptions_are_masked() {
#ifdef __SSE2__
  return (_mm_getcsr() & _MM_MASK_MASK) == _MM_MASK_MASK;
#elif defined(__GLIBC__) && !defined(__riscv)
  return ::fegetexcept() == 0;
#else  // RISC-V and WebAssembly have no such masks. Other systems are not checked.
  return true;
#endif
}

// Checks by sample computations how numbers are rounded and whether subnormal numbers are kept.
bool computes_as_it_should() {
  // With volatile the compiler cannot compute the results below. The processor must compute them,
  // in the unit that also computes ticks.
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

}  // namespace

bool float_environment_is_sound() { return exceptions_are_masked() && computes_as_it_should(); }

}  // namespace orrery
