// Elementary functions that give the same bits on every machine, which no C library guarantees.
#pragma once

namespace orrery::elementary {

// Returns e^x, at most 1 ulp from the exact value: 0 below -745.2, infinity above 709.8.
double exp(double x);

// Return the sine and cosine of x radians, at most 1 ulp from the exact value. REQUIRES: |x| <=
// kAngleMax.
inline constexpr double kAngleMax = 1e6;
double sin(double x);
double cos(double x);

// Returns the angle of the point (x, y) from the x axis in radians, from -pi to pi. It is at most a
// few ulp from the exact value. The angle of the origin is 0.
double polar_angle(double y, double x);

}  // namespace orrery::elementary
