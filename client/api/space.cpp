// Converts vectors between the space of a scene and the space of the caller.
#include "client/api/space.h"

#include "client/api/orrery.h"

namespace orrery::api {

Vec3 Space::axes_out(const Vec3& v) const {
  switch (axes) {
    case ORRERY_Y_UP_LEFT:
      return {v.x, v.y, -v.z};
    case ORRERY_Z_UP_LEFT:
      return {v.x, v.z, v.y};
    case ORRERY_Z_UP_RIGHT:
      return {v.x, -v.z, v.y};
    default:
      return v;
  }
}

Vec3 Space::axes_in(const Vec3& v) const {
  if (axes == ORRERY_Z_UP_RIGHT) return {v.x, v.z, -v.y};
  return axes_out(v);  // every other change of axes is its own inverse
}

Vec3 Space::extents_out(const Vec3& e) const {
  const bool z_up = axes == ORRERY_Z_UP_LEFT || axes == ORRERY_Z_UP_RIGHT;
  return units * (z_up ? Vec3{e.x, e.z, e.y} : e);
}

bool Space::mirrored() const { return axes == ORRERY_Y_UP_LEFT || axes == ORRERY_Z_UP_LEFT; }

}  // namespace orrery::api
