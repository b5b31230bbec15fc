// Owns the pose: where a rigid body is and how it is turned.
#pragma once

#include "common/math/quat.h"

namespace orrery {

// Takes body coordinates p to position + rotate(orientation, p).
struct Pose {
  Vec3 position;
  Quat orientation;

  friend constexpr bool operator==(const Pose&, const Pose&) = default;
};

constexpr Vec3 transform(const Pose& pose, const Vec3& p) {
  return pose.position + rotate(pose.orientation, p);
}

// First b, then a.
constexpr Pose operator*(const Pose& a, const Pose& b) {
  return {transform(a, b.position), a.orientation * b.orientation};
}

}  // namespace orrery
