// Helpers for tests of contacts in small scenes.
#pragma once

#include <cmath>

#include "tests/unit/physics/contact_world.h"

namespace orrery {

inline constexpr double kGravity = 9.81;
inline constexpr double kSizes[] = {0.01, 0.1, 1, 10};

// Returns a turn by `angle` about an axis of unit length.
inline Quat turn_about(const Vec3& axis, double angle) {
  const double s = std::sin(angle / 2);
  return {s * axis.x, s * axis.y, s * axis.z, std::cos(angle / 2)};
}

// Makes a body kinematic, as a world does: its angular momentum is its angular velocity.
inline void drive(ContactWorld& world, std::uint32_t slot, const Vec3& angular_velocity) {
  world.bodies.set(physics::BodyField::inverse_inertia_x, slot, Vec3{1, 1, 1});
  world.bodies.set_angular_momentum(slot, angular_velocity);
}

inline std::uint32_t add_capsule(ContactWorld& world, double radius, double half_length) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::capsule;
  part.radius = radius;
  part.half_length = half_length;
  return world.shapes.add({{part}}).value();
}

// Adds a box as the hull of its corners.
inline std::uint32_t add_box_hull(ContactWorld& world, const Vec3& half) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::hull;
  for (int corner = 0; corner < 8; ++corner) {
    part.points.push_back({corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y,
                           corner & 4 ? half.z : -half.z});
  }
  return world.shapes.add({{part}}).value();
}

inline std::uint32_t add_plane(ContactWorld& world) {
  return world.add_shape(physics::ShapeKind::plane, {}, 0, {});
}

}  // namespace orrery
