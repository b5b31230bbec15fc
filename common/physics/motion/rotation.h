// Rotates free bodies by the integration method that a scene chooses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/physics/body/bodies.h"

namespace orrery::physics {

// A method of integrating free rotation. Equations and sources: cayley.inl, gyroscopic.h and
// momentum.h in common/integrate.
//
// - cayley: midpoint rule with Cayley rotations; order 2, keeps the energy.
// - explicit_gyro: explicit gyroscopic torque; diverges at every step length h.
// - dropped: no gyroscopic torque; bodies never tumble.
// - momentum: constant angular momentum in the world frame, with the inertia at the old attitude;
//   gains energy.
// - implicit_gyro: gyroscopic torque by backward Euler; loses energy.
// - implicit_gyro_midpoint: implicit gyroscopic torque at the midpoint; order 2.
enum class Rotation : std::uint8_t {
  cayley,
  explicit_gyro,
  dropped,
  momentum,
  implicit_gyro,
  implicit_gyro_midpoint,
};
inline constexpr std::size_t kRotations = 6;

// Rotates the bodies of tiles [begin, end) freely over time h. All methods except cayley clamp the
// angular speed about each principal axis to limits::kAngularSpeedMax. With these methods, a body
// keeps its present state if its next state would not be finite.
// REQUIRES: h > 0. With cayley and dropped, h < 0 is allowed too and steps back in time.
void rotate_bodies(Bodies& bodies, std::uint32_t begin, std::uint32_t end, double h,
                   Rotation method);

}  // namespace orrery::physics
