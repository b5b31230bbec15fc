// Owns the elementary functions: the same bits on every machine, which no libm gives.
#pragma once

namespace orrery::elementary {

// e^x: at most 1 ulp from the exact value; 0 below -745.2, infinity above 709.8.
double exp(double x);

// The sine and cosine of x radians, |x| <= kAngleMax: at most 1 ulp from the exact value.
inline constexpr double kAngleMax = 1e6;
double sin(double x);
double cos(double x);

// The angle of the point (x, y) from the x axis, -pi to pi: at most a few ulp from the exact value;
// 0 of the origin.
double polar_angle(double y, double x);

}  // namespace orrery::elementary
