// Converts vectors between the space of a scene and the space of the caller.
#pragma once

#include <cstdint>

#include "common/math/quat.h"
#include "common/math/vec3.h"

namespace orrery::api {

// Convert between vectors and the arrays of the header.
inline Vec3 vector(const double (&v)[3]) { return {v[0], v[1], v[2]}; }
inline void store(const Vec3& v, double (&to)[3]) {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}

// The axes, unit and origin of a caller (orrery_space). The default is those of the scene: vectors
// then keep every bit.
struct Space {
  std::uint32_t axes = 0;  // ORRERY_Y_UP_RIGHT, ...
  double units = 1;        // lengths of the caller for a length of the scene
  Vec3 origin;             // in the space of the scene

  // Convert a direction: only the axes change, not the unit.
  Vec3 axes_out(const Vec3& v) const;
  Vec3 axes_in(const Vec3& v) const;

  // Convert a vector: a velocity, force or impulse, or a difference of positions.
  Vec3 out(const Vec3& v) const { return units * axes_out(v); }
  Vec3 in(const Vec3& v) const { return (1 / units) * axes_in(v); }

  // Convert a position.
  Vec3 position_out(const Vec3& p) const { return out(p - origin); }
  Vec3 position_in(const Vec3& p) const { return in(p) + origin; }

  // Convert an angular velocity. A mirror image reverses the direction of rotation. It is therefore
  // negated if the caller's axes are left-handed.
  Vec3 turn_out(const Vec3& v) const { return mirrored() ? -axes_out(v) : axes_out(v); }
  Vec3 turn_in(const Vec3& v) const { return mirrored() ? -axes_in(v) : axes_in(v); }

  // Converts an orientation.
  Quat orientation_out(const Quat& q) const {
    const Vec3 v = turn_out({q.x, q.y, q.z});
    return {v.x, v.y, v.z, q.w};
  }

  // Converts half extents, which have no sign.
  Vec3 extents_out(const Vec3& e) const;

  // Returns true if the caller's axes are left-handed.
  bool mirrored() const;
};

}  // namespace orrery::api
