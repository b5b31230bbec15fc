// The looks of bodies: solids, colours and names, made from a scene.
#include "client/cli/render/picture/models.h"

#include <algorithm>
#include <cmath>

#include "common/core/printable.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kNameMax = 40;  // maximum bytes of a name that are shown

Solid box_of(const Vec3& half) {
  Solid box;
  for (int i = 0; i < 8; ++i) {
    box.points.push_back(
        {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  }
  box.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  return box;
}

// `Hull` is physics::Hull, which this layer may not name.
Solid solid_of_hull(const auto& hull) {
  Solid solid;
  solid.points = hull.vertices;
  for (const auto& face : hull.faces) {
    std::vector<std::uint32_t>& corners = solid.faces.emplace_back();
    for (std::size_t i = face.first; i < face.first + std::size_t{face.corners}; ++i) {
      corners.push_back(hull.corners[i].vertex);
    }
  }
  return solid;
}

// `Mesh` is physics::TriangleMesh.
Solid solid_of_mesh(const auto& mesh) {
  Solid solid;
  solid.points = mesh.vertices;
  for (const auto& triangle : mesh.triangles) {
    solid.faces.push_back({triangle.begin(), triangle.end()});
  }
  return solid;
}

// Returns the solid of a part, in the coordinates of the part.
Solid solid_of(const ShapeSet& shapes, const auto& part) {
  switch (part.kind) {
    case ShapeKind::sphere:
      return {{{}}, part.radius, {}};
    case ShapeKind::capsule:
      return {{{0, -part.half_length, 0}, {0, part.half_length, 0}}, part.radius, {}};
    case ShapeKind::box:
      return box_of(part.half_extents);
    case ShapeKind::hull:
      return solid_of_hull(shapes.hull(part));
    case ShapeKind::plane:
      return {{{}, {0, 1, 0}}, 0, {}, /*endless=*/true};
    case ShapeKind::height_field:
    case ShapeKind::mesh:
      break;
  }
  return solid_of_mesh(shapes.mesh(part));
}

std::vector<Solid> solids_of(const ShapeSet& shapes, const BodyDef& body) {
  if (body.shape == kNoShape) return {box_of(body.half_extents)};
  std::vector<Solid> solids;
  for (const auto& part : shapes.parts(body.shape)) {
    Solid solid = solid_of(shapes, part);
    const Pose pose{part.position, part.orientation};
    for (Vec3& p : solid.points) p = transform(pose, p);
    if (solid.endless) solid.points[1] = rotate(part.orientation, {0, 1, 0});
    solids.push_back(std::move(solid));
  }
  return solids;
}

Rgb colour_of(const BodyDef& body, std::uint32_t index) {
  if (body.color != kNoColor) {
    return {static_cast<std::uint8_t>(body.color >> 16), static_cast<std::uint8_t>(body.color >> 8),
            static_cast<std::uint8_t>(body.color)};
  }
  return body.kind == BodyKind::anchor ? kFixedColour : palette_colour(index);
}

double radius_of(const std::vector<Solid>& solids) {
  double radius = 0;
  for (const Solid& solid : solids) {
    if (solid.endless) continue;
    for (const Vec3& p : solid.points) radius = std::max(radius, length(p) + solid.radius);
  }
  return radius;
}

}  // namespace

Models::Models()
    : unknown_{.solids = {box_of({0.5, 0.5, 0.5})},
               .fixed = false,
               .colour = palette_colour(0),
               .name = {},
               .radius = 0.5 * std::sqrt(3.0)} {}

Models::Models(const Scene& scene, const ShapeSet& shapes) : Models() {
  for (std::uint32_t i = 0; i < scene.bodies.size(); ++i) {
    Model model;
    model.solids = solids_of(shapes, scene.bodies[i]);
    model.fixed = scene.bodies[i].kind == BodyKind::anchor;
    model.colour = colour_of(scene.bodies[i], i);
    if (i < scene.names.size()) model.name = printable(scene.names[i], kNameMax);
    model.radius = radius_of(model.solids);
    models_.push_back(std::move(model));
  }
}

}  // namespace orrery::cli
