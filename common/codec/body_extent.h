// Owns the mass, inertia and half extents of a body whose scene does not state them.
#pragma once

#include <cstdint>

#include "common/world/scene.h"
#include "common/world/scene_parts.h"

namespace orrery {

struct Extent {
  double mass = BodyDef().mass;
  Vec3 half_extents = BodyDef().half_extents;
  const MassProperties* solid = nullptr;  // of the shape; null: a box of these half extents
};

// Returns the extent of a shape, or of a body without one. A shape without a volume counts as none.
inline Extent usual_extent(const ShapeSet& shapes, std::uint32_t shape) {
  if (shape >= shapes.size() || !shapes.shape(shape).movable) return {};
  const MassProperties& solid = shapes.shape(shape).mass;
  return {solid.mass, half_extents_of(shapes, shape), &solid};
}

// Returns the principal moments of a body with this mass and these half extents.
inline Vec3 usual_inertia(const Extent& usual, const BodyDef& body) {
  if (!usual.solid) return solid_box_inertia(body.mass, body.half_extents);
  return (body.mass / usual.solid->mass) * usual.solid->inertia;
}

}  // namespace orrery
