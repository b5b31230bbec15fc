// Definitions of parts for tests of shapes, and an independent test of the points inside them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/physics/shape/shape.h"

namespace orrery {

inline physics::PartDef sphere(double radius, const Pose& pose = {}) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::sphere;
  part.radius = radius;
  part.pose = pose;
  return part;
}

inline physics::PartDef capsule(double radius, double half_length, const Pose& pose = {}) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::capsule;
  part.radius = radius;
  part.half_length = half_length;
  part.pose = pose;
  return part;
}

inline physics::PartDef box(const Vec3& half_extents, const Pose& pose = {}) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::box;
  part.half_extents = half_extents;
  part.pose = pose;
  return part;
}

inline physics::PartDef hull(const std::vector<Vec3>& points, const Pose& pose = {}) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::hull;
  part.points = points;
  part.pose = pose;
  return part;
}

// Returns the corners of a wedge: a triangle in x and y, from z = 0 to 0.6, with its sharp edge at
// x = 1. The centre of mass is not the origin.
inline std::vector<Vec3> wedge() {
  return {{0, 0, 0}, {0, 0.8, 0}, {1, 0, 0}, {0, 0, 0.6}, {0, 0.8, 0.6}, {1, 0, 0.6}};
}

// Returns true if a point is inside a part, independently, from the definition of its kind.
inline bool inside(const physics::PartDef& part, const Vec3& p) {
  const Vec3 q = rotate_back(part.pose.orientation, p - part.pose.position);
  switch (part.kind) {
    case physics::ShapeKind::sphere:
      return length(q) <= part.radius;
    case physics::ShapeKind::capsule: {
      const double y = std::clamp(q.y, -part.half_length, part.half_length);
      return length(q - Vec3{0, y, 0}) <= part.radius;
    }
    case physics::ShapeKind::hull:  // only wedge()
      return q.x >= 0 && q.y >= 0 && q.y <= 0.8 * (1 - q.x) && q.z >= 0 && q.z <= 0.6;
    default:
      return std::abs(q.x) <= part.half_extents.x && std::abs(q.y) <= part.half_extents.y &&
             std::abs(q.z) <= part.half_extents.z;
  }
}

}  // namespace orrery
