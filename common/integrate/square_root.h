// The square root for every scalar type. IEEE 754 requires correct rounding, so the result of a
// float or double has the same bits on every machine. The format of long double differs.
#pragma once

namespace orrery::integrate {

// Return the correctly rounded square root.
inline float square_root(float x) { return __builtin_sqrtf(x); }
inline double square_root(double x) { return __builtin_sqrt(x); }
inline long double square_root(long double x) { return __builtin_sqrtl(x); }

}  // namespace orrery::integrate
