// Keeps the energy of a body that continuous collision moves back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/core/assert.h"
#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"

namespace orrery::physics {

// Gravity moved a body by `way` less than its velocity v assumes. Returns the share of the velocity
// `undone` to subtract from v, so that the energy stays. A body that was raised stops at most:
// it does not turn round. The energy is v^2 / 2 + (h / 2) g . v - g . x, which semi-implicit
// Euler keeps in free fall (motion/flight.h).
inline double share_undone(const Vec3& v, const Vec3& undone, const Vec3& gravity, double h,
                           const Vec3& way) {
  ORRERY_ASSERT(h >= 0);
  const double square = 0.5 * dot(undone, undone);
  const double slope = dot(undone, v + 0.5 * h * gravity);
  const double lost = dot(gravity, way);
  if (square == 0 || (lost <= 0 && slope >= 0)) return 0;
  const double root = slope * slope - 4 * square * lost;
  const double sum = slope + std::copysign(std::sqrt(std::max(0.0, root)), slope);
  if (lost <= 0) return 2 * lost / sum;
  const double stop = dot(undone, v) / (2 * square);
  const double share = root < 0 ? stop : 2 * lost / sum;
  return std::clamp(share, std::min(0.0, stop), std::max(0.0, stop));
}

// Takes an energy per mass out of the spin of a body, as far as it has that much. A body that turns
// into the ground is raised by its spin, if its fall does not account for it.
inline void slow_spin(Bodies& bodies, std::uint32_t slot, double energy) {
  const Vec3 momentum = bodies.angular_momentum(slot), inverse = bodies.inverse_inertia(slot);
  const double all = 0.5 * bodies.inverse_mass(slot) * dot(momentum, scaled(inverse, momentum));
  if (!(energy > 0 && all > 0)) return;
  bodies.set_angular_momentum(slot, std::sqrt(std::max(0.0, 1 - energy / all)) * momentum);
}

}  // namespace orrery::physics
