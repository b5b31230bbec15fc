// The scene `playground`: bodies of every kind, for a person to pull and throw.
//
// Hanging bodies return from any throw. Loose bodies stay on the floor, between four walls of
// unlimited height. The stiffest part oscillates at about 250 rad/s. With four substeps of 1/240 s,
// this is half of the highest stable frequency. The 45 bodies fit into three plain snapshot
// datagrams.
#include "common/core/limits.h"
#include "common/world/scenes/scene_parts.h"

namespace orrery {
namespace {

// The stiffness and damping of a spring or tether.
struct Stiffness {
  double elastic;
  double damping;
};

// Sets drag in proportion to mass: `linear` and `quadratic` are drag divided by mass. Linear drag,
// if any, slows a thrown body with a time constant of 10 to 50 s. The quadratic drag hardly affects
// gentle swings and takes most of the energy of hard throws.
void add_drag(BodyDef& body, double linear, double quadratic) {
  ORRERY_ASSERT(linear >= 0 && quadratic >= 0);
  body.linear_drag = linear * body.mass;
  body.quadratic_drag = quadratic * body.mass;
}

// Returns a body at rest with a shape of the scene. Its mass is `mass`, whatever the density.
BodyDef solid(const Scene& scene, std::uint32_t shape, double mass, const Vec3& position) {
  ORRERY_ASSERT(mass > 0);
  BodyDef body = shaped_body(scene, shape, position);
  body.inertia = (mass / body.mass) * body.inertia;
  body.mass = mass;
  return body;
}

// Returns a box at rest, and adds its shape to the scene.
BodyDef add_box(Scene& scene, double mass, const Vec3& half_extents, const Vec3& position) {
  return solid(scene, add_box_shape(scene, half_extents), mass, position);
}

void join(Scene& scene, std::uint32_t a, const Vec3& at_a, std::uint32_t b, const Vec3& at_b,
          const Stiffness& stiffness, double rest_length) {
  ORRERY_ASSERT(a != b && a < scene.bodies.size() && b < scene.bodies.size());
  SpringDef spring;
  spring.a = a;
  spring.b = b;
  spring.at_a = at_a;
  spring.at_b = at_b;
  spring.stiffness = stiffness.elastic;
  spring.damping = stiffness.damping;
  spring.rest_length = rest_length;
  scene.springs.push_back(spring);
}

void hang(Scene& scene, std::uint32_t body, const Vec3& at, const Vec3& anchor,
          const Stiffness& stiffness, double rest_length) {
  ORRERY_ASSERT(body < scene.bodies.size());
  TetherDef tether;
  tether.body = body;
  tether.at = at;
  tether.anchor = anchor;
  tether.stiffness = stiffness.elastic;
  tether.damping = stiffness.damping;
  tether.rest_length = rest_length;
  scene.tethers.push_back(tether);
}

// Adds a chain of six links that hang end to end. The last link starts with a velocity. The links
// touch everything except each other.
void add_chain(Scene& scene, const Vec3& top) {
  constexpr Vec3 kUpper{0, 0.25, 0};
  constexpr Stiffness kJoint{3000, 8};
  physics::PartDef part = capsule_part(0.12, 0.13);
  part.filter.group = -1;
  const std::uint32_t shape = add_shape(scene, part);
  for (int i = 0; i < 6; ++i) {
    BodyDef link = solid(scene, shape, 1, top - Vec3{0, 0.25 + 0.5 * i, 0});
    if (i == 5) link.velocity = {4, 0, 2};
    add_drag(link, 0.05, 0.002);
    const std::uint32_t id = add_body(scene, "chain " + std::to_string(i), link);
    if (i == 0) {
      hang(scene, id, kUpper, top, kJoint, 0);
    } else {
      join(scene, id - 1, -kUpper, id, kUpper, kJoint, 0);
    }
  }
}

// Adds a cloth of 3 rows of 4 masses that hangs by its top row.
void add_cloth(Scene& scene, const Vec3& corner) {
  constexpr int kRows = 3;
  constexpr int kColumns = 4;
  constexpr double kRadius = 0.1;
  constexpr double kSpacing = 0.5;
  constexpr double kDiagonal = 1.4142135623730951 * kSpacing;
  constexpr Stiffness kThread{400, 0.5};
  constexpr Stiffness kShear{150, 0.3};
  static_assert(kSpacing > 2 * kRadius);  // knots start apart
  const std::uint32_t shape = add_ball_shape(scene, kRadius);
  for (int i = 0; i < kRows * kColumns; ++i) {
    const int row = i / kColumns;
    const int column = i % kColumns;
    BodyDef knot = point_mass(0.2, kRadius, corner + Vec3{kSpacing * column, -kSpacing * row, 0});
    knot.shape = shape;
    if (row == kRows - 1) knot.velocity = {0, 0, 2};
    add_drag(knot, 0.1, 0.002);
    const std::uint32_t id = add_body(scene, "cloth " + std::to_string(i), knot);
    if (row == 0) hang(scene, id, {}, knot.position, kThread, 0);
    if (column > 0) join(scene, id - 1, {}, id, {}, kThread, kSpacing);
    if (row > 0) join(scene, id - kColumns, {}, id, {}, kThread, kSpacing);
    if (row > 0 && column > 0) join(scene, id - kColumns - 1, {}, id, {}, kShear, kDiagonal);
    if (row > 0 && column < kColumns - 1) {
      join(scene, id - kColumns + 1, {}, id, {}, kShear, kDiagonal);
    }
  }
}

// Adds a bar of the mobile. It hangs from a point above its centre of mass, so it returns to
// horizontal.
std::uint32_t add_bar(Scene& scene, const char* name, const Vec3& at, double half_length) {
  ORRERY_ASSERT(half_length > 0);
  constexpr double kBarMass = 0.4;
  BodyDef bar = add_box(scene, kBarMass, {half_length, 0.08, 0.08}, at);
  add_drag(bar, 0.02, 0.002);
  return add_body(scene, name, bar);
}

constexpr Stiffness kString{2000, 3};
constexpr double kStringLength = 0.6;
constexpr Vec3 kPivot{0, 0.08, 0};

// Hangs a body by its top (body coordinates) below the end of a bar.
void hang_from_bar(Scene& scene, std::uint32_t bar, double end, std::uint32_t body,
                   const Vec3& top) {
  join(scene, bar, {end, -0.08, 0}, body, top, kString, kStringLength);
}

void add_weight(Scene& scene, const char* name, std::uint32_t bar, double end, double mass,
                double half_extent) {
  ORRERY_ASSERT(bar < scene.bodies.size());
  const Vec3 hook = scene.bodies[bar].position + Vec3{end, -0.08, 0};
  BodyDef weight = add_box(scene, mass, {half_extent, half_extent, half_extent},
                           hook - Vec3{0, kStringLength + half_extent, 0});
  add_drag(weight, 0.02, 0.002);
  hang_from_bar(scene, bar, end, add_body(scene, name, weight), {0, half_extent, 0});
}

// Adds three bars, each below the last. A bar carries a weight at one end. An equal mass hangs from
// the other end: the next bar with its load, or a second weight.
void add_mobile(Scene& scene, const Vec3& top) {
  const Vec3 down{0, -kStringLength - 0.16, 0};
  const std::uint32_t upper = add_bar(scene, "mobile upper bar", top - kPivot, 1.2);
  hang(scene, upper, kPivot, top, kString, 0);
  const Vec3 middle_at = scene.bodies[upper].position + Vec3{1.2, 0, 0} + down;
  const std::uint32_t middle = add_bar(scene, "mobile middle bar", middle_at, 0.8);
  hang_from_bar(scene, upper, 1.2, middle, kPivot);
  const Vec3 lower_at = scene.bodies[middle].position + Vec3{0.8, 0, 0} + down;
  const std::uint32_t lower = add_bar(scene, "mobile lower bar", lower_at, 0.5);
  hang_from_bar(scene, middle, 0.8, lower, kPivot);
  add_weight(scene, "mobile moon", lower, 0.5, 0.5, 0.12);
  add_weight(scene, "mobile star", lower, -0.5, 0.5, 0.12);
  add_weight(scene, "mobile earth", middle, -0.8, 1.4, 0.16);
  add_weight(scene, "mobile sun", upper, -1.2, 3.2, 0.22);
  scene.bodies[upper].angular_velocity = {0, 0.6, 0};
}

constexpr double kTopMass = 2;
constexpr double kTopArm = 0.6;  // m, from the tip to the centre of mass
constexpr double kTopSpin = 40;
constexpr double kTopRadius = 0.5;
constexpr double kTopThickness = 0.08;  // half of the thickness
constexpr double kTopAxialInertia = 0.25;

// Adds a disc about the y axis. Its shape is a prism with twelve corners on each side.
std::uint32_t add_disc_shape(Scene& scene) {
  constexpr double kHalf = 0.5;
  constexpr double kRoot = 0.8660254037844386;  // square root of 3/4
  constexpr Vec3 kCorners[] = {{1, 0, 0}, {kRoot, 0, kHalf}, {kHalf, 0, kRoot}};
  physics::PartDef part;
  part.kind = physics::ShapeKind::hull;
  for (const Vec3& corner : kCorners) {
    Vec3 at = kTopRadius * corner;
    for (int quarter = 0; quarter < 4; ++quarter) {
      at = {-at.z, 0, at.x};
      part.points.push_back(at + Vec3{0, kTopThickness, 0});
      part.points.push_back(at - Vec3{0, kTopThickness, 0});
    }
  }
  return add_shape(scene, std::move(part));
}

// Returns a spinning top with its tip at the point `tip`. The top spins about its body's y axis.
BodyDef spinning_top(std::uint32_t shape, const Vec3& tip, const Quat& orientation) {
  ORRERY_ASSERT(shape != physics::kNoShape);
  const Vec3 axis = rotate(orientation, {0, 1, 0});
  BodyDef top;
  top.mass = kTopMass;
  top.inertia = {0.13, kTopAxialInertia, 0.13};
  top.shape = shape;
  top.position = tip + kTopArm * axis;
  top.orientation = orientation;
  top.angular_velocity = kTopSpin * axis;
  top.half_extents = {kTopRadius, kTopThickness, kTopRadius};
  add_drag(top, 0, 0.0005);
  return top;
}

// Adds a gyroscope that precesses on one end of its axle, a top on the floor below, and a handle
// that flips every few seconds.
void add_tops(Scene& scene, const Vec3& place) {
  constexpr Stiffness kTip{4000, 4};
  constexpr Vec3 kTipAt{0, -kTopArm, 0};
  constexpr double kHalf = 0.7071067811865476;
  const std::uint32_t disc = add_disc_shape(scene);
  BodyDef gyroscope = spinning_top(disc, place, {0, 0, -kHalf, kHalf});
  const double precession = kTopMass * kEarthGravity * kTopArm / (kTopAxialInertia * kTopSpin);
  gyroscope.angular_velocity += {0, precession, 0};
  gyroscope.velocity = {0, 0, -precession * kTopArm};
  hang(scene, add_body(scene, "gyroscope", gyroscope), kTipAt, place, kTip, 0);

  const Vec3 floor{place.x, 0, place.z + 2.5};
  const BodyDef top = spinning_top(disc, floor, normalized({0, 0, 0.1, 1}));
  hang(scene, add_body(scene, "top", top), kTipAt, floor, kTip, 0);

  BodyDef handle = add_box(scene, 3, {0.7, 0.35, 0.1}, place + Vec3{0, 0.5, -3});
  handle.inertia = {0.1, 0.2, 0.3};
  handle.angular_velocity = {0.01, 5, 0.01};
  handle.gravity_scale = 0;
  add_drag(handle, 0, 0.002);
  const std::uint32_t id = add_body(scene, "t-handle", handle);
  hang(scene, id, {}, handle.position, {12, 3}, 0);
}

// Adds five weakly coupled pendulums in a row. The swing of the first one moves to the last and
// back.
void add_pendulums(Scene& scene, const Vec3& top) {
  constexpr double kSpacing = 0.7;
  constexpr double kLength = 2.5;
  constexpr double kRadius = 0.2;
  static_assert(kSpacing > 2 * kRadius);  // balls start apart
  const std::uint32_t shape = add_ball_shape(scene, kRadius);
  for (int i = 0; i < 5; ++i) {
    const Vec3 anchor = top + Vec3{0, 0, kSpacing * i};
    // The first pendulum starts far to the side: 0.6 of its length to the side, and 0.8 down.
    const Vec3 below = i == 0 ? Vec3{-0.6 * kLength, -0.8 * kLength, 0} : Vec3{0, -kLength, 0};
    BodyDef bob = point_mass(1, kRadius, anchor + below);
    bob.shape = shape;
    add_drag(bob, 0, 0.001);
    const std::uint32_t id = add_body(scene, "pendulum " + std::to_string(i), bob);
    hang(scene, id, {}, anchor, {2000, 1}, kLength);
    if (i > 0) join(scene, id - 1, {}, id, {}, {2, 0}, kSpacing);
  }
}

void add_loose(Scene& scene, const char* name, std::uint32_t shape, double mass,
               const Vec3& position, const Quat& orientation = {}) {
  BodyDef body = solid(scene, shape, mass, position);
  body.orientation = orientation;
  add_drag(body, 0.05, 0.002);
  add_body(scene, name, body);
}

std::uint32_t add_hammer_shape(Scene& scene) {
  physics::ShapeDef& hammer = scene.shapes.emplace_back();
  hammer.parts.push_back(capsule_part(0.08, 0.6));
  physics::PartDef head;
  head.kind = physics::ShapeKind::box;
  head.half_extents = {0.4, 0.2, 0.2};
  head.pose.position = {0, 0.6, 0};
  hammer.parts.push_back(head);
  return static_cast<std::uint32_t>(scene.shapes.size() - 1);
}

// Adds loose bodies: a stack of three crates on the floor, and a ball, a log, a gem and a hammer
// above the floor.
void add_loose_bodies(Scene& scene, const Vec3& place) {
  constexpr double kCrate = 0.4;
  constexpr Quat kTilted{0.6, 0, 0, 0.8};  // rotated about the x axis
  const std::uint32_t crate = add_box_shape(scene, {kCrate, kCrate, kCrate});
  add_loose(scene, "crate 0", crate, 4, place + Vec3{0, kCrate, 0});
  add_loose(scene, "crate 1", crate, 4, place + Vec3{0, 3 * kCrate, 0});
  add_loose(scene, "crate 2", crate, 4, place + Vec3{0, 5 * kCrate, 0});
  physics::PartDef ball;
  ball.radius = 0.45;
  ball.material = {.friction = 0.5, .restitution = 0.6, .rolling_resistance = 0.01};
  add_loose(scene, "ball", add_shape(scene, ball), 2, place + Vec3{2.5, 3, 0});
  physics::PartDef log = capsule_part(0.3, 0.5);
  log.material.rolling_resistance = 0.01;
  add_loose(scene, "log", add_shape(scene, log), 3, place + Vec3{-2.5, 2, 0}, kTilted);
  physics::PartDef gem;
  gem.kind = physics::ShapeKind::hull;
  gem.points = {{0.5, 0, 0}, {-0.5, 0, 0}, {0, 0.6, 0}, {0, -0.6, 0}, {0, 0, 0.5}, {0, 0, -0.5}};
  add_loose(scene, "gem", add_shape(scene, std::move(gem)), 2, place + Vec3{-4.5, 2, 0});
  add_loose(scene, "hammer", add_hammer_shape(scene), 3, place + Vec3{5, 2, 0}, kTilted);
}

// Adds a fixed half space bounded by a plane. The y axis of its orientation points out of the solid
// side.
void add_plane(Scene& scene, const char* name, std::uint32_t shape, const Vec3& position,
               const Quat& orientation) {
  BodyDef plane;
  plane.kind = BodyKind::anchor;
  plane.control = Control::nobody;
  plane.shape = shape;
  plane.position = position;
  plane.orientation = orientation;
  plane.half_extents = {};
  add_body(scene, name, plane);
}

// Adds a floor at y = 0 and four walls.
void add_room(Scene& scene, double half_length, double half_width) {
  ORRERY_ASSERT(half_length > 0 && half_width > 0);
  constexpr double kHalf = 0.7071067811865476;
  physics::PartDef part;
  part.kind = physics::ShapeKind::plane;
  const std::uint32_t shape = add_shape(scene, part);
  add_plane(scene, "floor", shape, {}, {});
  add_plane(scene, "wall 0", shape, {-half_length, 0, 0}, {0, 0, -kHalf, kHalf});
  add_plane(scene, "wall 1", shape, {half_length, 0, 0}, {0, 0, kHalf, kHalf});
  add_plane(scene, "wall 2", shape, {0, 0, -half_width}, {kHalf, 0, 0, kHalf});
  add_plane(scene, "wall 3", shape, {0, 0, half_width}, {-kHalf, 0, 0, kHalf});
}

}  // namespace

Scene make_playground(std::uint32_t) {
  Scene scene;
  scene.name = "playground";
  use_contacts(scene);
  scene.grab_acceleration_max = 60;
  add_chain(scene, {-7, 6, 0});
  add_cloth(scene, {-4.5, 6, 0});
  add_mobile(scene, {0, 6.5, 0});
  add_tops(scene, {5, 3.5, 0});
  add_pendulums(scene, {8, 6, -1.4});
  add_loose_bodies(scene, {-1, 0, 5});
  add_room(scene, 12, 9);
  // One tile holds all bodies, spawned ones included.
  ORRERY_ASSERT(scene.bodies.size() == 45);
  scene.spare_bodies = limits::kTileBodies - 45;
  return scene;
}

}  // namespace orrery
