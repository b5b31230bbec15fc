// The scene `ragdolls`: limbs on joints with limits, dropped on a floor.
#include <algorithm>

#include "common/core/rng.h"
#include "common/world/scenes/scene_parts.h"

namespace orrery {
namespace {

// A limb of a doll. The doll stands upright and looks along z, with its arms along x. Positions are
// relative to the pelvis.
struct Limb {
  std::uint32_t shape;
  Vec3 place;
  Quat turn;  // turns the capsule, which is along y, to the direction of the limb
};

struct Link {
  physics::JointKind kind;
  std::uint32_t a;  // index into the list of limbs, like b
  std::uint32_t b;
  Vec3 at;
  Vec3 axis;
  double upper;  // largest angle by which the joint swings or bends, rad
};

enum : std::uint32_t { kPelvis, kChest, kHead, kArms, kForearms = 5, kThighs = 7, kShins = 9 };

std::vector<Limb> make_limbs(Scene& scene) {
  const std::uint32_t pelvis = add_box_shape(scene, {0.16, 0.1, 0.1});
  const std::uint32_t chest = add_box_shape(scene, {0.18, 0.22, 0.11});
  const std::uint32_t head = add_ball_shape(scene, 0.12);
  const std::uint32_t arm = add_capsule_shape(scene, 0.05, 0.1);
  const std::uint32_t thigh = add_capsule_shape(scene, 0.07, 0.14);
  const std::uint32_t shin = add_capsule_shape(scene, 0.06, 0.15);
  const Quat along_x = normalized({0, 0, -1, 1});
  std::vector<Limb> limbs = {{pelvis, {}, {}}, {chest, {0, 0.34, 0}, {}}, {head, {0, 0.72, 0}, {}}};
  const auto add_both = [&](std::uint32_t shape, const Vec3& place, const Quat& turn) {
    limbs.push_back({shape, place, turn});
    limbs.push_back({shape, {-place.x, place.y, place.z}, turn});
  };
  add_both(arm, {0.36, 0.5, 0}, along_x);
  add_both(arm, {0.68, 0.5, 0}, along_x);
  add_both(thigh, {0.1, -0.32, 0}, {});
  add_both(shin, {0.1, -0.76, 0}, {});
  ORRERY_ASSERT(limbs.size() == kShins + 2);
  return limbs;
}

std::vector<Link> make_links() {
  std::vector<Link> links = {
      {physics::JointKind::ball, kPelvis, kChest, {0, 0.11, 0}, {0, 1, 0}, 0.6},
      {physics::JointKind::ball, kChest, kHead, {0, 0.58, 0}, {0, 1, 0}, 0.7},
  };
  for (std::uint32_t i = 0; i < 2; ++i) {
    const double side = i == 0 ? 1 : -1;
    const Vec3 out{side, 0, 0};
    links.push_back({physics::JointKind::ball, kChest, kArms + i, {0.2 * side, 0.5, 0}, out, 1.4});
    // Elbows bend forwards, knees backwards.
    const Vec3 elbow{0, -side, 0};
    links.push_back(
        {physics::JointKind::hinge, kArms + i, kForearms + i, {0.52 * side, 0.5, 0}, elbow, 2.4});
    links.push_back(
        {physics::JointKind::ball, kPelvis, kThighs + i, {0.1 * side, -0.1, 0}, {0, -1, 0}, 1.2});
    links.push_back({physics::JointKind::hinge,
                     kThighs + i,
                     kShins + i,
                     {0.1 * side, -0.54, 0},
                     {1, 0, 0},
                     2.4});
  }
  return links;
}

void add_joint(Scene& scene, std::uint32_t first, const std::vector<Limb>& limbs,
               const Link& link) {
  const Limb &a = limbs[link.a], &b = limbs[link.b];
  JointDef joint;
  joint.kind = link.kind;
  joint.a = first + link.a;
  joint.b = first + link.b;
  joint.at_a = rotate_back(a.turn, link.at - a.place);
  joint.at_b = rotate_back(b.turn, link.at - b.place);
  joint.axis = rotate_back(a.turn, link.axis);
  joint.limited = true;
  joint.upper = link.upper;
  scene.joints.push_back(joint);
}

}  // namespace

// Dolls 2.5 m apart in a square, with random attitudes and velocities. Each pelvis starts 2 to 4 m
// above a floor.
Scene make_ragdolls(std::uint32_t count) {
  ORRERY_ASSERT(count > 0);
  constexpr double kSpacing = 2.5;
  Scene scene;
  scene.name = "ragdolls";
  use_contacts(scene);
  const std::vector<Limb> limbs = make_limbs(scene);
  const std::vector<Link> links = make_links();
  ORRERY_ASSERT(limbs.size() == 11 && links.size() == 10);  // scenes.cpp relies on these numbers
  ORRERY_ASSERT(std::all_of(links.begin(), links.end(), [&](const Link& link) {
    return link.a < link.b && link.b < limbs.size() && link.upper > 0;
  }));
  std::vector<BodyDef> bodies;
  for (const Limb& limb : limbs) bodies.push_back(shaped_body(scene, limb.shape, {}));
  std::uint32_t side = 1;
  while (side * side < count) ++side;
  const double middle = kSpacing * (side - 1) / 2;
  SceneRandom draw;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vec3 turn = draw_vector(draw, 1);
    const Vec3 velocity = draw_vector(draw, 2);
    const Quat stance = normalized({turn.x, turn.y, turn.z, 1});
    const Vec3 pelvis{kSpacing * (i % side) - middle, 3 + draw.next(),
                      kSpacing * (i / side) - middle};
    const auto first = static_cast<std::uint32_t>(scene.bodies.size());
    for (std::size_t k = 0; k < limbs.size(); ++k) {
      BodyDef& body = scene.bodies.emplace_back(bodies[k]);
      body.position = pelvis + rotate(stance, limbs[k].place);
      body.orientation = stance * limbs[k].turn;
      body.velocity = velocity;
    }
    for (const Link& link : links) add_joint(scene, first, limbs, link);
  }
  const double half_floor = middle + 20;
  add_block(scene, {half_floor, 0.5, half_floor}, {0, -0.5, 0});
  return scene;
}

}  // namespace orrery
