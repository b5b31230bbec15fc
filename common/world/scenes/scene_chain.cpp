// The scene `chain`: a chain that carries a hundred times the mass of a link.
#include "common/world/scenes/scene_parts.h"

namespace orrery {

// Fifty links of 1 m, stretched out 45 degrees below horizontal. The ball at the end has a hundred
// times the mass of a link. The chain swings to the other side and back. Links do not touch each
// other. Sixteen substeps keep the chain's length within one percent.
Scene make_chain(std::uint32_t) {
  constexpr std::uint32_t kLinks = 50;
  constexpr double kHeaviness = 100;
  const Quat along = normalized({0, 0, 1, 1 + square_root(2)});  // turns y by 45 degrees towards -x
  const Vec3 down = rotate(along, {0, -1, 0});
  Scene scene;
  scene.name = "chain";
  use_contacts(scene);
  scene.substeps = 16;
  BodyDef hook = solid_box(1, {0.1, 0.1, 0.1}, {});
  hook.kind = BodyKind::anchor;
  hook.control = Control::nobody;
  scene.bodies.push_back(hook);
  const std::uint32_t capsule = add_capsule_shape(scene, 0.1, 0.4);
  scene.shapes[capsule].parts[0].filter.group = -1;
  BodyDef link = shaped_body(scene, capsule, {});
  link.orientation = along;
  JointDef joint;
  for (std::uint32_t i = 0; i < kLinks; ++i) {
    link.position = (0.5 + i) * down;
    joint.a = i;
    joint.b = i + 1;
    joint.at_a = i == 0 ? Vec3{} : Vec3{0, -0.5, 0};
    joint.at_b = {0, 0.5, 0};
    scene.bodies.push_back(link);
    scene.joints.push_back(joint);
  }
  BodyDef weight = shaped_body(scene, add_ball_shape(scene, 0.5), (kLinks + 0.5) * down);
  weight.inertia = (kHeaviness * link.mass / weight.mass) * weight.inertia;
  weight.mass = kHeaviness * link.mass;
  weight.orientation = along;
  joint.a = kLinks;
  joint.b = kLinks + 1;
  scene.bodies.push_back(weight);
  scene.joints.push_back(joint);
  ORRERY_ASSERT(scene.bodies.size() == scene.joints.size() + 1);  // one chain
  return scene;
}

}  // namespace orrery
