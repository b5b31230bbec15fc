// A three-component vector of binary32 numbers, the form in which commands and snapshots carry
// vectors.
#pragma once

#include "common/math/vec3.h"

namespace orrery {

// A vector of binary32 numbers. Each component converts to binary64 exactly, so a command means the
// same on every machine.
struct Vec3f {
  float x = 0;
  float y = 0;
  float z = 0;

  friend constexpr bool operator==(const Vec3f&, const Vec3f&) = default;
};

// Converts to binary64, exactly.
constexpr Vec3 widen(const Vec3f& v) { return {v.x, v.y, v.z}; }

// Rounds each component to the nearest binary32 number. REQUIRES: every component is in the range
// of binary32.
constexpr Vec3f narrow(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

}  // namespace orrery
