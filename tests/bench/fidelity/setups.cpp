// Makes the set-ups of `bench fidelity`.
#include <algorithm>
#include <cmath>

#include "common/world/scenes/scene_parts.h"
#include "common/world/scenes/scenes.h"
#include "tests/bench/fidelity/fidelity.h"

namespace orrery::bench {
namespace {

constexpr double kTopArm = 0.5, kTopAcross = 0.05, kTopAlong = 0.02, kTopTilt = 0.5;

BodyDef rigid(const Vec3& position, double mass, const Vec3& inertia) {
  BodyDef body;
  body.position = position;
  body.mass = mass;
  body.inertia = inertia;
  return body;
}

Scene empty_scene() {
  Scene scene;
  use_contacts(scene);
  return scene;
}

Scene anchored_scene() {
  Scene scene = empty_scene();
  scene.bodies.push_back(rigid({}, 1, {1, 1, 1}));
  scene.bodies[0].kind = BodyKind::anchor;
  return scene;
}

Quat turn_about_z(double angle) { return {0, 0, std::sin(angle / 2), std::cos(angle / 2)}; }

// Joins the last two bodies.
void join(Scene& scene, physics::JointKind kind, const Vec3& at_a, const Vec3& at_b) {
  JointDef joint;
  joint.kind = kind;
  joint.b = static_cast<std::uint32_t>(scene.bodies.size()) - 1;
  joint.a = joint.b - 1;
  joint.at_a = at_a;
  joint.at_b = at_b;
  joint.axis = {0, 0, 1};
  scene.joints.push_back(joint);
}

// Returns a scene with one material, and a floor with its top at y = 0.
Scene floor_scene(const physics::Material& material) {
  Scene scene = empty_scene();
  physics::PartDef part;
  part.kind = ShapeKind::box;
  part.half_extents = {1000, 1, 1000};
  part.material = material;
  BodyDef floor = shaped_body(scene, add_shape(scene, part), {0, -1, 0});
  floor.kind = BodyKind::anchor;
  scene.bodies.push_back(floor);
  return scene;
}

void add_ball(Scene& scene, const Vec3& position) {
  const std::uint32_t ball = add_ball_shape(scene, 0.5);
  scene.shapes[ball].parts[0].material = scene.shapes[0].parts[0].material;
  scene.bodies.push_back(shaped_body(scene, ball, position));
}

}  // namespace

Vec3 moments_of(const Scene& scene, const BodyDef& body) {
  if (body.shape == kNoShape || scene.shapes[body.shape].parts[0].kind != ShapeKind::capsule) {
    return body.inertia;
  }
  double moments[3] = {body.inertia.x, body.inertia.y, body.inertia.z};
  std::sort(moments, moments + 3);
  // The smallest moment is about the capsule's axis (y).
  return {moments[2], moments[0], moments[2]};
}

Scene make_pendulum(double angle) {
  Scene scene = anchored_scene();
  const Quat turn = turn_about_z(angle);
  scene.bodies.push_back(rigid(rotate(turn, {0, -0.5, 0}), 1, {1.01 / 12, 0.02 / 12, 1.01 / 12}));
  scene.bodies[1].orientation = turn;
  join(scene, physics::JointKind::hinge, {}, {0, 0.5, 0});
  return scene;
}

Scene make_double_pendulum() {
  Scene scene = anchored_scene();
  for (int i = 0; i < 2; ++i) {
    scene.bodies.push_back(rigid({1.0 + i, 0, 0}, 1, {0.01, 0.01, 0.01}));
    join(scene, physics::JointKind::ball, {}, {-1, 0, 0});
  }
  return scene;
}

double precession_of_top(double spin) {
  const double inertia = kTopAcross + kTopArm * kTopArm, c = std::cos(kTopTilt);
  const double square = kTopAlong * kTopAlong * spin * spin;
  const double root = std::sqrt(std::max(0.0, square - 4 * inertia * c * kEarthGravity * kTopArm));
  return (kTopAlong * spin - root) / (2 * inertia * c);
}

Scene make_top(double spin) {
  Scene scene = anchored_scene();
  const Quat turn = turn_about_z(kTopTilt);
  const Vec3 axis = rotate(turn, {0, 1, 0});
  const double rate = precession_of_top(spin);
  BodyDef top = rigid(kTopArm * axis, 1, {kTopAcross, kTopAlong, kTopAcross});
  top.orientation = turn;
  top.angular_velocity = rate * Vec3{0, 1, 0} + (spin - rate * std::cos(kTopTilt)) * axis;
  top.velocity = cross(top.angular_velocity, kTopArm * axis);
  scene.bodies.push_back(top);
  join(scene, physics::JointKind::ball, {}, {0, -kTopArm, 0});
  return scene;
}

Scene make_planar_chain() {
  Scene scene = empty_scene();
  scene.gravity = {};
  Vec3 end, centre;
  for (int i = 0; i < 5; ++i) {
    const Quat turn = turn_about_z(0.5 * i);
    const Vec3 half = rotate(turn, {0.5, 0, 0});
    scene.bodies.push_back(rigid(end + half, 1, {0.02 / 12, 1.01 / 12, 1.01 / 12}));
    scene.bodies.back().orientation = turn;
    if (i > 0) join(scene, physics::JointKind::hinge, {0.5, 0, 0}, {-0.5, 0, 0});
    end = end + 2 * half;
    centre = centre + 0.2 * scene.bodies.back().position;
  }
  for (BodyDef& body : scene.bodies) {
    body.angular_velocity = {0, 0, 3};
    body.velocity = cross(body.angular_velocity, body.position - centre);
  }
  return scene;
}

Scene make_long_chain() { return built_in_scene("chain").value(); }

Scene make_slipping_ball() {
  Scene scene = floor_scene({});
  add_ball(scene, {0, 0.5, 0});
  scene.bodies[1].velocity = {7, 0, 0};
  return scene;
}

Scene make_dropped_ball(double height, double restitution) {
  physics::Material material;
  material.restitution = restitution;
  Scene scene = floor_scene(material);
  add_ball(scene, {0, 0.5 + height, 0});
  return scene;
}

Scene make_slope(double friction) {
  physics::Material material;
  material.friction = friction;
  Scene scene = floor_scene(material);
  constexpr double kTilt = 20 * 3.14159265358979323846 / 180;
  scene.gravity = kEarthGravity * Vec3{std::sin(kTilt), -std::cos(kTilt), 0};
  const std::uint32_t cube = add_box_shape(scene, {0.5, 0.5, 0.5});
  scene.shapes[cube].parts[0].material = material;
  scene.bodies.push_back(shaped_body(scene, cube, {0, 0.5, 0}));
  return scene;
}

Scene make_spinning_ball() {
  Scene scene = floor_scene({});
  add_ball(scene, {0, 0.5, 0});
  scene.bodies[1].angular_velocity = 50.0 * Vec3{std::sin(0.3), std::cos(0.3), 0};
  return scene;
}

Scene make_capsules() {
  Scene scene = floor_scene({});
  const std::uint32_t capsule = add_capsule_shape(scene, 0.2, 0.3);
  for (int i = 0; i < 27; ++i) {
    const int x = i % 3, y = i / 3 % 3, z = i / 9;
    scene.bodies.push_back(shaped_body(scene, capsule, {0.5 * x, 1 + 1.1 * y, 0.5 * z}));
    scene.bodies.back().orientation = normalized({0.1 * (z + 1), 0, 0.1 * (x + y + 1), 1});
  }
  return scene;
}

}  // namespace orrery::bench
