// Writes and reads the state of joints in an image.
#include "common/world/image/joint_image.h"

namespace orrery {

void encode_joints(const physics::JointSet& joints, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(joints.flags().size() == joints.joints().size());
  ByteWriter w(out);
  for (const std::uint8_t flag : joints.flags()) w.u8(flag);
  for (const double number : joints.numbers()) w.f64(number);
}

// The joints come from the scene, so the bytes do not repeat their number.
bool decode_joints(ByteReader& in, const physics::JointSet& joints, HingeAngles angles,
                   JointState& state) {
  ORRERY_ASSERT(state.flags.empty() && state.numbers.empty());
  state.flags.assign(joints.flags().size(), 0);
  state.numbers.reserve(joints.numbers().size());
  for (std::uint8_t& flag : state.flags) flag = in.u8();
  for (const physics::Joint& joint : joints.joints()) {
    const bool skips = angles == HingeAngles::absent && physics::keeps_angle(joint);
    const std::uint32_t count = physics::state_numbers(joint) - (skips ? 1 : 0);
    for (std::uint32_t i = 0; i < count; ++i) state.numbers.push_back(in.f64());
    if (skips) state.numbers.push_back(0);
  }
  return in.ok() && joints.fits(state.numbers, state.flags);
}

}  // namespace orrery
