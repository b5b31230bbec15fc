// Reduces a manifold to at most four points.
#include <algorithm>

#include "common/core/assert.h"
#include "common/physics/narrow/collide.h"

namespace orrery::physics {
namespace {

// A later candidate must be better than the best one so far by about 5 %.
constexpr double kBias = 0.95;
// Depths closer than this fraction of the margin count as equal.
constexpr double kDepthShare = 0.01;

// Areas below this fraction of the squared distance between the first two points count as 0: they
// are rounding errors.
constexpr double kFlat = 1e-9;

// The candidate with the largest value so far. A candidate replaces it only if its value is clearly
// above `value`. Initially `value` is a threshold for the first candidate.
struct Choice {
  double value;
  bool made = false;
  std::size_t index = 0;

  void offer(std::size_t candidate, double candidate_value) {
    if (kBias * candidate_value > value) *this = {candidate_value, true, candidate};
  }
};

// Points higher above the deepest point than this share of the spread of the points are dropped: at
// most about 14 degrees of tilt. They belong to another side of the part, like the upper corners of
// a die that is smaller than the margin.
constexpr double kTiltShare = 0.25;

std::size_t deepest(std::span<const ManifoldPoint> points, double tolerance) {
  ORRERY_ASSERT(!points.empty());
  ORRERY_ASSERT(tolerance >= 0);
  std::size_t best = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].separation < points[best].separation - tolerance) best = i;
  }
  return best;
}

// Moves the points that count to the front, in their order, and returns them (kTiltShare). The
// spread is the largest distance from the deepest point across the normal.
std::span<ManifoldPoint> without_high(std::span<ManifoldPoint> points, const Vec3& normal) {
  ORRERY_ASSERT(!points.empty());
  const ManifoldPoint lowest = points[deepest(points, 0)];
  double spread_2 = 0;
  for (const ManifoldPoint& p : points) {
    const Vec3 to = p.at - lowest.at;
    const double up = dot(to, normal);
    spread_2 = std::max(spread_2, dot(to, to) - up * up);
  }
  const double most = kTiltShare * kTiltShare * spread_2;
  const auto high = [&](const ManifoldPoint& p) {
    const double above = p.separation - lowest.separation;
    return above * above > most;
  };
  return {points.begin(), std::remove_if(points.begin(), points.end(), high)};
}

}  // namespace

void keep_four(std::span<ManifoldPoint> candidates, double margin, Manifold& manifold) {
  ORRERY_ASSERT(!candidates.empty());
  const std::span<const ManifoldPoint> points = without_high(candidates, manifold.normal);
  if (points.size() <= 4) {
    manifold.count = static_cast<std::uint32_t>(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) manifold.points[i] = points[i];
    return;
  }
  const auto area = [&](const Vec3& p, const Vec3& q, const Vec3& r) {
    return dot(manifold.normal, cross(q - p, r - p));
  };
  const std::size_t first = deepest(points, kDepthShare * margin);
  const Vec3& a = points[first].at;
  Choice second{0};
  for (std::size_t i = 0; i < points.size(); ++i) {
    second.offer(i, dot(points[i].at - a, points[i].at - a));
  }
  const Vec3& b = points[second.index].at;
  Choice third{kFlat * second.value};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double signed_area = area(a, b, points[i].at);
    third.offer(i, signed_area < 0 ? -signed_area : signed_area);
  }
  const Vec3& c = points[third.index].at;
  const double side = area(a, b, c) < 0 ? -1 : 1;
  Choice fourth{kFlat * second.value};
  for (std::size_t i = 0; third.made && i < points.size(); ++i) {
    const Vec3& p = points[i].at;
    fourth.offer(i, -side * area(a, b, p));
    fourth.offer(i, -side * area(b, c, p));
    fourth.offer(i, -side * area(c, a, p));
  }
  manifold.count = 1;
  manifold.points[0] = points[first];
  for (const Choice& choice : {second, third, fourth}) {
    if (choice.made) manifold.points[manifold.count++] = points[choice.index];
  }
}

}  // namespace orrery::physics
