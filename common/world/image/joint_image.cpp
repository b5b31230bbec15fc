// Writes and reads the state of joints in an image.
#include "common/world/image/joint_image.h"

#include "common/core/slot_mask.h"
#include "common/world/commands/drives.h"

namespace orrery {

void encode_joints(const physics::JointSet& joints, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(joints.flags().size() == joints.joints().size());
  ByteWriter w(out);
  for (const std::uint8_t flag : joints.flags()) w.u8(flag);
  for (const double number : joints.numbers()) w.f64(number);
}

// The joints come from the scene, so the bytes do not repeat their number.
bool decode_joints(ByteReader& in, std::span<const physics::Joint> joints, HingeAngles angles,
                   JointState& state) {
  ORRERY_ASSERT(state.flags.empty() && state.numbers.empty());
  state.flags.assign(joints.size(), 0);
  for (std::uint8_t& flag : state.flags) flag = in.u8();
  for (const physics::Joint& joint : joints) {
    const bool skips = angles == HingeAngles::absent && physics::keeps_angle(joint);
    const std::uint32_t count = physics::state_numbers(joint) - (skips ? 1 : 0);
    for (std::uint32_t i = 0; i < count; ++i) state.numbers.push_back(in.f64());
    if (skips) state.numbers.push_back(0);
  }
  return in.ok() && physics::can_be_state(joints, state.numbers, state.flags);
}

bool read_joints(ByteReader& in, const World& world, const Controls& controls,
                 std::span<const std::uint64_t> alive, HingeAngles angles, JointState& state) {
  ORRERY_ASSERT(controls.generations.size() == world.bodies().capacity());
  if (world.scene().joints.empty()) return true;
  ORRERY_ASSERT(world.collision());
  const std::span<const physics::Joint> now = world.collision()->solver.joints().joints();
  std::vector<physics::Joint> joints(now.begin(), now.end());
  for (std::uint32_t i = 0; i < joints.size(); ++i) {
    static_cast<physics::JointSettings&>(joints[i]) =
        driven(world.scene().joints[i], find_drive(controls, i));
  }
  if (!decode_joints(in, joints, angles, state)) return false;
  const auto gone = [&](std::uint32_t slot) {
    return !has_slot(alive, slot) || controls.generations[slot] != 0;
  };
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const bool broken = state.flags[i] == physics::kJointBroken;
    const bool lost = gone(joints[i].a) || gone(joints[i].b);
    if (lost != broken && !(broken && physics::can_break(joints[i]))) return false;
  }
  return true;
}

}  // namespace orrery
