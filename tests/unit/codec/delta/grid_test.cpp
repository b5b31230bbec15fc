// Tests the grid: rounding errors against their bounds, and the published form of orientations.
#include "common/codec/delta/grid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/core/rng.h"

namespace orrery::codec {
namespace {

double uniform(SplitMix64& random) { return random.symmetric(); }

Quat any_orientation(SplitMix64& random) {
  const double x = uniform(random), y = uniform(random), z = uniform(random);
  return normalized({x, y, z, uniform(random) + 0.01});
}

double angle_between(const Quat& a, const Quat& b) {
  const Quat d = a * conjugate(b);
  return 2 * std::atan2(std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z), std::abs(d.w));
}

TEST(Grid, PositionsAreWithinHalfAStep) {
  SplitMix64 random(1);
  const Grid grid{.position_step = 0.25, .orientation_bits = 9};
  double worst = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double x = 1000 * uniform(random), y = 1000 * uniform(random);
    const Vec3 exact{x, y, 1000 * uniform(random)};
    QuantisedBody body;
    quantise(grid, exact, {}, body);
    const Vec3 away = position_of(grid, body) - exact;
    worst = std::max({worst, std::abs(away.x), std::abs(away.y), std::abs(away.z)});
  }
  EXPECT_LE(worst, 0.125);
  EXPECT_GT(worst, 0.12);  // the bound is not loose
}

TEST(Grid, PositionsBeyondTheGridAreAtItsBound) {
  const Grid grid{.position_step = 1.0 / 512, .orientation_bits = 9};
  QuantisedBody body;
  quantise(grid, {1e12, -1e12, 0}, {}, body);
  EXPECT_EQ(body.position, (std::array<std::int32_t, 3>{kGridPositionMax, -kGridPositionMax, 0}));
}

TEST(Grid, OrientationsAreWithinTheirBound) {
  for (std::uint32_t bits = kOrientationBitsMin; bits <= kOrientationBitsMax; ++bits) {
    SplitMix64 random(bits);
    const Grid grid{.position_step = 1, .orientation_bits = bits};
    double worst = 0;
    for (int i = 0; i < 20'000; ++i) {
      const Quat exact = any_orientation(random);
      QuantisedBody body;
      quantise(grid, {}, exact, body);
      const Quat rounded = orientation_of(grid, body);
      EXPECT_NEAR(rounded.x * rounded.x + rounded.y * rounded.y + rounded.z * rounded.z +
                      rounded.w * rounded.w,
                  1, 1e-12);
      worst = std::max(worst, angle_between(exact, rounded));
    }
    EXPECT_LE(worst, orientation_error_max(grid)) << bits;
    EXPECT_GT(worst, 0.3 * orientation_error_max(grid)) << bits;
  }
}

TEST(Grid, OrientationsHaveThePublishedForm) {
  // Computes the form of G. Fiedler: floor((v + 1 / 1.414214) / (2 / 1.414214) * 511 + 0.5). He
  // rounds the bound of a component, so a number at a border may differ by one.
  SplitMix64 random(3);
  int equal = 0, total = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Quat q = any_orientation(random);
    QuantisedBody body;
    quantise({}, {}, q, body);
    const double all[4] = {q.x, q.y, q.z, q.w};
    const double sign = all[body.largest] < 0 ? -1 : 1;
    for (std::size_t k = 0, at = 0; k < 4; ++k) {
      if (k == body.largest) continue;
      EXPECT_LE(std::abs(all[k]), std::abs(all[body.largest]));
      const double v = sign * all[k];
      const double published = std::floor((v + 1 / 1.414214) / (2 / 1.414214) * 511 + 0.5);
      equal += published == body.orientation[at];
      EXPECT_NEAR(published, body.orientation[at], 1);
      ++at, ++total;
    }
  }
  EXPECT_GT(equal, total * 99 / 100);
}

TEST(Grid, OppositeQuaternionsAreOneOrientation) {
  QuantisedBody a, b;
  quantise({}, {}, normalized({0.1, 0.2, -0.9, 0.3}), a);
  quantise({}, {}, normalized({-0.1, -0.2, 0.9, -0.3}), b);
  EXPECT_EQ(a, b);
}

TEST(Grid, ComparisonSeesEveryField) {
  const QuantisedBody body;
  std::array<QuantisedBody, 10> others;
  others[0].id = BodyId{1};
  others[1].prototype = 1;
  for (std::size_t i = 0; i < 3; ++i) others[2 + i].position[i] = -1;
  for (std::size_t i = 0; i < 3; ++i) others[5 + i].orientation[i] = 1;
  others[8].largest = 2;
  others[9].active = true;
  for (const QuantisedBody& other : others) EXPECT_NE(body, other);
  QuantisedBody present;
  present.present = true;
  EXPECT_NE(body, present);
}

}  // namespace
}  // namespace orrery::codec
