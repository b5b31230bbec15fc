// Defines the axis-aligned bounding box.
#pragma once

#include "common/math/vec3.h"

namespace orrery::physics {

// An axis-aligned box, including its boundary: boxes that touch overlap. A part without bounds has
// an infinite box.
struct Aabb {
  Vec3 lower;
  Vec3 upper;

  friend constexpr bool operator==(const Aabb&, const Aabb&) = default;
};

// Returns true if two boxes overlap or touch.
constexpr bool overlaps(const Aabb& a, const Aabb& b) {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
         b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

// Returns the minimum of two vectors, component by component.
constexpr Vec3 lesser(const Vec3& a, const Vec3& b) {
  return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
// Returns the maximum of two vectors, component by component.
constexpr Vec3 greater(const Vec3& a, const Vec3& b) {
  return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}

// Returns the smallest box around both boxes.
constexpr Aabb united(const Aabb& a, const Aabb& b) {
  return {lesser(a.lower, b.lower), greater(a.upper, b.upper)};
}

// Returns the box grown by `margin` on every side.
constexpr Aabb enlarged(const Aabb& a, double margin) {
  const Vec3 m{margin, margin, margin};
  return {a.lower - m, a.upper + m};
}

// Returns true if the segment from `origin` to origin + end * along meets the box. Rounding never
// causes a miss.
bool meets(const Aabb& box, const Vec3& origin, const Vec3& along, double end);

}  // namespace orrery::physics
