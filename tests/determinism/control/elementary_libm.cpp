// Replaces the elementary functions by those of libm, a fault that the matrix must detect.
#include <cmath>

#include "common/math/elementary.h"

namespace orrery::elementary {

double exp(double x) { return std::exp(x); }
double sin(double x) { return std::sin(x); }
double cos(double x) { return std::cos(x); }
double polar_angle(double y, double x) { return std::atan2(y, x); }

}  // namespace orrery::elementary
