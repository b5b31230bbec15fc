// Draws the outlines of bodies in SVG, seen along an axis.
#include "client/cli/render/body_drawing.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <vector>

#include "common/math/pose.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kOutlinesMax = 400;  // for one draw_bodies(); the marked body is always drawn
constexpr double kOutside = 1e5;  // largest coordinate that is drawn, in units of the picture

struct Point {
  double x = 0;
  double y = 0;
};

Point project(const View& view, const Vec3& p) {
  const double scale = kPictureSize / (2 * view.reach);
  const Vec3 from = p - view.centre;
  const double up = view.axis == Axis::front ? from.y : -from.z;
  const auto place = [](double along) {
    return std::clamp(kPictureSize / 2 + along, -kOutside, kOutside);
  };
  return {place(from.x * scale), place(-up * scale)};
}

// Returns twice the signed area of the triangle: positive if a, b and c turn from +x towards +y.
double turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Returns the convex hull of the points, by Andrew's monotone chain.
std::vector<Point> convex_outline(std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  std::vector<Point> outline;
  const auto add = [&](const Point& p, std::size_t base) {
    while (outline.size() >= base + 2 && turn(outline.end()[-2], outline.back(), p) <= 0) {
      outline.pop_back();
    }
    outline.push_back(p);
  };
  for (const Point& p : points) add(p, 0);
  const std::size_t lower = outline.size();
  for (auto p = points.rbegin(); p != points.rend(); ++p) add(*p, lower - 1);
  return outline;
}

bool in_picture(std::span<const Point> points, double margin) {
  Point low = points.front();
  Point high = low;
  for (const Point& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  return high.x > -margin && low.x < kPictureSize + margin && high.y > -margin &&
         low.y < kPictureSize + margin;
}

std::string text(double x) {
  std::array<char, 24> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.2f", x);
  return buffer.data();
}
std::string text(const Point& p) { return text(p.x) + ',' + text(p.y); }

// --- bodies as points with a radius ---

struct Solid {
  std::vector<Vec3> points;  // in coordinates of the part or of the body
  double radius = 0;
};

std::vector<Vec3> corners(const Vec3& low, const Vec3& high) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i) {
    points.push_back({i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z});
  }
  return points;
}

Solid solid_of(const PartDef& part, const View& view) {
  switch (part.kind) {
    case ShapeKind::sphere:
      return {{{}}, part.radius};
    case ShapeKind::capsule:
      return {{{0, -part.half_length, 0}, {0, part.half_length, 0}}, part.radius};
    case ShapeKind::box:
      return {corners(-part.half_extents, part.half_extents)};
    case ShapeKind::hull:
    case ShapeKind::mesh:
      return {part.points};
    case ShapeKind::plane: {
      const double far = 10 * (view.reach + length(view.centre));
      return {corners({-far, -far, -far}, {far, 0, far})};
    }
    case ShapeKind::height_field:
      break;
  }
  Solid solid;
  for (std::size_t i = 0; i < part.heights.size(); ++i) {
    const auto column = static_cast<double>(i % part.columns);
    const auto row = static_cast<double>(i / part.columns);
    solid.points.push_back({column * part.spacing, part.heights[i], row * part.spacing});
  }
  return solid;
}

// Returns the parts of a body as solids, in coordinates of the body.
std::vector<Solid> solids_of(const World& world, std::uint32_t prototype, const View& view) {
  const BodyDef& def = world.scene().bodies[prototype];
  if (def.shape == kNoShape) return {{corners(-def.half_extents, def.half_extents), 0}};
  std::vector<Solid> solids;
  for (const PartDef& part : world.scene().shapes[def.shape].parts) {
    Solid solid = solid_of(part, view);
    for (Vec3& p : solid.points) p = body_point(world, prototype, transform(part.pose, p));
    solids.push_back(std::move(solid));
  }
  return solids;
}

std::string element(const std::string& tag, const std::string& attributes, BodyId body) {
  return '<' + tag + ' ' + attributes + "><title>body " + std::to_string(body.value) +
         "</title></" + tag + ">\n";
}

// Returns the element of one part of a body; empty if it is outside the picture.
std::string outline(const Solid& solid, const Pose& pose, const View& view, BodyId body,
                    const std::string& classes) {
  std::vector<Point> points;
  for (const Vec3& p : solid.points) points.push_back(project(view, transform(pose, p)));
  const double radius = std::min(solid.radius * kPictureSize / (2 * view.reach), kOutside);
  if (points.empty() || !in_picture(points, radius)) return {};
  const std::string style = "class=\"" + classes;
  if (radius > 0 && points.size() == 1) {
    const std::string place = "cx=\"" + text(points[0].x) + "\" cy=\"" + text(points[0].y);
    return element("circle", style + "\" " + place + "\" r=\"" + text(radius) + '"', body);
  }
  if (radius > 0) {  // a capsule: a line as thick as its diameter
    return element("path",
                   style + " round\" style=\"stroke-width:" + text(2 * radius) + "\" d=\"M" +
                       text(points[0]) + 'L' + text(points[1]) + '"',
                   body);
  }
  std::string list;
  for (const Point& p : convex_outline(std::move(points))) list += text(p) + ' ';
  return element("polygon", style + "\" points=\"" + list + '"', body);
}

double size_of(const World& world, BodyId body) {
  const Vec3& h = world.scene().bodies[world.controls().prototypes[slot_of(body)]].half_extents;
  return std::max({h.x, h.y, h.z});
}

}  // namespace

View view_around(const World& world, BodyId body, Axis axis) {
  ORRERY_ASSERT(contains(world, body));
  constexpr std::size_t kNeighbours = 8;
  const Vec3 centre = world.bodies().position(slot_of(body));
  std::vector<double> distances;
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (world.bodies().alive(slot)) {
      distances.push_back(length(world.bodies().position(slot) - centre));
    }
  }
  const std::size_t last = std::min(kNeighbours, distances.size() - 1);
  std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(last),
                   distances.end());
  return {centre, std::max(1.2 * distances[last], 2.5 * size_of(world, body)), axis};
}

std::string draw_bodies(const World& world, const View& view, const std::string& style,
                        std::optional<BodyId> marked) {
  ORRERY_ASSERT(view.reach > 0);
  std::string out;
  std::size_t outlines = 0;
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (!world.bodies().alive(slot)) continue;
    const std::uint32_t prototype = world.controls().prototypes[slot];
    const bool fixed = world.scene().bodies[prototype].kind == BodyKind::anchor;
    const BodyId body = body_id(world, slot);
    const bool is_marked = marked && body == *marked;
    const std::string classes = style + (is_marked ? " marked" : fixed ? " fixed" : "");
    const Pose pose{world.bodies().position(slot), world.bodies().orientation(slot)};
    for (const Solid& solid : solids_of(world, prototype, view)) {
      const std::string drawn = outline(solid, pose, view, body, classes);
      if (drawn.empty() || (outlines >= kOutlinesMax && !is_marked)) continue;
      out += drawn;
      ++outlines;
    }
  }
  return out;
}

}  // namespace orrery::cli
