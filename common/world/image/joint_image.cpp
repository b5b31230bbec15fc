// Writes and reads the state of joints in an image.
#include "common/world/image/joint_image.h"

namespace orrery {

void encode_joints(const physics::JointSet& joints, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(joints.broken().size() == joints.joints().size());
  ByteWriter w(out);
  for (const std::uint8_t broken : joints.broken()) w.u8(broken);
  for (const double impulse : joints.impulses()) w.f64(impulse);
}

// The joints come from the scene, so the bytes do not repeat their number.
bool decode_joints(ByteReader& in, const physics::JointSet& joints, JointState& state) {
  ORRERY_ASSERT(state.broken.empty() && state.impulses.empty());
  state.broken.assign(joints.broken().size(), 0);
  state.impulses.assign(joints.impulses().size(), 0);
  for (std::uint8_t& broken : state.broken) broken = in.u8();
  for (double& impulse : state.impulses) impulse = in.f64();
  return in.ok() && joints.fits(state.impulses, state.broken);
}

}  // namespace orrery
