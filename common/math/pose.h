// The position and orientation of a rigid body.
#pragma once

#include "common/math/quat.h"

namespace orrery {

// A map from body to world coordinates: p becomes position + rotate(orientation, p).
struct Pose {
  Vec3 position;
  Quat orientation;

  friend constexpr bool operator==(const Pose&, const Pose&) = default;
};

// Returns the world coordinates of the body point p.
constexpr Vec3 transform(const Pose& pose, const Vec3& p) {
  return pose.position + rotate(pose.orientation, p);
}

// Returns the composition of two poses: it applies b first, then a.
constexpr Pose operator*(const Pose& a, const Pose& b) {
  return {transform(a, b.position), a.orientation * b.orientation};
}

}  // namespace orrery
