// A picture of pixels, and how shapes are painted on it.
#include "client/cli/render/picture/canvas.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "client/cli/render/picture/font.h"
#include "common/core/assert.h"

namespace orrery::cli {
namespace {

// Number of horizontal sample lines in a row of pixels. On each line, the part inside a shape is
// computed exactly.
constexpr int kRowSamples = 4;

// The part of a horizontal line inside a convex shape; empty if from > to.
struct Span {
  double from = std::numeric_limits<double>::infinity();
  double to = -std::numeric_limits<double>::infinity();

  void add(double x) {
    from = std::min(from, x);
    to = std::max(to, x);
  }
};

void add_disc(const Point& centre, double radius, double y, Span& span) {
  const double rest = radius * radius - (y - centre.y) * (y - centre.y);
  if (rest < 0) return;
  span.add(centre.x - std::sqrt(rest));
  span.add(centre.x + std::sqrt(rest));
}

void add_polygon(const std::vector<Point>& corners, double y, Span& span) {
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point& a = corners[i];
    const Point& b = corners[(i + 1) % corners.size()];
    if ((a.y <= y) == (b.y <= y)) continue;
    span.add(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
  }
}

// Returns the part of the line at height y inside the shape. All shapes are convex, so it is one
// interval.
Span span_at(const FlatShape& shape, double y) {
  Span span;
  if (shape.radius == 0) {
    add_polygon(shape.points, y, span);
    return span;
  }
  for (const Point& centre : shape.points) add_disc(centre, shape.radius, y, span);
  if (shape.points.size() < 2) return span;
  const Point& a = shape.points[0];
  const Point& b = shape.points[1];
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  if (length == 0) return span;
  const double nx = shape.radius * (b.y - a.y) / length;
  const double ny = -shape.radius * (b.x - a.x) / length;
  add_polygon(
      {{a.x + nx, a.y + ny}, {b.x + nx, b.y + ny}, {b.x - nx, b.y - ny}, {a.x - nx, a.y - ny}}, y,
      span);
  return span;
}

}  // namespace

Canvas::Canvas(std::uint32_t width, std::uint32_t height, const Rgb& ground)
    : width_(width), height_(height) {
  ORRERY_ASSERT(width >= 1 && width <= kSizeMax && height >= 1 && height <= kSizeMax);
  pixels_.assign(std::size_t{width} * height, ground);
  coverage_.assign(width, 0);
}

// Adds the interval from `from` to `to` on one sample line to the coverage of the row. `share` is
// the share of the row's height that this line represents.
void Canvas::cover(double from, double to, float share) {
  from = std::max(from, 0.0);
  to = std::min(to, static_cast<double>(width_));
  if (!(from < to)) return;
  const auto first = static_cast<std::uint32_t>(from);
  const auto last = std::min(static_cast<std::uint32_t>(to), width_ - 1);
  first_ = std::min(first_, first);
  last_ = std::max(last_, last + 1);
  if (first == last) {
    coverage_[first] += share * static_cast<float>(to - from);
    return;
  }
  coverage_[first] += share * static_cast<float>(first + 1 - from);
  for (std::uint32_t x = first + 1; x < last; ++x) coverage_[x] += share;
  coverage_[last] += share * static_cast<float>(to - last);
}

void Canvas::blend_row(std::uint32_t y, const Rgb& colour, double opacity) {
  for (std::uint32_t x = first_; x < last_; ++x) {
    Rgb& pixel = pixels_[std::size_t{y} * width_ + x];
    pixel = mixed(pixel, colour, std::min(1.0, opacity * static_cast<double>(coverage_[x])));
    coverage_[x] = 0;
  }
}

void Canvas::fill(const FlatShape& shape, const Rgb& colour, double opacity) {
  ORRERY_ASSERT(opacity > 0 && opacity <= 1);
  if (shape.points.empty()) return;
  const Rectangle bounds = bounds_of(shape.points, shape.radius);
  const double rows = height_;
  const auto top = static_cast<std::uint32_t>(std::clamp(bounds.low.y, 0.0, rows));
  const auto bottom = static_cast<std::uint32_t>(std::clamp(std::ceil(bounds.high.y), 0.0, rows));
  for (std::uint32_t y = top; y < bottom; ++y) {
    first_ = width_;
    last_ = 0;
    for (int sample = 0; sample < kRowSamples; ++sample) {
      const Span span = span_at(shape, y + (sample + 0.5) / kRowSamples);
      cover(span.from, span.to, 1.0f / kRowSamples);
    }
    blend_row(y, colour, opacity);
  }
}

void Canvas::stroke(const FlatShape& shape, const Rgb& colour, double width) {
  // Returns a line as wide as the stroke.
  const auto line = [&](const Point& a, const Point& b) { return FlatShape{{a, b}, width / 2}; };
  if (shape.radius == 0) {
    for (std::size_t i = 0; i < shape.points.size(); ++i) {
      fill(line(shape.points[i], shape.points[(i + 1) % shape.points.size()]), colour);
    }
    return;
  }
  // A round edge is drawn as a polygon with corners about 3 pixels apart.
  constexpr double kHalfTurn = 3.141592653589793;
  const int steps = std::clamp(static_cast<int>(shape.radius), 6, 200);
  const Point& a = shape.points.front();
  const Point& b = shape.points.back();
  double angle = std::atan2(b.x - a.x, a.y - b.y);  // across the capsule
  std::vector<Point> edge;
  for (const Point& centre : {a, b}) {
    for (int i = 0; i <= steps; ++i) {
      const double at = angle + kHalfTurn * i / steps;
      edge.push_back(
          {centre.x + shape.radius * std::cos(at), centre.y + shape.radius * std::sin(at)});
    }
    angle += kHalfTurn;
  }
  stroke({std::move(edge), 0}, colour, width);
}

void Canvas::write(const Point& at, std::string_view text, const Rgb& colour, std::uint32_t size) {
  ORRERY_ASSERT(size >= 1);
  const double pixel = size;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Glyph& glyph = glyph_of(text[i]);
    for (std::size_t row = 0; row < glyph.size(); ++row) {
      for (std::size_t column = 0; column < kGlyphWidth; ++column) {
        if ((glyph[row] >> (kGlyphWidth - 1 - column) & 1) == 0) continue;
        const double x = at.x + pixel * static_cast<double>(i * kGlyphWidth + column);
        const double y = at.y + pixel * static_cast<double>(row);
        fill({{{x, y}, {x + pixel, y}, {x + pixel, y + pixel}, {x, y + pixel}}, 0}, colour);
      }
    }
  }
}

}  // namespace orrery::cli
