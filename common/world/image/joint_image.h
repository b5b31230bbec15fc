// Writes and reads the state of joints in an image (schema/image.md 4 has the layout).
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/physics/solve/joints.h"

namespace orrery {

// The part of the joints of a scene that a tick can change: impulses for the warm start, and which
// joints are broken (JointSet).
struct JointState {
  std::vector<double> impulses;
  std::vector<std::uint8_t> broken;
};

// Appends the state of the joints, or nothing if there are none.
void encode_joints(const physics::JointSet& joints, std::vector<std::uint8_t>& out);

// Reads the state of `joints` into `state`. Returns false if the bytes are invalid. REQUIRES:
// `state` is empty.
bool decode_joints(ByteReader& in, const physics::JointSet& joints, JointState& state);

}  // namespace orrery
