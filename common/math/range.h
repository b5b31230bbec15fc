// Owns range checks of foreign numbers. NaN is within no range: every comparison with it is false.
#pragma once

#include "common/math/vec3f.h"

namespace orrery {

constexpr bool within(double value, double least, double most) {
  return value >= least && value <= most;
}

// Each component.
constexpr bool within(const Vec3& v, double least, double most) {
  return within(v.x, least, most) && within(v.y, least, most) && within(v.z, least, most);
}

// From -limit to limit.
constexpr bool within(double value, double limit) { return within(value, -limit, limit); }
constexpr bool within(const Vec3& v, double limit) { return within(v, -limit, limit); }
constexpr bool within(const Vec3f& v, double limit) { return within(widen(v), limit); }

}  // namespace orrery
