// The scene `lander`: a lunar lander that the first client flies.
#include "common/world/scenes/scene_parts.h"

namespace orrery {

// Client 1 flies the lander with thrusts and torques; there is no fuel. The bodies of this scene
// have no shapes, so the lander would fall through the pad. A soft spring prevents this. Without
// thrust the lander hangs 10 m above the pad, and the spring pulls it back there from any distance.
Scene make_lander(std::uint32_t) {
  constexpr double kMass = 1000;
  constexpr Vec3 kHanging{0, 10, 0};
  constexpr Vec3 kBandTop{0, 40, 0};
  static_assert(kBandTop.y > kHanging.y);  // the band (a spring) pulls up
  Scene scene;
  scene.name = "lander";
  scene.gravity = {0, -kMoonGravity, 0};

  BodyDef lander = solid_box(kMass, {2, 1.5, 2}, {12, 16, 4});
  lander.control = Control::owner;
  lander.owner = 1;
  lander.velocity = {-2, 0, 0};
  const std::uint32_t id = add_body(scene, "lander", lander);

  BodyDef pad = solid_box(kMass, {5, 0.25, 5}, {0, -0.25, 0});
  pad.kind = BodyKind::anchor;
  pad.control = Control::nobody;
  add_body(scene, "pad", pad);

  TetherDef band;
  band.body = id;
  band.anchor = kBandTop;
  band.stiffness = kMass * kMoonGravity / (kBandTop.y - kHanging.y);
  band.damping = 20;  // bobbing fades within minutes
  scene.tethers.push_back(band);
  return scene;
}

}  // namespace orrery
