// Rounds the poses of bodies to a grid, so that both sides of a connection have equal integers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/core/ids.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"

namespace orrery::codec {

// The grid of a scene. A rounded position is within half of a step of the exact one on each axis,
// if the exact one is within kGridPositionMax steps of the origin. A rounded orientation is within
// orientation_error_max() of the exact one.
struct Grid {
  double position_step = 1.0 / 512;    // length of a step
  std::uint32_t orientation_bits = 9;  // bits of each of the three smallest components
};

// Bounds of a grid. A position beyond kGridPositionMax steps from the origin on an axis is rounded
// to the bound.
inline constexpr std::int32_t kGridPositionMax = 1 << 30;
inline constexpr std::uint32_t kOrientationBitsMin = 6;
inline constexpr std::uint32_t kOrientationBitsMax = 15;

// A body on the grid. The orientation is stored as the three smallest components of a quaternion
// whose largest component is positive (G. Fiedler, "Snapshot Compression", 2015).
struct QuantisedBody {
  BodyId id;
  std::uint32_t prototype = 0;             // index of the scene body that it is, or is a copy of
  std::array<std::int32_t, 3> position{};  // in steps
  std::array<std::uint16_t, 3> orientation{};  // the components other than the largest
  std::uint16_t size = 0;                      // size_of() its prototype
  std::uint8_t largest = 3;                    // index of the largest component: x, y, z, w
  bool active = false;                         // awake, or touched by somebody
  bool present = false;                        // there is a body
  std::uint8_t unused = 0;                     // always 0: without it, there would be padding

  // Compares words and has no branches: most bodies of most frames are equal to those before.
  friend constexpr bool operator==(const QuantisedBody& a, const QuantisedBody& b) {
    using Words = std::array<std::uint64_t, 4>;
    const auto x = std::bit_cast<Words>(a), y = std::bit_cast<Words>(b);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])) == 0;
  }
};

static_assert(std::has_unique_object_representations_v<QuantisedBody>);

// Returns a radius in steps as a floating-point number of 16 bits, rounded down: five bits of
// exponent, and eleven of fraction. REQUIRES: 1 <= radius < 2^32.
constexpr std::uint16_t size_of(double radius) {
  return static_cast<std::uint16_t>((std::bit_cast<std::uint64_t>(radius) >> 41) - (1023 << 11));
}
// Returns the radius of a size: at least 1, and within 2^-11 of the one that was rounded.
constexpr double radius_of(std::uint16_t size) {
  return std::bit_cast<double>((std::uint64_t{size} + (1023 << 11)) << 41);
}
static_assert(size_of(1) == 0 && radius_of(size_of(0x1.FFEp31)) == 0x1.FFEp31);

// Rounds a pose. Sets only the position and the orientation of `out`.
// REQUIRES: the numbers are finite, and the orientation has length 1.
void quantise(const Grid& grid, const Vec3& position, const Quat& orientation, QuantisedBody& out);

// Returns the position of a body on the grid.
Vec3 position_of(const Grid& grid, const QuantisedBody& body);

// Returns the difference of a component of a quaternion between neighbours on the grid.
double orientation_step(const Grid& grid);

// Returns the orientation of a body on the grid, with length 1. `step` is orientation_step().
Quat orientation_of(double step, const QuantisedBody& body);
inline Quat orientation_of(const Grid& grid, const QuantisedBody& body) {
  return orientation_of(orientation_step(grid), body);
}

// Returns the largest angle in rad between an orientation and its rounded form.
double orientation_error_max(const Grid& grid);

}  // namespace orrery::codec
