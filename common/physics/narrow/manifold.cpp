// Reduces a manifold to at most four points.
#include <utility>

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

std::size_t deepest(std::span<const ManifoldPoint> points, double tolerance) {
  ORRERY_ASSERT(!points.empty());
  ORRERY_ASSERT(tolerance >= 0);
  std::size_t best = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].separation < points[best].separation - tolerance) best = i;
  }
  return best;
}

// Sorts the points of a manifold by their separation. The solver takes them in this order. In the
// order of the corners of a face, a mirrored scene would move differently.
void deepest_first(Manifold& manifold) {
  ORRERY_ASSERT(manifold.count <= 4);
  for (std::uint32_t i = 1; i < manifold.count; ++i) {
    for (std::uint32_t j = i; j > 0; --j) {
      if (!(manifold.points[j].separation < manifold.points[j - 1].separation)) break;
      std::swap(manifold.points[j], manifold.points[j - 1]);
    }
  }
}

}  // namespace

void keep_four(std::span<const ManifoldPoint> points, double margin, Manifold& manifold) {
  ORRERY_ASSERT(!points.empty());
  if (points.size() <= 4) {
    manifold.count = static_cast<std::uint32_t>(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) manifold.points[i] = points[i];
    deepest_first(manifold);
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
  deepest_first(manifold);
}

}  // namespace orrery::physics
