// Tests exp, sine and cosine against MPFR, and the polar angle against std::atan2.
#include "common/math/elementary.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <limits>
#include <vector>

#include "common/core/rng.h"

namespace orrery {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A value of an MPFR function, to 200 bits.
class Exact {
 public:
  using Function = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

  Exact(Function function, double x) {
    mpfr_init2(value_, 200);
    mpfr_set_d(value_, x, MPFR_RNDN);
    function(value_, value_, MPFR_RNDN);
  }
  ~Exact() { mpfr_clear(value_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;

  // Returns |computed - exact| in ulps of the doubles around the exact value.
  double error_ulps(double computed) const {
    const double near = std::abs(mpfr_get_d(value_, MPFR_RNDZ));
    const double ulp = std::nextafter(near, kInfinity) - near;
    mpfr_t difference;
    mpfr_init2(difference, 200);
    mpfr_sub_d(difference, value_, computed, MPFR_RNDN);
    const double error = std::abs(mpfr_get_d(difference, MPFR_RNDN)) / ulp;
    mpfr_clear(difference);
    return error;
  }

 private:
  mpfr_t value_;
};

int exp_of(mpfr_t out, const mpfr_t x, mpfr_rnd_t rounding) { return mpfr_exp(out, x, rounding); }
int sin_of(mpfr_t out, const mpfr_t x, mpfr_rnd_t rounding) { return mpfr_sin(out, x, rounding); }
int cos_of(mpfr_t out, const mpfr_t x, mpfr_rnd_t rounding) { return mpfr_cos(out, x, rounding); }

TEST(Exp, IsWithinOneUlpOverItsWholeRange) {
  constexpr std::uint64_t kSeed = 20240;
  SCOPED_TRACE(kSeed);
  SplitMix64 random(kSeed);
  double worst = 0;
  for (int i = 0; i < 100000; ++i) {
    // Three ranges of x: nearly all x with a finite e^x above 0, the values that drag uses, and
    // values where e^x is close to 1.
    const double scale = i % 3 == 0 ? 727 : i % 3 == 1 ? 20 : 1e-6;
    const double shift = i % 3 == 0 ? -17.7 : 0;
    const double x = shift + scale * random.symmetric();
    const double error = Exact(exp_of, x).error_ulps(elementary::exp(x));
    ASSERT_LE(error, 1.0) << "x = " << x;
    worst = std::max(worst, error);
  }
  EXPECT_GT(worst, 0.5);  // not correctly rounded: some errors exceed half an ulp
}

TEST(Exp, IsWithinOneUlpAtTheEdges) {
  const double ln2 = std::log(2.0);
  std::vector<double> edges = {1, -1, 0x1p-1074, -0x1p-1074, 0x1p-54, -0x1p-54, 709.782712893384};
  for (int k = -1070; k <= 1023; ++k) {
    // The reduced argument jumps and changes its sign at (k + 0.5) ln 2. It passes 0 at k ln 2.
    edges.push_back((k + 0.5) * ln2);
    edges.push_back(std::nextafter((k + 0.5) * ln2, kInfinity));
    edges.push_back(k * ln2);
  }
  for (double x = -745.13321910194110842; x > -745.1332191019412; x = std::nextafter(x, -800)) {
    edges.push_back(x);
  }
  for (const double x : edges) {
    ASSERT_LE(Exact(exp_of, x).error_ulps(elementary::exp(x)), 1.0) << "x = " << x;
  }
}

TEST(Exp, HasTheLimitsThatItPromises) {
  EXPECT_EQ(elementary::exp(0), 1);
  EXPECT_EQ(elementary::exp(-0.0), 1);
  EXPECT_EQ(elementary::exp(-745.2), 0);
  EXPECT_EQ(elementary::exp(-kInfinity), 0);
  EXPECT_EQ(elementary::exp(709.79), kInfinity);
  EXPECT_EQ(elementary::exp(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(elementary::exp(std::nan(""))));
}

TEST(Exp, NeverFallsAsItsArgumentRises) {
  double before = 0;
  for (double x = -746; x < 710; x += 0.0137) {
    const double now = elementary::exp(x);
    ASSERT_GE(now, before) << "x = " << x;
    before = now;
  }
}

TEST(SineAndCosine, AreWithinOneUlpOverTheirWholeRange) {
  constexpr std::uint64_t kSeed = 20261;
  SCOPED_TRACE(kSeed);
  SplitMix64 random(kSeed);
  double worst = 0;
  for (int i = 0; i < 100000; ++i) {
    // Draws x from the whole range, from a few turns, from small angles, and next to multiples of
    // pi/2. Near these multiples, nearly all digits cancel in the argument reduction.
    double x = random.symmetric();
    if (i % 4 == 0) x *= elementary::kAngleMax;
    if (i % 4 == 1) x *= 20;
    if (i % 4 == 2) x *= 1e-6;
    if (i % 4 == 3) x = 1.5707963267948966 * std::round(630000 * x);
    const double sine = Exact(sin_of, x).error_ulps(elementary::sin(x));
    const double cosine = Exact(cos_of, x).error_ulps(elementary::cos(x));
    ASSERT_LE(sine, 1.0) << "x = " << x;
    ASSERT_LE(cosine, 1.0) << "x = " << x;
    worst = std::max({worst, sine, cosine});
  }
  EXPECT_GT(worst, 0.5);  // not correctly rounded: some errors exceed half an ulp
}

TEST(SineAndCosine, KeepTheirSymmetries) {
  for (const double x : {0.0, 1e-300, 0.3, 2.0, 5.0, 1e5}) {
    EXPECT_EQ(elementary::sin(-x), -elementary::sin(x));
    EXPECT_EQ(elementary::cos(-x), elementary::cos(x));
  }
  EXPECT_EQ(elementary::sin(0), 0);
  EXPECT_EQ(elementary::cos(0), 1);
}

TEST(PolarAngle, IsTheArcTangent) {
  for (int i = -400; i <= 400; ++i) {
    for (int j = -40; j <= 40; ++j) {
      const double y = 0.013 * i * std::abs(i), x = 0.37 * j;
      if (x == 0 && y == 0) continue;
      EXPECT_NEAR(elementary::polar_angle(y, x), std::atan2(y, x), 2e-15) << y << " " << x;
    }
  }
}

}  // namespace
}  // namespace orrery
