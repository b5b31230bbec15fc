// Counts the rows of a joint, and measures its error.
#include "common/physics/solve/joint.h"

#include <algorithm>
#include <cmath>

#include "common/core/assert.h"

namespace orrery::physics {

std::uint32_t hold_rows(const Joint& joint) {
  switch (joint.kind) {
    case JointKind::distance:
      return joint.limited || joint.frequency > 0 || joint.motor_max > 0 ? 0 : 1;
    case JointKind::ball:
      return 3;
    case JointKind::hinge:
    case JointKind::slider:
      return 5;
    case JointKind::weld:
      return 6;
  }
  return 0;
}

std::uint32_t coordinate_rows(const Joint& joint) {
  const std::uint32_t limits = !joint.limited ? 0 : joint.kind == JointKind::ball ? 1 : 2;
  return limits + (joint.frequency > 0 ? 1 : 0) + (joint.motor_max > 0 ? 1 : 0);
}

bool keeps_angle(const Joint& joint) {
  ORRERY_ASSERT(joint.frequency >= 0);
  return joint.kind == JointKind::hinge && (joint.limited || joint.frequency > 0);
}

std::uint32_t state_numbers(const Joint& joint) {
  return hold_rows(joint) + coordinate_rows(joint) + (keeps_angle(joint) ? 1 : 0);
}

double joint_error(const Joint& joint, const Bodies& bodies) {
  ORRERY_ASSERT(joint.a < bodies.slots() && joint.b < bodies.slots());
  const auto point = [&](std::uint32_t slot, const Pose& at) {
    return bodies.position(slot) + rotate(bodies.orientation(slot), at.position);
  };
  const Vec3 between = point(joint.b, joint.at_b) - point(joint.a, joint.at_a);
  const double distance = length(between);
  switch (joint.kind) {
    case JointKind::distance: {
      if (joint.limited) {
        return std::max({0.0, joint.lower - distance, distance - joint.upper});
      }
      return coordinate_rows(joint) == 0 ? std::abs(distance - joint.rest) : 0;
    }
    case JointKind::slider: {
      const Vec3 axis = rotate(bodies.orientation(joint.a) * joint.at_a.orientation, {1, 0, 0});
      return length(between - dot(between, axis) * axis);
    }
    default:
      return distance;
  }
}

}  // namespace orrery::physics
