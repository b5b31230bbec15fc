// The square root for every scalar type. IEEE 754 requires correct rounding, so its result has the
// same bits on every machine.
#pragma once

namespace orrery::integrate {

// Return the correctly rounded square root.
inline float square_root(float x) { return __builtin_sqrtf(x); }
inline double square_root(double x) { return __builtin_sqrt(x); }
inline long double square_root(long double x) { return __builtin_sqrtl(x); }

}  // namespace orrery::integrate
