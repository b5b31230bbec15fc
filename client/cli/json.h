// Writes vectors, quaternions and hashes as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "common/host/text/json.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"

namespace orrery::json {

inline std::string of(const Vec3& v) { return array({of(v.x), of(v.y), of(v.z)}); }
inline std::string of(const Quat& q) { return array({of(q.x), of(q.y), of(q.z), of(q.w)}); }

// Returns "0x" and 16 hexadecimal digits.
inline std::string hash(std::uint64_t value) {
  std::string out = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[value >> shift & 15];
  return out;
}

}  // namespace orrery::json
