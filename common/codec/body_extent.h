// Computes the mass, inertia and half extents of a body if the scene does not state them.
#pragma once

#include <cstdint>

#include "common/world/scenes/scene.h"
#include "common/world/scenes/scene_parts.h"

namespace orrery::codec {

// The size and mass that a body has by default.
struct Extent {
  double mass = BodyDef().mass;
  Vec3 half_extents = BodyDef().half_extents;
  // Mass properties of the shape. Null: the body counts as a solid box.
  const physics::MassProperties* solid = nullptr;
};

// Returns the default extent of a body with this shape. For kNoShape, or a shape with a plane,
// height field or mesh, it is a box of default size and mass.
inline Extent default_extent(const physics::ShapeSet& shapes, std::uint32_t shape) {
  if (shape >= shapes.size() || !shapes.shape(shape).movable) return {};
  const physics::MassProperties& solid = shapes.shape(shape).mass;
  return {solid.mass, half_extents_of(shapes, shape), &solid};
}

// Returns the principal moments of inertia that a body has by default: those of the shape, scaled
// to the mass of the body. `usual` is the default extent of the body. If it has no mass properties,
// returns the moments of a solid box with the mass and half extents of the body.
inline Vec3 default_inertia(const Extent& usual, const BodyDef& body) {
  if (!usual.solid) return solid_box_inertia(body.mass, body.half_extents);
  return (body.mass / usual.solid->mass) * usual.solid->inertia;
}

}  // namespace orrery::codec
