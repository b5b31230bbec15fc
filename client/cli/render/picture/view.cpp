// The view of a picture: which part of space it shows, and where it draws a point.
#include "client/cli/render/picture/view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "common/core/assert.h"

namespace orrery::cli {
namespace {

// Largest distance of a projected point from the middle of the picture, in pixels.
constexpr double kOutside = 1e9;
// Size of the region that the picture shows, as a multiple of the region with the balls.
constexpr double kMargin = 1.12;
constexpr double kScaleMin = 1e-9;
constexpr double kScaleMax = 1e9;

struct Interval {
  double low = 0;
  double high = 0;
  double size() const { return high - low; }
};

// Returns the interval of the middle 80 percent of sorted values.
Interval middle_of(const std::vector<double>& sorted) {
  const std::size_t tenth = sorted.size() / 10;
  return {sorted[tenth], sorted[sorted.size() - 1 - tenth]};
}

// Returns the interval of the values that are at most `reach` outside the interval of their middle
// 80 percent. REQUIRES: the values are sorted.
Interval within(const std::vector<double>& sorted, double reach) {
  const Interval middle = middle_of(sorted);
  return {*std::lower_bound(sorted.begin(), sorted.end(), middle.low - reach),
          *(std::upper_bound(sorted.begin(), sorted.end(), middle.high + reach) - 1)};
}

bool is_finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

}  // namespace

std::string_view axis_name(Axis axis) {
  constexpr std::array<std::string_view, 3> kNames{"front", "side", "top"};
  return kNames[static_cast<std::size_t>(axis)];
}

Vec3 seen_along(Axis axis, const Vec3& v) {
  switch (axis) {
    case Axis::front:
      return v;
    case Axis::side:
      return {-v.z, v.y, v.x};
    case Axis::top:
      break;
  }
  return {v.x, -v.z, v.y};
}

Vec3 from_seen(Axis axis, const Vec3& seen) {
  switch (axis) {
    case Axis::front:
      return seen;
    case Axis::side:
      return {seen.z, seen.y, -seen.x};
    case Axis::top:
      break;
  }
  return {seen.x, seen.z, -seen.y};
}

Point project(const View& view, const Vec3& point) {
  const Vec3 seen = seen_along(view.axis, point - view.centre);
  const auto place = [&](double middle, double along) {
    const double pixels = along * view.scale;
    return std::isnan(pixels) ? middle : middle + std::clamp(pixels, -kOutside, kOutside);
  };
  return {place(view.width / 2, seen.x), place(view.height / 2, -seen.y)};
}

View framed(std::span<const FramedBall> balls, Axis axis, double width, double height) {
  ORRERY_ASSERT(width > 0 && height > 0);
  std::array<std::vector<double>, 3> places;
  double radius = 0;
  for (const FramedBall& ball : balls) {
    if (!is_finite(ball.centre) || !std::isfinite(ball.radius)) continue;
    const Vec3 seen = seen_along(axis, ball.centre);
    places[0].push_back(seen.x);
    places[1].push_back(seen.y);
    places[2].push_back(seen.z);
    radius = std::max(radius, ball.radius);
  }
  if (places[0].empty()) return {axis, {}, std::min(width, height) / 10, width, height};
  double reach = 0;
  for (std::vector<double>& values : places) {
    std::sort(values.begin(), values.end());
    reach = std::max(reach, 2 * middle_of(values).size());
  }
  // most balls have the same coordinate, so none is left out
  if (reach == 0) reach = std::numeric_limits<double>::infinity();
  const Interval x = within(places[0], reach);
  const Interval y = within(places[1], reach);
  const Interval z = within(places[2], reach);
  const auto middle = [](const Interval& i) { return i.low / 2 + i.high / 2; };
  const double size = std::max(2 * radius, 1e-6);
  const double scale = std::clamp(
      std::min(width / (kMargin * (x.size() + size)), height / (kMargin * (y.size() + size))),
      kScaleMin, kScaleMax);
  // If the width limits the scale, height is left over. Most of it goes above the bodies, because
  // in most scenes they lie on a ground.
  const double room = axis == Axis::top ? 0 : height / scale - kMargin * (y.size() + size);
  const Vec3 centre{middle(x), middle(y) + 0.2 * std::max(room, 0.0), middle(z)};
  return {axis, from_seen(axis, centre), scale, width, height};
}

}  // namespace orrery::cli
