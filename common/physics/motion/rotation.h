// Owns the free rotation of bodies by the methods of a scene.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/physics/body/bodies.h"

namespace orrery::physics {

// Equations, energy and sources: lab/methods/splitting.h, gyroscopic.h, momentum.h.
enum class Rotation : std::uint8_t {
  cayley,
  explicit_gyro,
  dropped,
  momentum,
  implicit_gyro,
  implicit_gyro_midpoint,
};
inline constexpr std::size_t kRotations = 6;

// Turns the bodies of the tiles [begin, end) freely by h. h < 0, a turn back in time, is for cayley
// and dropped alone. Leaves angular speeds within limits::kAngularSpeedMax; a body whose next state
// cannot be told in numbers stays as it is.
void rotate_bodies(Bodies& bodies, std::uint32_t begin, std::uint32_t end, double h,
                   Rotation method);

}  // namespace orrery::physics
