// Converts the joints of a scene into those of the solver.
#include "common/world/joint_frames.h"

namespace orrery {

Quat turn_from_x(const Vec3& direction) {
  ORRERY_ASSERT(dot(direction, direction) > 0);
  const Vec3 n = (1 / length(direction)) * direction;
  if (n.x < -0.5) {  // Near 180 degrees the formula below loses precision: turns x to -x first.
    return normalized(Quat{0, n.z, -n.y, 1 - n.x}) * Quat{0, 0, 1, 0};
  }
  return normalized(Quat{0, -n.z, n.y, 1 + n.x});
}

std::vector<physics::Joint> make_joints(const World& world) {
  ORRERY_ASSERT(world.bodies().slots() >= world.scene().bodies.size());
  std::vector<physics::Joint> joints;
  joints.reserve(world.scene().joints.size());
  for (const JointDef& def : world.scene().joints) {
    const Vec3 axis = rotate_back(body_pose(world, def.a, {}).orientation, def.axis);
    physics::Joint& joint = joints.emplace_back();
    static_cast<physics::JointSettings&>(joint) = def;
    joint.a = def.a;
    joint.b = def.b;
    joint.a_moves = is_dynamic(world.scene().bodies[def.a].kind);
    joint.b_moves = is_dynamic(world.scene().bodies[def.b].kind);
    joint.at_a = {body_point(world, def.a, def.at_a), turn_from_x(axis)};
    const Quat in_world = world.bodies().orientation(def.a) * joint.at_a.orientation;
    joint.at_b = {body_point(world, def.b, def.at_b),
                  conjugate(world.bodies().orientation(def.b)) * in_world};
  }
  return joints;
}

}  // namespace orrery
