// Rounding to the grid, and back.
#include "common/codec/delta/grid.h"

#include <algorithm>

#include "common/core/assert.h"

namespace orrery::codec {
namespace {

// The magnitude of the largest of three smaller components of a unit quaternion, rounded up.
constexpr double kComponentMax = 0.70710678118654757;

std::uint32_t component_max(const Grid& grid) {
  ORRERY_ASSERT(grid.orientation_bits >= kOrientationBitsMin);
  ORRERY_ASSERT(grid.orientation_bits <= kOrientationBitsMax);
  return (1u << grid.orientation_bits) - 1;
}

std::int32_t round_position(double steps) {
  const double bounded = std::clamp(steps, -double{kGridPositionMax}, double{kGridPositionMax});
  return static_cast<std::int32_t>(bounded + (bounded < 0 ? -0.5 : 0.5));
}

}  // namespace

void quantise(const Grid& grid, const Vec3& position, const Quat& orientation, QuantisedBody& out) {
  ORRERY_ASSERT(grid.position_step > 0);
  const double per_step = 1 / grid.position_step;
  out.position = {round_position(position.x * per_step), round_position(position.y * per_step),
                  round_position(position.z * per_step)};
  const double q[4] = {orientation.x, orientation.y, orientation.z, orientation.w};
  std::uint8_t largest = 0;
  for (std::uint8_t i = 1; i < 4; ++i) {
    if (q[i] * q[i] > q[largest] * q[largest]) largest = i;
  }
  out.largest = largest;
  const double sign = q[largest] < 0 ? -1 : 1;
  const double steps = component_max(grid);
  for (std::uint8_t i = 0, at = 0; i < 4; ++i) {
    if (i == largest) continue;
    const double share = (sign * q[i] + kComponentMax) / (2 * kComponentMax);
    out.orientation[at++] = static_cast<std::uint16_t>(std::clamp(share, 0.0, 1.0) * steps + 0.5);
  }
}

Vec3 position_of(const Grid& grid, const QuantisedBody& body) {
  ORRERY_ASSERT(grid.position_step > 0);
  return {grid.position_step * body.position[0], grid.position_step * body.position[1],
          grid.position_step * body.position[2]};
}

Quat orientation_of(double step, const QuantisedBody& body) {
  ORRERY_ASSERT(body.largest < 4);
  const double a = body.orientation[0] * step - kComponentMax;
  const double b = body.orientation[1] * step - kComponentMax;
  const double c = body.orientation[2] * step - kComponentMax;
  const double rest = 1 - a * a - b * b - c * c;
  const double largest = square_root(std::max(rest, 1.0 / 16));
  const std::uint8_t at = body.largest;
  const Quat out{at == 0 ? largest : a,
                 at == 1   ? largest
                 : at == 0 ? a
                           : b,
                 at == 2   ? largest
                 : at == 3 ? c
                           : b,
                 at == 3 ? largest : c};
  // Untrusted components, or rounded ones, can be too long for a unit quaternion.
  return rest >= 1.0 / 16 ? out : normalized(out);
}

double orientation_step(const Grid& grid) { return 2 * kComponentMax / component_max(grid); }

double orientation_error_max(const Grid& grid) {
  // Each component is off by at most half of a step. The largest component is at least 1/2 and at
  // most as wrong as the others together, and an angle is twice the length of the difference.
  return 2 * orientation_step(grid) * square_root(3.0);
}

}  // namespace orrery::codec
