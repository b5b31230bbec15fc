// Computes the elementary functions from polynomials.
#include "common/math/elementary.h"

#include <bit>
#include <cstdint>

#include "common/core/assert.h"

namespace orrery::elementary {
namespace {

// Returns 2^k. REQUIRES: k is the exponent of a normal number.
double power_of_two(int k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + k) << 52);
}

// Returns true if the last 20 of the 53 bits of x are 0. The product of x and an integer below 2^20
// is then exact in binary64.
constexpr bool has_33_bits(double x) {
  return std::bit_cast<std::uint64_t>(x) % (std::uint64_t{1} << (53 - 33)) == 0;
}

// An angle after argument reduction: x minus the nearest multiple of pi/2. The reduced angle is
// `angle + rest`, at most pi/4 in size. `rest` holds the bits that are too small for `angle`.
struct Reduced {
  double angle;
  double rest;
  int quadrant;  // 0 to 3
};

// Reduces an angle by the method of Cody and Waite. pi/2 is the sum of three parts of 33 bits and a
// rest. The product of each part with an integer below 2^20 is therefore exact. The rounding errors
// of the differences are added to `rest`. The parts come from Sun's fdlibm, e_rem_pio2.c.
Reduced reduce(double x) {
  constexpr double kTwoOverPi = 6.36619772367581382433e-01;
  constexpr double kPart1 = 1.57079632673412561417e+00;
  constexpr double kPart2 = 6.07710050630396597660e-11;
  constexpr double kPart3 = 2.02226624871116645580e-21;
  constexpr double kRest = 8.47842766036889956997e-32;
  static_assert(has_33_bits(kPart1) && has_33_bits(kPart2) && has_33_bits(kPart3));
  static_assert(kTwoOverPi * kAngleMax + 0.5 < 1 << 20);
  ORRERY_ASSERT(x >= -kAngleMax && x <= kAngleMax);
  const int n = static_cast<int>(kTwoOverPi * x + (x < 0 ? -0.5 : 0.5));
  const double first = x - n * kPart1;
  const double second = first - n * kPart2;
  const double lost_2 = (first - second) - n * kPart2;
  const double third = second - n * kPart3;
  const double lost_3 = (second - third) - n * kPart3;
  const double rest = (lost_2 + lost_3) - n * kRest;
  const double angle = third + rest;
  return {angle, (third - angle) + rest, n & 3};
}

// Returns the sine of a + rest, |a| <= pi/4: a + a^3 P(a^2), with the polynomial of fdlibm k_sin.c.
double near_sine(double a, double rest) {
  constexpr double kS1 = -1.66666666666666324348e-01;
  constexpr double kS2 = 8.33333333332248946124e-03;
  constexpr double kS3 = -1.98412698298579493134e-04;
  constexpr double kS4 = 2.75573137070700676789e-06;
  constexpr double kS5 = -2.50507602534068634195e-08;
  constexpr double kS6 = 1.58969099521155010221e-10;
  const double a2 = a * a;
  const double a3 = a2 * a;
  const double p = kS2 + a2 * (kS3 + a2 * (kS4 + a2 * (kS5 + a2 * kS6)));
  return a + ((rest - a2 * (0.5 * rest - a3 * p)) + a3 * kS1);
}

// Returns the cosine of a + rest, |a| <= pi/4: 1 - a^2/2 + a^4 P(a^2) - a rest, with the polynomial
// of fdlibm k_cos.c.
double near_cosine(double a, double rest) {
  constexpr double kC1 = 4.16666666666666019037e-02;
  constexpr double kC2 = -1.38888888888741095749e-03;
  constexpr double kC3 = 2.48015872894767294178e-05;
  constexpr double kC4 = -2.75573143513906633035e-07;
  constexpr double kC5 = 2.08757232129817482790e-09;
  constexpr double kC6 = -1.13596475577881948265e-11;
  const double a2 = a * a;
  const double p = a2 * (kC1 + a2 * (kC2 + a2 * (kC3 + a2 * (kC4 + a2 * (kC5 + a2 * kC6)))));
  const double half = 0.5 * a2;
  const double w = 1 - half;
  return w + (((1 - w) - half) + (a2 * p - a * rest));
}

}  // namespace

