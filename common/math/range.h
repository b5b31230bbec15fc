// Range checks for numbers from untrusted sources. NaN is in no range, because every comparison
// with it is false.
#pragma once

#include "common/math/vec3f.h"

namespace orrery {

// Returns true if least <= value <= most.
constexpr bool within(double value, double least, double most) {
  return value >= least && value <= most;
}

// Returns true if every component is within the range.
constexpr bool within(const Vec3& v, double least, double most) {
  return within(v.x, least, most) && within(v.y, least, most) && within(v.z, least, most);
}

// Return true if the value, or every component, is from -limit to limit.
constexpr bool within(double value, double limit) { return within(value, -limit, limit); }
constexpr bool within(const Vec3& v, double limit) { return within(v, -limit, limit); }
constexpr bool within(const Vec3f& v, double limit) { return within(widen(v), limit); }

}  // namespace orrery
