// Convex shapes in the plane of a picture.
#include "client/cli/render/picture/convex.h"

#include <algorithm>

#include "common/core/assert.h"

namespace orrery::cli {
namespace {

// Returns the point between a and b at which a linear function is 0. Its values at a and b,
// `inside_a` and `inside_b`, have different signs.
Point between(const Point& a, const Point& b, double inside_a, double inside_b) {
  const double share = inside_a / (inside_a - inside_b);
  return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

// Cuts a convex polygon: keeps the part in which the linear function `inside` is not negative.
std::vector<Point> cut(const std::vector<Point>& polygon, auto inside) {
  std::vector<Point> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& a = polygon[i];
    const Point& b = polygon[(i + 1) % polygon.size()];
    const double at_a = inside(a);
    const double at_b = inside(b);
    if (at_a >= 0) kept.push_back(a);
    if ((at_a < 0) != (at_b < 0)) kept.push_back(between(a, b, at_a, at_b));
  }
  return kept;
}

}  // namespace

double turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Andrew's monotone chain.
std::vector<Point> convex_hull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<Point> hull;
  const auto add = [&](const Point& p, std::size_t base) {
    while (hull.size() >= base + 2 && turn(hull.end()[-2], hull.back(), p) <= 0) hull.pop_back();
    hull.push_back(p);
  };
  for (const Point& p : points) add(p, 0);
  const std::size_t lower = hull.size();
  for (auto p = points.rbegin() + 1; p != points.rend(); ++p) add(*p, lower - 1);
  hull.pop_back();  // the first point again
  return hull;
}

Rectangle bounds_of(const std::vector<Point>& points, double radius) {
  ORRERY_ASSERT(!points.empty());
  Rectangle r{points.front(), points.front()};
  for (const Point& p : points) {
    r.low = {std::min(r.low.x, p.x), std::min(r.low.y, p.y)};
    r.high = {std::max(r.high.x, p.x), std::max(r.high.y, p.y)};
  }
  return {{r.low.x - radius, r.low.y - radius}, {r.high.x + radius, r.high.y + radius}};
}

// Sutherland and Hodgman's method: cuts the polygon along each side of the rectangle in turn.
std::vector<Point> clipped(std::vector<Point> polygon, const Rectangle& to) {
  polygon = cut(polygon, [&](const Point& p) { return p.x - to.low.x; });
  polygon = cut(polygon, [&](const Point& p) { return to.high.x - p.x; });
  polygon = cut(polygon, [&](const Point& p) { return p.y - to.low.y; });
  return cut(polygon, [&](const Point& p) { return to.high.y - p.y; });
}

}  // namespace orrery::cli
