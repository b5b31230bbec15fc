// Writes and reads the state of joints in an image (schema/image.md 4 has the layout).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/bytes.h"
#include "common/physics/joints/joints.h"
#include "common/world/world.h"

namespace orrery {

// The part of the joints of a scene that a tick can change: their numbers and flags (JointSet).
struct JointState {
  std::vector<double> numbers;
  std::vector<std::uint8_t> flags;
};

// Whether an image has the angles of hinges. Images of version 3 have none.
enum class HingeAngles : bool { absent, present };

// Appends the state of the joints, or nothing if there are none.
void encode_joints(const physics::JointSet& joints, std::vector<std::uint8_t>& out);

// Reads the state of `joints` into `state`. Angles that are absent become 0: the angle at the start
// of a session. Returns false if the bytes are invalid. REQUIRES: `state` is empty.
bool decode_joints(ByteReader& in, std::span<const physics::Joint> joints, HingeAngles angles,
                   JointState& state);

// Reads the state of the joints of a world, driven as in `controls`. Returns false too if a joint
// that has lost a body is not broken, or if one is broken that no load can break. `alive` has a bit
// per slot, as decode_controls() gives it. REQUIRES: `state` is empty.
bool read_joints(ByteReader& in, const World& world, const Controls& controls,
                 std::span<const std::uint64_t> alive, HingeAngles angles, JointState& state);

}  // namespace orrery
