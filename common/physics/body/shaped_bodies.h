// A view of bodies together with their shapes.
#pragma once

#include <cstdint>
#include <span>

#include "common/math/pose.h"
#include "common/physics/body/bodies.h"
#include "common/physics/shape/shape.h"

namespace orrery::physics {

// Returns the pose of the body in a slot.
inline Pose pose_of(const Bodies& bodies, std::uint32_t slot) {
  return {bodies.position(slot), bodies.orientation(slot)};
}

// Bodies and their shapes. The view is valid as long as the objects to which its members refer.
struct ShapedBodies {
  const Bodies& bodies;
  const ShapeSet& shapes;
  std::span<const std::uint32_t> shape_of;  // index of each slot's shape, or kNoShape

  // Returns true if the body in a slot has a shape.
  bool has_shape(std::uint32_t slot) const { return shape_of[slot] != kNoShape; }
  // Return the shape of a body, and the parts of that shape.
  // REQUIRES: has_shape(slot).
  const Shape& shape(std::uint32_t slot) const { return shapes.shape(shape_of[slot]); }
  std::span<const Part> parts(std::uint32_t slot) const { return shapes.parts(shape_of[slot]); }
  // Returns the cores of those parts.
  // REQUIRES: the body can be pushed.
  std::span<const Part> cores(std::uint32_t slot) const { return shapes.cores(shape_of[slot]); }
  // Returns the pose of a body.
  Pose pose(std::uint32_t slot) const { return pose_of(bodies, slot); }
};

}  // namespace orrery::physics