// Splits x = k ln 2 + r with |r| <= ln(2)/2, by the method of Cody and Waite. ln 2 is the sum of
// two parts, and the product of k with the larger part is exact. Then e^r = 1 + r + r c / (2 - c)
// with c = r - r^2 P(r^2). The polynomial P is that of Sun's fdlibm, e_exp.c. The result is 2^k
// e^r.
double exp(double x) {
  constexpr double kOverflow = 709.782712893384;     // ln of the largest finite number
  constexpr double kUnderflow = -745.1332191019412;  // ln of half the smallest subnormal number
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kInverseLn2 = 1.44269504088896338700;
  constexpr double kP1 = 1.66666666666666019037e-01;
  constexpr double kP2 = -2.77777777770155933842e-03;
  constexpr double kP3 = 6.61375632143793436117e-05;
  constexpr double kP4 = -1.65339022054652515390e-06;
  constexpr double kP5 = 4.13813679705723846039e-08;
  // The product of kLn2High and k is exact: kLn2High has 42 bits, k at most 11, and binary64 has
  // 53.
  static_assert(std::bit_cast<std::uint64_t>(kLn2High) % (std::uint64_t{1} << (53 - 42)) == 0);
  static_assert(-kUnderflow * kInverseLn2 + 0.5 < 1 << 11);
  // The two powers of two at the end of this function are normal numbers.
  static_assert(-kUnderflow * kInverseLn2 / 2 + 1 < 1022 && kOverflow * kInverseLn2 / 2 + 1 < 1023);
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
  // Scales in two steps, because 2^k itself may lie outside the normal numbers. Only the second
  // multiplication can round.
  const int half = k / 2;
  return y * power_of_two(half) * power_of_two(k - half);
}

double sin(double x) {
  const Reduced r = reduce(x);
  const double value =
      r.quadrant % 2 == 0 ? near_sine(r.angle, r.rest) : near_cosine(r.angle, r.rest);
  return r.quadrant < 2 ? value : -value;
}

double cos(double x) {
  const Reduced r = reduce(x);
  const double value =
      r.quadrant % 2 == 0 ? near_cosine(r.angle, r.rest) : near_sine(r.angle, r.rest);
  return r.quadrant == 0 || r.quadrant == 3 ? value : -value;
}

// Computes atan t, where t is the smaller of |x| and |y| divided by the larger. If t > tan(pi/8),
// it uses atan t = pi/4 + atan((t - 1) / (t + 1)). It then sums Gregory's series for atan; the
// first omitted term is smaller than an ulp. Finally it moves the angle to the octant of (x, y).
double polar_angle(double y, double x) {
  constexpr double kQuarterTurn = 1.57079632679489661923;
  constexpr double kTangentOfSixteenth = 0.41421356237309504880;
  constexpr int kTerms = 19;
  const double across = y < 0 ? -y : y;
  const double along = x < 0 ? -x : x;
  if (across == 0 && along == 0) return 0;
  const bool steep = across > along;
  double t = steep ? along / across : across / along;
  const bool second_octant = t > kTangentOfSixteenth;
  if (second_octant) t = (t - 1) / (t + 1);
  double sum = 0;
  for (int k = kTerms - 1; k >= 0; --k) sum = 1.0 / (2 * k + 1) - t * t * sum;
  double angle = t * sum;
  if (second_octant) angle += kQuarterTurn / 2;
  if (steep) angle = kQuarterTurn - angle;
  if (x < 0) angle = 2 * kQuarterTurn - angle;
  return y < 0 ? -angle : angle;
}

}  // namespace orrery::elementary
