// Generates random shapes of every kind.
#include "tests/fuzz/attack/random_shape.h"

#include <utility>

#include "tests/fuzz/attack/choices.h"
#include "tests/support/colliding_bodies.h"
#include "tests/support/session.h"

namespace orrery::attack {
namespace {

// Returns a grid of 2 to 6 points a side, centred on the body, with heights from -1 m to 0.
physics::PartDef any_surface(SplitMix64& draw, physics::ShapeKind kind) {
  physics::PartDef part;
  part.kind = kind;
  part.columns = 2 + draw.below(5);
  const std::uint32_t rows = 2 + draw.below(5);
  part.spacing = between(draw, 1, 4);
  part.pose.position = {-0.5 * part.spacing * (part.columns - 1), 0,
                        -0.5 * part.spacing * (rows - 1)};
  for (std::uint32_t i = 0; i < rows * part.columns; ++i) {
    const double height = between(draw, -1, 0);
    part.heights.push_back(height);
    part.points.push_back(
        {part.spacing * (i % part.columns), height, part.spacing * (i / part.columns)});
  }
  for (std::uint32_t row = 0; row + 1 < rows; ++row) {
    for (std::uint32_t column = 0; column + 1 < part.columns; ++column) {
      const std::uint32_t at = row * part.columns + column;
      const std::uint32_t below = at + part.columns;
      part.triangles.push_back({at, below, at + 1});
      part.triangles.push_back({at + 1, below, below + 1});
    }
  }
  if (kind == physics::ShapeKind::mesh) part.heights.clear();
  if (kind == physics::ShapeKind::height_field) part.points.clear();
  if (kind == physics::ShapeKind::height_field) part.triangles.clear();
  return part;
}

physics::Filter any_filter(SplitMix64& draw) {
  physics::Filter filter;
  filter.category = 1u << draw.below(3);
  filter.mask = draw.below(8);
  filter.group = static_cast<std::int32_t>(draw.below(5)) - 2;
  filter.sensor = one_in(draw, 3);
  return filter;
}

physics::PartDef any_solid(SplitMix64& draw) {
  physics::PartDef part;
  part.kind = static_cast<physics::ShapeKind>(draw.below(4));
  part.radius = between(draw, 0.1, 0.6);
  part.half_length = between(draw, 0.1, 0.6);
  part.half_extents = {between(draw, 0.1, 0.6), 0.3, between(draw, 0.1, 0.6)};
  part.density = between(draw, 50, 2000);
  if (part.kind == physics::ShapeKind::hull) {
    const std::uint32_t points = 4 + draw.below(20);
    for (std::uint32_t i = 0; i < points; ++i) part.points.push_back(test::draw(draw, 0.6));
  }
  return part;
}

}  // namespace

physics::ShapeDef any_shape(SplitMix64& draw, bool fixed) {
  physics::ShapeDef shape;
  const std::uint32_t parts = one_in(draw, 4) ? 2 + draw.below(3) : 1;
  for (std::uint32_t i = 0; i < parts; ++i) {
    physics::PartDef part = any_solid(draw);
    if (parts > 1) {
      part.pose.position = test::draw(draw, 0.7);
      part.pose.orientation = test::draw_orientation(draw);
    }
    shape.parts.push_back(std::move(part));
  }
  if (fixed) {
    const auto kind = static_cast<physics::ShapeKind>(4 + draw.below(3));
    shape.parts[0] = physics::is_surface(kind) ? any_surface(draw, kind) : physics::PartDef{};
    shape.parts[0].kind = kind;
  }
  for (physics::PartDef& part : shape.parts) {
    part.material = {test::any_amount(draw, 1.5), test::any_amount(draw, 1),
                     test::any_amount(draw, 0.1)};
    if (one_in(draw, 8)) part.filter = any_filter(draw);
  }
  return shape;
}

}  // namespace orrery::attack
