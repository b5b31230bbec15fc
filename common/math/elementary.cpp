// Owns the polynomials of the elementary functions.
#include "common/math/elementary.h"

#include <bit>
#include <cstdint>

namespace orrery::elementary {
namespace {

// 2^k for k within the exponents of normal numbers.
double power_of_two(int k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + k) << 52);
}

}  // namespace

// x = k ln 2 + r, |r| <= ln(2)/2 (Cody and Waite: ln 2 in two parts, so that k ln 2 loses nothing);
// e^r = 1 + r + r c / (2 - c), c = r - r^2 P(r^2), with the polynomial of Sun's fdlibm e_exp.c.
double exp(double x) {
  constexpr double kOverflow = 709.782712893384;     // ln of the largest number
  constexpr double kUnderflow = -745.1332191019412;  // ln of half the smallest
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kInverseLn2 = 1.44269504088896338700;
  constexpr double kP1 = 1.66666666666666019037e-01;
  constexpr double kP2 = -2.77777777770155933842e-03;
  constexpr double kP3 = 6.61375632143793436117e-05;
  constexpr double kP4 = -1.65339022054652515390e-06;
  constexpr double kP5 = 4.13813679705723846039e-08;
  if (x != x) return x;
  if (x > kOverflow) return __builtin_inf();
  if (x < kUnderflow) return 0;

  const int k = static_cast<int>(kInverseLn2 * x + (x < 0 ? -0.5 : 0.5));
  const double high = x - k * kLn2High;
  const double low = k * kLn2Low;
  const double r = high - low;
  const double r2 = r * r;
  const double c = r - r2 * (kP1 + r2 * (kP2 + r2 * (kP3 + r2 * (kP4 + r2 * kP5))));
  const double y = 1 - ((low - (r * c) / (2 - c)) - high);
  // In two exact steps but the last: 2^k itself may be beyond the normal numbers.
  const int half = k / 2;
  return y * power_of_two(half) * power_of_two(k - half);
}

}  // namespace orrery::elementary
