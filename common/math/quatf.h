// A quaternion of binary32 numbers, the form in which commands carry orientations.
#pragma once

#include "common/math/quat.h"

namespace orrery {

// A quaternion of binary32 numbers. The default is the identity.
struct Quatf {
  float x = 0;
  float y = 0;
  float z = 0;
  float w = 1;

  friend constexpr bool operator==(const Quatf&, const Quatf&) = default;
};

// Converts to binary64, exactly.
constexpr Quat widen(const Quatf& q) { return {q.x, q.y, q.z, q.w}; }

}  // namespace orrery
