// Owns the tests of the elementary functions, against MPFR.
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

// e^x to 200 bits.
class ExactExp {
 public:
  explicit ExactExp(double x) {
    mpfr_init2(value_, 200);
    mpfr_set_d(value_, x, MPFR_RNDN);
    mpfr_exp(value_, value_, MPFR_RNDN);
  }
  ~ExactExp() { mpfr_clear(value_); }
  ExactExp(const ExactExp&) = delete;
  ExactExp& operator=(const ExactExp&) = delete;

  // |computed - e^x|, in units of the distance between the doubles around e^x.
  double error_ulps(double computed) const {
    const double near = std::max(mpfr_get_d(value_, MPFR_RNDZ), 0.0);
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

TEST(Exp, IsWithinOneUlpOverItsWholeRange) {
  constexpr std::uint64_t kSeed = 20240;
  SCOPED_TRACE(kSeed);
  SplitMix64 random(kSeed);
  double worst = 0;
  for (int i = 0; i < 100000; ++i) {
    // Three ranges: all of it, what drag uses, and where e^x is close to 1.
    const double scale = i % 3 == 0 ? 727 : i % 3 == 1 ? 20 : 1e-6;
    const double shift = i % 3 == 0 ? -17.7 : 0;
    const double x = shift + scale * random.symmetric();
    const double error = ExactExp(x).error_ulps(elementary::exp(x));
    ASSERT_LE(error, 1.0) << "x = " << x;
    worst = std::max(worst, error);
  }
  EXPECT_GT(worst, 0.5);  // no double is closer than half an ulp to all of them
}

TEST(Exp, IsWithinOneUlpAtTheEdges) {
  const double ln2 = std::log(2.0);
  std::vector<double> edges = {1, -1, 0x1p-1074, -0x1p-1074, 0x1p-54, -0x1p-54, 709.782712893384};
  for (int k = -1070; k <= 1023; ++k) {
    // Around the places where the reduced argument changes sign.
    edges.push_back((k + 0.5) * ln2);
    edges.push_back(std::nextafter((k + 0.5) * ln2, kInfinity));
    edges.push_back(k * ln2);
  }
  for (double x = -745.13321910194110842; x > -745.1332191019412; x = std::nextafter(x, -800)) {
    edges.push_back(x);
  }
  for (const double x : edges) {
    ASSERT_LE(ExactExp(x).error_ulps(elementary::exp(x)), 1.0) << "x = " << x;
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

}  // namespace
}  // namespace orrery
