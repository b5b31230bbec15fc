// The outlines of bodies in a picture.
#include "client/cli/render/picture/outlines.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery::cli {
namespace {

constexpr double kAmbient = 0.62;  // brightness of a face that looks away from the lamp
constexpr double kDirect = 0.5;    // brightness that the lamp adds to a face that looks at it
// Direction towards the lamp that lights the picture. The components point right, up and towards
// the viewer.
constexpr Vec3 kLamp{-0.35, 0.8, 0.49};

// A body as a view shows it. Maps points of the body into the picture.
struct Scenery {
  const View& view;
  const Pose& pose;

  Point place(const Vec3& body_point) const { return project(view, transform(pose, body_point)); }
  Vec3 seen(const Vec3& body_vector) const {
    return seen_along(view.axis, rotate(pose.orientation, body_vector));
  }
};

bool is_finite(const Pose& pose) {
  const Vec3& p = pose.position;
  const Quat& q = pose.orientation;
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z) && std::isfinite(q.x) &&
         std::isfinite(q.y) && std::isfinite(q.z) && std::isfinite(q.w);
}

// Returns the region at whose edges polygons are cut. It is larger than the picture, so that the
// edges that a cut makes lie outside the picture.
Rectangle region_of(const View& view) {
  constexpr double kRoom = 64;
  return {{-kRoom, -kRoom}, {view.width + kRoom, view.height + kRoom}};
}

FlatShape polygon_of(std::vector<Point> corners, const View& view) {
  return {clipped(std::move(corners), region_of(view)), 0};
}

// Returns the corners of a box that is drawn in place of a half space. The box is far larger than
// the picture.
std::vector<Vec3> far_corners(const Solid& solid, const Scenery& from) {
  const Vec3& p = solid.points[0];
  const Vec3& up = solid.points[1];
  const Vec3 other = std::abs(up.x) < 0.8 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 right = cross(other, up);
  const Vec3 across = (1 / length(right)) * right;
  const Vec3 along = cross(across, up);
  const double reach = (from.view.width + from.view.height) / from.view.scale;
  const double far =
      10 * (reach + length(from.view.centre) + length(from.pose.position) + length(p));
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    corners.push_back(p + (i & 1 ? far : -far) * across + (i & 2 ? far : -far) * along +
                      (i & 4 ? -far : 0) * up);
  }
  return corners;
}

// Returns true if the polygon covers the whole region to which polygons are cut.
bool covers_all(const std::vector<Point>& polygon, const View& view) {
  double area = 0;
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    area += turn(polygon[0], polygon[i - 1], polygon[i]) / 2;
  }
  const Rectangle region = region_of(view);
  return std::abs(area) > 0.999 * (region.high.x - region.low.x) * (region.high.y - region.low.y);
}

FlatShape shape_of(const Solid& solid, const Scenery& from) {
  const View& view = from.view;
  std::vector<Point> points;
  for (const Vec3& p : solid.endless ? far_corners(solid, from) : solid.points) {
    points.push_back(from.place(p));
  }
  if (points.empty()) return {};
  const double radius = std::min(solid.radius * view.scale, 1e9);
  const Rectangle bounds = bounds_of(points, radius);
  if (!bounds.meets({{0, 0}, {view.width, view.height}})) return {};
  const double size = std::max(bounds.high.x - bounds.low.x, bounds.high.y - bounds.low.y);
  if (size < 2 * view.radius_min) return {{from.place({})}, view.radius_min};
  if (radius > 0) return {std::move(points), radius};
  FlatShape polygon = polygon_of(convex_hull(std::move(points)), view);
  // A half space that fills the picture, such as a wall in front of the viewer, is not drawn.
  if (solid.endless && covers_all(polygon.points, view)) return {};
  return polygon;
}

Patch lit_face(const Solid& solid, const std::vector<std::uint32_t>& face, const Scenery& from) {
  const Vec3& a = solid.points[face[0]];
  const Vec3 n = from.seen(cross(solid.points[face[1]] - a, solid.points[face[2]] - a));
  if (n.z <= 0) return {};
  std::vector<Point> corners;
  for (const std::uint32_t i : face) corners.push_back(from.place(solid.points[i]));
  const double towards_lamp = std::max(0.0, dot(n, kLamp) / length(n));
  return {polygon_of(std::move(corners), from.view), kAmbient + kDirect * towards_lamp};
}

double depth_of(const Solid& solid, const std::vector<std::uint32_t>& face, const Scenery& from) {
  double depth = 0;
  for (const std::uint32_t i : face) depth += from.seen(solid.points[i]).z;
  return depth / static_cast<double>(face.size());
}

std::vector<Patch> lit_faces(const Solid& solid, const Scenery& from) {
  std::vector<std::pair<double, Patch>> sorted;
  for (const std::vector<std::uint32_t>& face : solid.faces) {
    Patch patch = lit_face(solid, face, from);
    if (patch.shape.points.size() < 3) continue;
    sorted.emplace_back(depth_of(solid, face, from), std::move(patch));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Patch> patches;
  for (auto& [depth, patch] : sorted) patches.push_back(std::move(patch));
  return patches;
}

// Returns the highlight of a ball or capsule, and the mark on a ball that shows how it turns.
std::vector<Patch> round_patches(const FlatShape& shape, const Scenery& from) {
  std::vector<Patch> patches;
  const double r = shape.radius;
  if (shape.points.size() == 1) {
    for (const double sign : {-1.0, 1.0}) {
      const Vec3 mark = from.seen({sign, 0, 0});
      if (mark.z <= 0) continue;
      const Point& c = shape.points[0];
      const Point at{c.x + 0.66 * r * mark.x, c.y - 0.66 * r * mark.y};
      patches.push_back({{{at}, 0.3 * r}, 1 - 0.35 * mark.z});
    }
  }
  FlatShape highlight{shape.points, 0.36 * r};
  for (Point& p : highlight.points) p = {p.x - 0.3 * r, p.y - 0.36 * r};
  patches.push_back({std::move(highlight), 1.3});
  return patches;
}

}  // namespace

std::vector<Outline> outlines_of(const Models& models, std::span<const DrawnBody> bodies,
                                 const View& view, Light light) {
  ORRERY_ASSERT(view.scale > 0);
  std::vector<Outline> outlines;
  for (const DrawnBody& body : bodies) {
    if (!is_finite(body.pose)) continue;
    const Model& model = models[body.prototype];
    const Scenery from{view, body.pose};
    const double depth = seen_along(view.axis, body.pose.position).z;
    for (const Solid& solid : model.solids) {
      FlatShape shape = shape_of(solid, from);
      if (shape.points.empty()) continue;
      Outline outline{std::move(shape), body.id, model.fixed, model.colour, depth, {}};
      if (light == Light::lit) {
        outline.patches =
            outline.shape.radius > 0 ? round_patches(outline.shape, from) : lit_faces(solid, from);
      }
      outlines.push_back(std::move(outline));
    }
  }
  return outlines;
}

void sort_by_depth(std::vector<Outline>& outlines) {
  std::stable_sort(outlines.begin(), outlines.end(), [](const Outline& a, const Outline& b) {
    return a.fixed != b.fixed ? a.fixed : a.depth < b.depth;
  });
}

}  // namespace orrery::cli
