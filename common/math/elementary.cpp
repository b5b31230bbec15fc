// Owns the polynomials of the elementary functions.
#include "common/math/elementary.h"
namespace orrery::elementary {
double exp(double x) { return __builtin_exp(x); }
}  // namespace orrery::elementary
